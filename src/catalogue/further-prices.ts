import type { Price, PriceOverride, Provider } from '../core/catalogue.ts';
import { type PicoUsd, parsePricePerUnit } from '../core/money.ts';
import { isObject, parseJson } from '../util/json.ts';

/** Prices a provider documents and the package of prices does not tell. */
export interface FurtherPrices {
  /** Of which models, by the name the provider takes. */
  readonly models: RegExp;
  /** USD for one search. */
  readonly webSearch?: string;
  /** What writing a prefix that is kept for an hour costs, in prices of the prompt. */
  readonly longWrites?: bigint;
  /** How much dearer tokens are where they are not read by whichever region has room, in hundredths. */
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
 * A model's price with what the package lacks of it; what the package tells stays.
 * @param isRegional Whether the provider serves from a place of the operator's choice.
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
  const dearer = isRegional ? (found.regional ?? 0n) : 0n;
  const complete = <Units extends TokenPrices>(units: Units) =>
    raised(withLongWrites(units, found.longWrites), dearer);
  return Object.freeze({
    ...(webSearch === undefined ? {} : { webSearch }),
    ...complete(price),
    ...(price.overrides === undefined ? {} : { overrides: Object.freeze(price.overrides.map(complete)) }),
  });
}

/**
 * A price somebody stated, with what its provider documents for a search where it says nothing of them: they would be
 * given away. An endpoint whose tokens cost nothing is left as it is.
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
