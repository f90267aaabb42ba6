import type { Price } from '../core/catalogue.ts';
import type { PicoUsd } from '../core/money.ts';
import type { Usage } from '../core/usage.ts';
import type { Pictures } from './cost.ts';

/** One line of what a call costs: so many units at a price each. */
export interface CostLine {
  readonly item: CostItem;
  readonly count: number;
  readonly price: PicoUsd;
}

/** What can be paid for. */
export type CostItem =
  | 'input'
  | 'input_pictures'
  | 'cache_read'
  | 'cache_write'
  | 'cache_write_long'
  | 'audio_input'
  | 'audio_cache_read'
  | 'output'
  | 'output_pictures'
  | 'audio_output'
  | 'reasoning'
  | 'pictures'
  | 'made_pictures'
  | 'searches'
  | 'request';

const free = 0n as PicoUsd;

/**
 * The lines that a call's cost is the sum of, as `costOfUsage` adds it up (docs/spec/money.md#cost). Lines of nothing are
 * left out. Their sum, rounded half up to nano-USD once, is the cost.
 */
export function costLines(usage: Usage, price: Price, pictures?: Pictures): readonly CostLine[] {
  const lines = [...inputLines(usage, price), ...outputLines(usage, price)];
  const further: readonly CostLine[] = [
    { item: 'pictures', count: pictures?.input ?? 0, price: price.image ?? free },
    { item: 'made_pictures', count: pictures?.output ?? 0, price: price.imageOutput ?? free },
    { item: 'searches', count: usage.webSearches ?? 0, price: price.webSearch ?? free },
    { item: 'request', count: price.request === undefined ? 0 : 1, price: price.request ?? free },
  ];
  // Of tokens a line without a price says that they are free; of pieces it says nothing.
  return [...lines, ...further.filter((line) => line.price !== 0n)].filter(({ count }) => count > 0);
}

function inputLines(usage: Usage, price: Price): readonly CostLine[] {
  const pictures = Math.min(usage.imageInput ?? 0, usage.uncachedInput ?? 0);
  const audio = price.audioInput ?? price.prompt;
  return [
    { item: 'input', count: (usage.uncachedInput ?? 0) - pictures, price: price.prompt },
    { item: 'input_pictures', count: pictures, price: price.imageToken ?? price.prompt },
    { item: 'cache_read', count: usage.cacheRead ?? 0, price: price.cacheRead ?? price.prompt },
    { item: 'cache_write', count: usage.cacheWrite ?? 0, price: price.cacheWrite ?? price.prompt },
    {
      item: 'cache_write_long',
      count: usage.cacheWriteLong ?? 0,
      price: price.cacheWriteLong ?? price.cacheWrite ?? price.prompt,
    },
    { item: 'audio_input', count: usage.audioInput ?? 0, price: audio },
    { item: 'audio_cache_read', count: usage.audioCacheRead ?? 0, price: price.audioCacheRead ?? audio },
  ];
}

function outputLines(usage: Usage, price: Price): readonly CostLine[] {
  const { output = 0 } = usage;
  const pictures = Math.min(usage.imageOutput ?? 0, output);
  const audio = Math.min(usage.audioOutput ?? 0, output - pictures);
  const reasoning = Math.min(usage.reasoning ?? 0, output - pictures - audio);
  const picture = price.imageOutput === undefined ? (price.imageOutputToken ?? price.completion) : free;
  return [
    { item: 'output', count: output - pictures - audio - reasoning, price: price.completion },
    { item: 'output_pictures', count: pictures, price: picture },
    { item: 'audio_output', count: audio, price: price.audioOutput ?? price.completion },
    { item: 'reasoning', count: reasoning, price: price.reasoning || price.completion },
  ];
}
