import type { ListCost } from '../core/answer-part.ts';
import type { Price } from '../core/catalogue.ts';
import { type NanoUsd, type PicoUsd, roundToNano, zeroUsd } from '../core/money.ts';
import { type Usage, usesCache } from '../core/usage.ts';

/** What a call costs, in nano-USD. `total` is summed exactly and rounded once; the others are for display. */
export interface Cost extends ListCost {
  /** What the input would cost without a cache, less what it does cost: negative when it was only written to one. */
  readonly cacheDiscount: NanoUsd;
}

/** The pictures of a call, which some endpoints bill by the piece. */
export interface Pictures {
  readonly input: number;
  readonly output: number;
}

/** The cost of a call that is not charged. */
export const noCost: Cost = { total: zeroUsd, input: zeroUsd, output: zeroUsd, cacheDiscount: zeroUsd };

/**
 * Prices one call (docs/spec/money.md#cost): each input class at its own price or, without one, at the
 * prompt price; reasoning inside output, apart only when it has its own price; pictures and searches by the piece
 * where they have a price; the request price once. Summed exactly and rounded half up once.
 */
export function costOfUsage(usage: Usage, price: Price, pictures?: Pictures): Cost {
  const tokens = inputAmount(usage, price);
  const input = tokens + amount(pictures?.input, price.image ?? free);
  const output = outputAmount(usage, price) + amount(pictures?.output, price.imageOutput ?? free);
  const rest = amount(usage.webSearches, price.webSearch ?? free) + (price.request ?? free);
  return {
    total: roundToNano(input + output + rest),
    input: roundToNano(input),
    output: roundToNano(output),
    cacheDiscount: usesCache(usage) ? roundToNano(withoutCache(usage, price) - tokens) : zeroUsd,
  };
}

const free = 0n as PicoUsd;

function inputAmount(usage: Usage, price: Price): bigint {
  const pictures = Math.min(usage.imageInput ?? 0, usage.uncachedInput ?? 0);
  const rest = usage.uncachedInput === undefined ? undefined : usage.uncachedInput - pictures;
  const audio = price.audioInput ?? price.prompt;
  return (
    amount(rest, price.prompt) +
    amount(pictures, price.imageToken ?? price.prompt) +
    amount(usage.cacheRead, price.cacheRead ?? price.prompt) +
    amount(usage.cacheWrite, price.cacheWrite ?? price.prompt) +
    amount(usage.cacheWriteLong, price.cacheWriteLong ?? price.cacheWrite ?? price.prompt) +
    amount(usage.audioInput, audio) +
    amount(usage.audioCacheRead, price.audioCacheRead ?? audio)
  );
}

function withoutCache(usage: Usage, price: Price): bigint {
  const { cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioInput = 0, audioCacheRead = 0 } = usage;
  const uncachedInput = (usage.uncachedInput ?? 0) + cacheRead + cacheWrite + cacheWriteLong;
  const { imageInput } = usage;
  return inputAmount({ uncachedInput, imageInput, audioInput: audioInput + audioCacheRead }, price);
}

function outputAmount(usage: Usage, price: Price): bigint {
  const { output = 0 } = usage;
  const pictures = Math.min(usage.imageOutput ?? 0, output);
  const picture = price.imageOutput === undefined ? (price.imageOutputToken ?? price.completion) : free;
  const audio = Math.min(usage.audioOutput ?? 0, output - pictures);
  const reasoning = Math.min(usage.reasoning ?? 0, output - pictures - audio);
  return (
    amount(output - pictures - audio - reasoning, price.completion) +
    amount(pictures, picture) +
    amount(audio, price.audioOutput ?? price.completion) +
    // A price of nothing for reasoning is none of its own.
    amount(reasoning, price.reasoning || price.completion)
  );
}

function amount(count: number | undefined, price: PicoUsd): bigint {
  return count ? BigInt(count) * price : 0n;
}
