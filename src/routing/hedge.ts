import type { AttemptEnd, RunningAttempt } from './running-attempt.ts';

/** An attempt with how it came out. */
export interface EndedAttempt {
  readonly attempt: RunningAttempt;
  readonly end: AttemptEnd;
}

/** Two attempts, or one, until the first of them answers. */
export interface Race {
  /** In the order they came out, an answer always last; all but an answer are failures. */
  readonly ended: readonly EndedAttempt[];
  /** The one given up because the other answered. */
  readonly overtaken?: RunningAttempt;
}

/**
 * Waits for an attempt and, when it has neither answered nor failed after a while, for a second one beside it. The
 * first to answer wins; the other is given up, so that there is never a second visible answer.
 * @param delay Milliseconds.
 * @param startSecond Undefined when there is no second to start.
 * @param onAlone Told the second attempt when the first has failed before it.
 */
export async function raceAfter(
  delay: number,
  first: RunningAttempt,
  startSecond: () => Promise<RunningAttempt | undefined>,
  onAlone: (second: RunningAttempt) => void,
): Promise<Race> {
  const early = await endWithin(first, delay);
  if (early !== undefined) return { ended: [early] };
  const second = await startSecond();
  if (second === undefined) return { ended: [await ended(first)] };
  const sooner = await Promise.race([ended(first), ended(second)]);
  const other = sooner.attempt === first ? second : first;
  if ('answer' in sooner.end) {
    other.overtake();
    return { ended: [sooner], overtaken: other };
  }
  if (other === second) onAlone(second);
  return { ended: [sooner, await ended(other)] };
}

async function ended(attempt: RunningAttempt): Promise<EndedAttempt> {
  return { attempt, end: await attempt.end };
}

async function endWithin(attempt: RunningAttempt, delay: number): Promise<EndedAttempt | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(resolve, delay, undefined);
  try {
    return await Promise.race([ended(attempt), late]);
  } finally {
    clearTimeout(timer);
  }
}
