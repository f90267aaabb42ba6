import type { LoadOrder } from './load-generator.ts';

/** A batch must be cheaper than the previous one by this share to count as progress. */
const minGain = 0.03;
/** This many batches in a row without progress end the warm-up; one may be noise. */
const idleBatches = 2;

/**
 * Answers before which no gateway is warm: its compilers may still be at work, with equally expensive batches
 * meanwhile.
 */
const minAnswers = 10_000;

/** A batch of a warm-up. */
export interface Batch {
  readonly answers: number;
  /** Of one answer, in any unit. */
  readonly cost: number;
}

/** Whether a gateway is warm, from its batches so far: compilation brings no more progress. */
export function isWarm(batches: readonly Batch[]): boolean {
  let answered = 0;
  let reached = Number.POSITIVE_INFINITY;
  let inRow = 0;
  for (const { cost, answers } of batches) {
    answered += answers;
    if (cost < reached * (1 - minGain)) {
      reached = cost;
      inRow = 0;
    } else {
      inRow += 1;
    }
  }
  return inRow >= idleBatches && answered >= minAnswers;
}

/** Limits of a warm-up. */
export interface WarmUpLimits {
  /** Seconds of one batch. */
  readonly batch: number;
  readonly batches: number;
}

/** The result of a warm-up. */
export interface WarmedUp {
  readonly batches: number;
  /** False when the limit ended it. */
  readonly warm: boolean;
}

/** Runs batches of the load to be measured until the gateway is warm. `run` runs one. */
export async function warmUp(
  order: Omit<Extract<LoadOrder, { kind: 'closed' }>, 'kind' | 'seconds' | 'keepTimes'>,
  limits: WarmUpLimits,
  run: (batch: LoadOrder) => Promise<Batch>,
): Promise<WarmedUp> {
  const batches: Batch[] = [];
  while (batches.length < limits.batches && !isWarm(batches)) {
    batches.push(await run({ ...order, kind: 'closed', seconds: limits.batch, keepTimes: false }));
  }
  return { batches: batches.length, warm: isWarm(batches) };
}
