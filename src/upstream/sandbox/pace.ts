import type { Provider } from '../../core/catalogue.ts';

/** How fast the sandbox answers. Times in milliseconds. */
export interface Pace {
  readonly firstTokenDelay: number;
  /** Tokens sent together. */
  readonly batchSize: number;
  /** Pause after each batch; 0 means no pause. */
  readonly batchDelay: number;
}

const unhurriedBatch = 64;
/** The resolution of timers; faster rates send several tokens at once. */
const shortestDelay = 5;

/**
 * Reads the pace from the quirks: `firstTokenDelay` in milliseconds, `tokensPerSecond` (0 or unset: no limit).
 */
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
