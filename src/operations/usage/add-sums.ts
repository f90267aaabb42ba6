import { nanoFromInteger } from '../../core/money.ts';
import type { UsageSums } from '../../ports/usage.ts';

const nobody = nanoFromInteger(0);

/** No calls. */
export const noUsage: UsageSums = {
  requests: 0,
  failed: 0,
  cancelled: 0,
  fallbacks: 0,
  streamed: 0,
  own: 0,
  unpriced: 0,
  estimated: 0,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  cost: nobody,
  listCost: nobody,
  byokCost: nobody,
};

/** Two sums together. */
export function addSums(one: UsageSums, other: UsageSums): UsageSums {
  return {
    requests: one.requests + other.requests,
    failed: one.failed + other.failed,
    cancelled: one.cancelled + other.cancelled,
    fallbacks: one.fallbacks + other.fallbacks,
    streamed: one.streamed + other.streamed,
    own: one.own + other.own,
    unpriced: one.unpriced + other.unpriced,
    estimated: one.estimated + other.estimated,
    inputTokens: one.inputTokens + other.inputTokens,
    cachedTokens: one.cachedTokens + other.cachedTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    reasoningTokens: one.reasoningTokens + other.reasoningTokens,
    cost: nanoFromInteger(one.cost + other.cost),
    listCost: nanoFromInteger(one.listCost + other.listCost),
    byokCost: nanoFromInteger(one.byokCost + other.byokCost),
  };
}
