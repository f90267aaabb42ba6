import type { Price } from '../core/catalogue.ts';
import { type NanoUsd, type PicoUsd, roundToNano, zeroUsd } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';

/** What a call costs, in nano-USD. `input` and `output` are rounded on their own for display; `total` is exact. */
export interface Cost {
  readonly total: NanoUsd;
  readonly input: NanoUsd;
  readonly output: NanoUsd;
}

/** The cost of a call that is not charged. */
export const noCost: Cost = { total: zeroUsd, input: zeroUsd, output: zeroUsd };

/**
 * Prices one call (accounts-and-limits 13.3 to 13.5): each input class at its own price or, without one, at
 * the prompt price; reasoning inside output, apart only when it has its own price; the request price once.
 * Summed exactly and rounded half up once.
 */
export function costOfUsage(usage: Usage, price: Price): Cost {
  const input =
    amount(usage.uncachedInput, price.prompt) +
    amount(usage.cacheRead, price.cacheRead ?? price.prompt) +
    amount(usage.cacheWrite, price.cacheWrite ?? price.prompt) +
    amount(usage.cacheWriteLong, price.cacheWriteLong ?? price.cacheWrite ?? price.prompt) +
    amount(usage.audioInput, price.audioInput ?? price.prompt);
  const output = outputAmount(usage, price);
  const request = price.request ?? 0n;
  return {
    total: roundToNano(input + output + request),
    input: roundToNano(input),
    output: roundToNano(output),
  };
}

function outputAmount(usage: Usage, price: Price): bigint {
  const separate = price.reasoning !== undefined && price.reasoning !== 0n;
  if (!separate || usage.output === undefined) return amount(usage.output, price.completion);
  const reasoning = Math.min(usage.reasoning ?? 0, usage.output);
  return (
    amount(usage.output - reasoning, price.completion) +
    amount(reasoning, price.reasoning ?? price.completion)
  );
}

function amount(count: number | undefined, price: PicoUsd): bigint {
  return count === undefined ? 0n : BigInt(count) * price;
}
