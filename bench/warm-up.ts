import type { LoadOrder } from './load-generator.ts';

/** A batch that is not this much cheaper than the last that was brought nothing. */
const leastGain = 0.03;
/** This many batches in a row that brought nothing end the warm-up; one may be noise. */
const barren = 2;

/** Whether a gateway is warm, from what a call cost in each batch so far: its compilers have stopped gaining. */
export function isWarm(costs: readonly number[]): boolean {
  let reached = Number.POSITIVE_INFINITY;
  let inRow = 0;
  for (const cost of costs) {
    if (cost < reached * (1 - leastGain)) {
      reached = cost;
      inRow = 0;
    } else {
      inRow += 1;
    }
  }
  return inRow >= barren;
}

/** How long a warm-up may take. */
export interface WarmUpLimits {
  /** Seconds of one batch. */
  readonly batch: number;
  readonly batches: number;
}

/** What a warm-up came to. */
export interface WarmedUp {
  readonly batches: number;
  /** False when the limit ended it. */
  readonly warm: boolean;
}

/**
 * Runs batches of the load that will be measured until the gateway is warm. `run` runs one and tells what a
 * call cost, in any unit.
 */
export async function warmUp(
  order: Omit<Extract<LoadOrder, { kind: 'closed' }>, 'kind' | 'seconds' | 'keepTimes'>,
  limits: WarmUpLimits,
  run: (batch: LoadOrder) => Promise<number>,
): Promise<WarmedUp> {
  const costs: number[] = [];
  while (costs.length < limits.batches && !isWarm(costs)) {
    costs.push(await run({ ...order, kind: 'closed', seconds: limits.batch, keepTimes: false }));
  }
  return { batches: costs.length, warm: isWarm(costs) };
}
