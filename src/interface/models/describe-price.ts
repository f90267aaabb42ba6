import type { Price, PriceOverride } from '../../core/catalogue.ts';
import { formatPrice, type PicoUsd } from '../../core/money.ts';
import { priceInEffect } from '../../core/price-in-effect.ts';
import type { JsonObject } from '../../util/json.ts';

type Unit = Exclude<keyof PriceOverride, 'minPromptTokens' | 'utcStart' | 'utcEnd'>;

const publicNames: Readonly<Record<Unit, string>> = {
  prompt: 'prompt',
  completion: 'completion',
  request: 'request',
  image: 'image',
  imageToken: 'image_token',
  imageOutput: 'image_output',
  imageOutputToken: 'image_output_token',
  webSearch: 'web_search',
  reasoning: 'internal_reasoning',
  cacheRead: 'input_cache_read',
  cacheWrite: 'input_cache_write',
  cacheWriteLong: 'input_cache_write_1h',
  audioInput: 'audio',
  audioCacheRead: 'input_audio_cache',
  audioOutput: 'audio_output',
};

/** What prices are called. */
export const priceNames: readonly string[] = Object.values(publicNames);

const wholeBasis = 10_000;

/**
 * Prices as decimal text in USD per token or unit (routing.md 1.4): those that hold by default at a moment, and the
 * others under their conditions. An unstated price is `-1`, which no client takes for free.
 * @param at Unix milliseconds.
 */
export function describePrice(price: Price | undefined, at: number): JsonObject {
  if (price === undefined) return { prompt: '-1', completion: '-1' };
  const { discountBasisPoints: discount, overrides } = price;
  return {
    ...describeUnits(priceInEffect(price, 0, at)),
    ...(discount === undefined ? {} : { discount: discount / wholeBasis }),
    ...(overrides === undefined ? {} : { overrides: overrides.map(describeOverride) }),
  };
}

function describeOverride({ minPromptTokens, utcStart, utcEnd, ...units }: PriceOverride): JsonObject {
  return {
    ...(minPromptTokens === undefined ? {} : { min_prompt_tokens: minPromptTokens }),
    ...(utcStart === undefined ? {} : { utc_start: Number(utcStart) }),
    ...(utcEnd === undefined ? {} : { utc_end: Number(utcEnd) }),
    ...describeUnits(units),
  };
}

/** Prices that are stated, as decimal text in USD per token or unit. */
export function describeUnits(units: Partial<Record<Unit, PicoUsd | undefined>>): JsonObject {
  const stated = Object.entries(publicNames).flatMap(([unit, name]) => {
    const amount = units[unit as Unit];
    return amount === undefined ? [] : [[name, formatPrice(amount)] as const];
  });
  return Object.fromEntries(stated);
}
