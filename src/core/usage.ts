/**
 * The tokens of one upstream call, in disjoint input classes (docs/spec/money.md#usage-classes): the whole input is
 * uncached + cache read + both cache writes + audio + audio read from a cache. A class that the provider did not report
 * is undefined, never zero.
 */
export interface Usage {
  /** Input tokens at the full price: neither from nor into a cache, not audio. */
  readonly uncachedInput?: number;
  readonly cacheRead?: number;
  /** Tokens written to a cache with the default (short) lifetime. */
  readonly cacheWrite?: number;
  /** Tokens written to a cache with the one-hour lifetime. */
  readonly cacheWriteLong?: number;
  readonly audioInput?: number;
  /** Audio tokens read from a cache. */
  readonly audioCacheRead?: number;
  /** The part of `uncachedInput` that is pictures, where the provider reports it. */
  readonly imageInput?: number;
  /** Every generated token, reasoning included. */
  readonly output?: number;
  /** The part of `output` spent on reasoning. */
  readonly reasoning?: number;
  /** The part of `output` that is pictures. */
  readonly imageOutput?: number;
  /** The part of `output` that is audio. */
  readonly audioOutput?: number;
  /** The part of `output` that a `prediction` foresaw. */
  readonly acceptedPrediction?: number;
  /** The part of `output` that is a prediction's and in no answer. */
  readonly rejectedPrediction?: number;
  /** Searches by the provider that are billed individually. */
  readonly webSearches?: number;
}

/** A count of a provider that could not be true; `pages` are those of an engine that reads documents. */
export type ImplausibleCount = 'input' | 'output' | 'searches' | 'pictures' | 'pages';

/** The whole input of a call in tokens; undefined when the provider reported no input class. */
export function totalInput(usage: Usage): number | undefined {
  const classes = [
    usage.uncachedInput,
    usage.cacheRead,
    usage.cacheWrite,
    usage.cacheWriteLong,
    usage.audioInput,
    usage.audioCacheRead,
  ];
  return sumReported(classes);
}

/** The input tokens read from a cache; undefined when the provider reported no such class. */
export function cachedInput({ cacheRead, audioCacheRead }: Usage): number | undefined {
  return sumReported([cacheRead, audioCacheRead]);
}

/** Whether any input was read from a cache or written to one. */
export function usesCache(usage: Usage): boolean {
  const { cacheRead = 0, cacheWrite = 0, cacheWriteLong = 0, audioCacheRead = 0 } = usage;
  return cacheRead > 0 || cacheWrite > 0 || cacheWriteLong > 0 || audioCacheRead > 0;
}

/**
 * The input classes of counts from before the end of an answer, in case the end never comes. Undefined when they are
 * zero, which some providers report while they do not know.
 */
export function earlyInput(usage: Usage | undefined): Usage | undefined {
  if (usage === undefined || !totalInput(usage)) return undefined;
  const { uncachedInput, cacheRead, cacheWrite, cacheWriteLong, audioInput, audioCacheRead, imageInput } =
    usage;
  return { uncachedInput, cacheRead, cacheWrite, cacheWriteLong, audioInput, audioCacheRead, imageInput };
}

/** The counts without output, because they were reported before all of it was written. */
export function withoutOutput(usage: Usage): Usage {
  return {
    ...usage,
    output: undefined,
    reasoning: undefined,
    imageOutput: undefined,
    audioOutput: undefined,
    acceptedPrediction: undefined,
    rejectedPrediction: undefined,
  };
}

/** The counts of two turns together. A class that neither reported stays unreported. */
export function addUsage(one: Usage, other: Usage): Usage {
  const sum: { -readonly [Name in keyof Usage]: Usage[Name] } = { ...one };
  for (const name of Object.keys(other) as (keyof Usage)[]) sum[name] = sumReported([sum[name], other[name]]);
  return sum;
}

function sumReported(counts: readonly (number | undefined)[]): number | undefined {
  let total: number | undefined;
  for (const count of counts) {
    if (count !== undefined) total = (total ?? 0) + count;
  }
  return total;
}
