import type { Price } from '../core/catalogue.ts';
import { type PicoUsd, parsePricePerUnit } from '../core/money.ts';

/** Prices a provider documents and the package of prices does not tell. */
export interface FurtherPrices {
  /** Of which models, by the name the provider takes. */
  readonly models: RegExp;
  /** USD for one search. */
  readonly webSearch?: string;
  /** What writing a prefix that is kept for an hour costs, in prices of the prompt. */
  readonly longWrites?: bigint;
}

/** A model's price with what the package lacks of it; what the package tells stays. */
export function withFurtherPrices(
  price: Price,
  upstreamModel: string,
  further: readonly FurtherPrices[],
): Price {
  const found = further.find(({ models }) => models.test(upstreamModel));
  if (found === undefined) return price;
  const webSearch = found.webSearch === undefined ? undefined : parsePricePerUnit(found.webSearch);
  return Object.freeze({
    ...(webSearch === undefined ? {} : { webSearch }),
    ...withLongWrites(price, found.longWrites),
    ...(price.overrides === undefined
      ? {}
      : {
          overrides: Object.freeze(price.overrides.map((entry) => withLongWrites(entry, found.longWrites))),
        }),
  });
}

function withLongWrites<Units extends { readonly prompt?: PicoUsd; readonly cacheWriteLong?: PicoUsd }>(
  units: Units,
  times: bigint | undefined,
): Units {
  if (times === undefined || units.prompt === undefined || units.cacheWriteLong !== undefined) return units;
  return { ...units, cacheWriteLong: (units.prompt * times) as PicoUsd };
}
