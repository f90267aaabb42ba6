import type { Price, PriceOverride } from './catalogue.ts';

/**
 * The prices that apply to a call (docs/spec/catalogue.md#prices). An override applies when all its conditions hold;
 * later ones win for each price they name, for the whole call. A time range without a start or an end begins or ends at
 * midnight.
 * @param inputTokens The whole input of the call.
 * @param at When the request began, Unix milliseconds.
 */
export function priceInEffect(price: Price, inputTokens: number, at: number): Price {
  if (price.overrides === undefined) return price;
  let effective = price;
  for (const override of price.overrides) {
    if (!holds(override, inputTokens, at)) continue;
    const { minPromptTokens: _tokens, utcStart: _start, utcEnd: _end, ...prices } = override;
    effective = { ...effective, ...prices };
  }
  return effective;
}

function holds(override: PriceOverride, inputTokens: number, at: number): boolean {
  const { minPromptTokens, utcStart = '0000', utcEnd = '2400' } = override;
  if (minPromptTokens !== undefined && inputTokens <= minPromptTokens) return false;
  const time = new Date(at);
  const now = time.getUTCHours() * 100 + time.getUTCMinutes();
  const [start, end] = [Number(utcStart), Number(utcEnd)];
  return start <= end ? now >= start && now < end : now >= start || now < end;
}
