import type { Price, PriceOverride } from '../../core/catalogue.ts';
import { formatPrice, type PicoUsd } from '../../core/money.ts';
import { priceInEffect } from '../../core/price-in-effect.ts';
import type { Static } from '../../util/json-schema.ts';
import type { Pricing } from '../schemas/catalogue.ts';
import { type PriceName, publicPriceNames } from './price-names.ts';

type Prices = Static<typeof Pricing>;
type Unit = Exclude<keyof PriceOverride, 'minPromptTokens' | 'utcStart' | 'utcEnd'>;

const wholeBasis = 10_000;

/**
 * Prices as decimal text in USD per token or unit (docs/spec/catalogue.md#prices): those that hold by default at a
 * moment, and the others under their conditions. An unstated price is `-1`, which no client takes for free.
 * @param at Unix milliseconds.
 */
export function describePrice(price: Price | undefined, at: number): Prices {
  if (price === undefined) return { prompt: '-1', completion: '-1' };
  const { discountBasisPoints: discount, overrides } = price;
  const { prompt = '-1', completion = '-1', ...others } = describeUnits(priceInEffect(price, 0, at));
  return {
    prompt,
    completion,
    ...others,
    ...(discount === undefined ? {} : { discount: discount / wholeBasis }),
    ...(overrides === undefined ? {} : { overrides: overrides.map(describeOverride) }),
  };
}

function describeOverride({ minPromptTokens, utcStart, utcEnd, ...units }: PriceOverride) {
  return {
    ...(minPromptTokens === undefined ? {} : { min_prompt_tokens: minPromptTokens }),
    ...(utcStart === undefined ? {} : { utc_start: Number(utcStart) }),
    ...(utcEnd === undefined ? {} : { utc_end: Number(utcEnd) }),
    ...describeUnits(units),
  };
}

/** Prices that are stated, as decimal text in USD per token or unit. */
export function describeUnits(
  units: Partial<Record<Unit, PicoUsd | undefined>>,
): Partial<Record<PriceName, string>> {
  const stated = Object.entries(publicPriceNames).flatMap(([unit, name]) => {
    const amount = units[unit as Unit];
    return amount === undefined ? [] : [[name, formatPrice(amount)] as const];
  });
  return Object.fromEntries(stated);
}
