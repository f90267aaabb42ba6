import type { ServedTier } from '../../core/delta.ts';
import type { Usage } from '../../core/usage.ts';
import { listOf, usedCount } from '../lenient.ts';
import type { WireUsage } from './wire-events.ts';

/**
 * The token counts in disjoint classes, which is how this dialect reports them; undefined when it reported none.
 */
export function readUsage(counts: WireUsage | null | undefined): Usage | undefined {
  const written = usedCount(counts?.cacheWriteInputTokens);
  const cacheWriteLong = usedCount(
    listOf(counts?.cacheDetails).find((one) => one?.ttl === '1h')?.inputTokens,
  );
  const usage: Usage = {
    uncachedInput: usedCount(counts?.inputTokens),
    cacheRead: usedCount(counts?.cacheReadInputTokens),
    cacheWrite: written === undefined ? undefined : Math.max(0, written - (cacheWriteLong ?? 0)),
    cacheWriteLong,
    output: usedCount(counts?.outputTokens),
  };
  return Object.values(usage).some((count) => count !== undefined) ? usage : undefined;
}

/** The tier that served, in the gateway's terms; undefined where unreported. */
export function readTier(tier: string | null | undefined): ServedTier | undefined {
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? tier : undefined;
}
