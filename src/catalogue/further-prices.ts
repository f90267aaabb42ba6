import type { Price, PriceOverride, Provider } from '../core/catalogue.ts';
import { type PicoUsd, parsePricePerUnit } from '../core/money.ts';
import { isObject, parseJson } from '../util/json.ts';

/** Prices that a provider documents and the price package lacks. */
export interface FurtherPrices {
  /** The models, by the provider's own names. */
  readonly models: RegExp;
  /** USD for one search. */
  readonly webSearch?: string;
  /** The price of writing a prefix that is kept for an hour, as a multiple of the prompt price. */
  readonly longWrites?: bigint;
  /** How much more tokens cost outside the global region, in hundredths. */
  readonly regional?: bigint;
}

type TokenPrices = Partial<Price> | PriceOverride;

const ofTokens = [
  'prompt',
  'completion',
  'reasoning',
  'cacheRead',
  'cacheWrite',
  'cacheWriteLong',
] as const satisfies readonly (keyof Price)[];

/**
 * Adds missing prices to a model's price; prices of the package stay.
 * @param isRegional Whether the operator chose the region.
 */
export function withFurtherPrices(
  price: Price,
  upstreamModel: string,
  further: readonly FurtherPrices[],
  isRegional = false,
): Price {
  const found = further.find(({ models }) => models.test(upstreamModel));
  if (found === undefined) return price;
  const webSearch = found.webSearch === undefined ? undefined : parsePricePerUnit(found.webSearch);
  const surcharge = isRegional ? (found.regional ?? 0n) : 0n;
  const complete = <Units extends TokenPrices>(units: Units) =>
    raised(withLongWrites(units, found.longWrites), surcharge);
  return Object.freeze({
    ...(webSearch === undefined ? {} : { webSearch }),
    ...complete(price),
    ...(price.overrides === undefined ? {} : { overrides: Object.freeze(price.overrides.map(complete)) }),
  });
}

/**
 * Adds the provider's documented search price to a stated price without one, because searches would otherwise be
 * free. An endpoint with free tokens stays unchanged.
 */
export function withDocumentedSearches(
  price: Price,
  upstreamModel: string,
  further: readonly FurtherPrices[] = [],
): Price {
  const documented = further.find(({ models }) => models.test(upstreamModel))?.webSearch;
  const isFree = price.prompt === 0n && price.completion === 0n;
  if (documented === undefined || price.webSearch !== undefined || isFree) return price;
  return Object.freeze({ ...price, webSearch: parsePricePerUnit(documented) });
}

/** Whether a provider's credential, or else its quirks, name a region other than `global`. */
export function isRegional({ apiKey, quirks }: Provider): boolean {
  const key = parseJson(apiKey?.reveal() ?? '');
  const region = (isObject(key) ? key.region : undefined) ?? quirks.region;
  return typeof region === 'string' && region !== '' && region !== 'global';
}

function raised<Units extends TokenPrices>(units: Units, hundredths: bigint): Units {
  if (hundredths === 0n) return units;
  const prices = ofTokens.flatMap((name) => {
    const price = units[name];
    return price === undefined ? [] : [[name, (price * (100n + hundredths) + 50n) / 100n] as const];
  });
  return { ...units, ...Object.fromEntries(prices) };
}

function withLongWrites<Units extends { readonly prompt?: PicoUsd; readonly cacheWriteLong?: PicoUsd }>(
  units: Units,
  times: bigint | undefined,
): Units {
  if (times === undefined || units.prompt === undefined || units.cacheWriteLong !== undefined) return units;
  return { ...units, cacheWriteLong: (units.prompt * times) as PicoUsd };
}
