import type { CallTimes } from '../../ports/usage.ts';

/** Percentiles of a sample of calls; undefined without any. */
export interface CallTimesSummary {
  /** Calls in the sample that were answered. */
  readonly samples: number;
  /** Milliseconds. */
  readonly firstToken: Percentiles | undefined;
  readonly total: Percentiles | undefined;
  /** Output tokens a second. */
  readonly speed: Percentiles | undefined;
}

/** The value that half, and 95 of 100, do not exceed. */
export interface Percentiles {
  readonly p50: number;
  readonly p95: number;
}

/** Output below it says nothing about speed. */
const fewTokens = 10;

/** How long some calls took. */
export function summarizeTimes(calls: readonly CallTimes[]): CallTimesSummary {
  const first: number[] = [];
  const total: number[] = [];
  const speed: number[] = [];
  for (const call of calls) {
    const { latency, generationTime, outputTokens } = call;
    if (latency === undefined) continue;
    first.push(latency);
    const whole = totalTimeOf(call);
    if (generationTime === undefined || whole === undefined) continue;
    total.push(whole);
    if (outputTokens >= fewTokens && generationTime > 0) speed.push((outputTokens * 1000) / generationTime);
  }
  return {
    samples: first.length,
    firstToken: percentiles(first),
    total: percentiles(total),
    speed: percentiles(speed),
  };
}

/** Milliseconds until the last token; undefined for a call that is not known to have been answered. */
export function totalTimeOf({ latency, generationTime }: CallTimes): number | undefined {
  return latency === undefined || generationTime === undefined ? undefined : latency + generationTime;
}

function percentiles(values: number[]): Percentiles | undefined {
  if (values.length === 0) return undefined;
  values.sort((one, other) => one - other);
  const at = (share: number) =>
    values[Math.min(values.length - 1, Math.ceil(share * values.length) - 1)] ?? 0;
  return { p50: Math.round(at(0.5)), p95: Math.round(at(0.95)) };
}
