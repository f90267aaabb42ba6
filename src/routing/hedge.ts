import type { AttemptEnd, RunningAttempt } from './running-attempt.ts';

/** An attempt with its outcome. */
export interface EndedAttempt {
  readonly attempt: RunningAttempt;
  readonly end: AttemptEnd;
}

/** One or two attempts, until the first of them answers. */
export interface Race {
  /** In order of their end, an answer always last; all others are failures. */
  readonly ended: readonly EndedAttempt[];
  /** The attempt that was aborted because the other one answered. */
  readonly overtaken?: RunningAttempt;
}

/**
 * Waits for an attempt. If it has neither answered nor failed after a delay, starts a second one beside it. The first
 * to answer wins and the other is aborted, so there is never a second visible answer.
 * @param delay Milliseconds.
 * @param startSecond Undefined when there is no second to start.
 * @param onAlone Called with the second attempt when the first has failed before it.
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
