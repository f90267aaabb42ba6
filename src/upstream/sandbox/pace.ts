import type { Provider } from '../../core/catalogue.ts';

/** How fast the sandbox answers. Times in milliseconds. */
export interface Pace {
  readonly firstTokenDelay: number;
  /** Tokens handed over together. */
  readonly batchSize: number;
  /** Silence after each batch; 0 is as fast as the reader reads. */
  readonly batchDelay: number;
}

const unhurriedBatch = 64;
/** Timers are no finer than this, so faster rates hand over several tokens at once. */
const shortestDelay = 5;

/** The pace a provider row asks for: `firstTokenDelay` in milliseconds, `tokensPerSecond` (0 or unset: no limit). */
export function readPace({ quirks }: Provider): Pace {
  const firstTokenDelay = positive(quirks.firstTokenDelay);
  const tokensPerSecond = positive(quirks.tokensPerSecond);
  if (tokensPerSecond === 0) return { firstTokenDelay, batchSize: unhurriedBatch, batchDelay: 0 };
  const batchSize = Math.max(1, Math.round((tokensPerSecond * shortestDelay) / 1000));
  return { firstTokenDelay, batchSize, batchDelay: (batchSize * 1000) / tokensPerSecond };
}

function positive(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0;
}
