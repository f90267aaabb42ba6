import type { AnswerBill, ToolCallCount } from '../../../core/answer-part.ts';
import type { ServedTier } from '../../../core/delta.ts';
import { usdToNumber } from '../../../core/money.ts';
import { cachedInput, totalInput, type Usage } from '../../../core/usage.ts';
import type { JsonObject } from '../../../util/json.ts';

/** The counts of an answer, in the words of this format (docs/spec/messages.md#usage). */
export function messageUsage(usage: Usage, tier: ServedTier | undefined): JsonObject {
  const { cacheWrite, cacheWriteLong, output, reasoning, webSearches } = usage;
  const isCounted = totalInput(usage) !== undefined;
  const written =
    cacheWrite === undefined && cacheWriteLong === undefined ? undefined : [cacheWrite, cacheWriteLong];
  return {
    input_tokens: (usage.uncachedInput ?? 0) + (usage.audioInput ?? 0),
    output_tokens: output ?? 0,
    output_tokens_details: reasoning === undefined ? null : { thinking_tokens: reasoning },
    cache_creation_input_tokens: isCounted ? (cacheWrite ?? 0) + (cacheWriteLong ?? 0) : null,
    cache_read_input_tokens: isCounted ? (cachedInput(usage) ?? 0) : null,
    cache_creation: written && {
      ephemeral_5m_input_tokens: cacheWrite ?? 0,
      ephemeral_1h_input_tokens: cacheWriteLong ?? 0,
    },
    inference_geo: null,
    server_tool_use: webSearches ? { web_search_requests: webSearches, web_fetch_requests: 0 } : null,
    service_tier: tier === undefined ? null : tier === 'default' ? 'standard' : tierName(tier),
  };
}

/** The counts with what they cost. */
export function finalUsage(
  bill: AnswerBill | undefined,
  tier: ServedTier | undefined,
  toolCalls: ToolCallCount | undefined,
): JsonObject {
  const usage = messageUsage(bill?.usage ?? {}, tier);
  if (bill === undefined) return { ...usage, cache_creation: usage.cache_creation ?? null };
  const { cost, unpriced, charge, isByok } = bill;
  const details = toolCalls && {
    tool_calls_requested: toolCalls.requested,
    tool_calls_executed: toolCalls.executed,
  };
  return {
    ...usage,
    cache_creation: usage.cache_creation ?? null,
    ...(unpriced ? {} : { cost: usdToNumber(charge) }),
    is_byok: isByok,
    cost_details: {
      upstream_inference_cost: isByok && !unpriced ? usdToNumber(cost.total) : null,
      upstream_inference_prompt_cost: usdToNumber(cost.input),
      upstream_inference_completions_cost: usdToNumber(cost.output),
    },
    ...(details && { server_tool_use_details: details }),
  };
}

/** Flexible service has no word here. */
function tierName(tier: ServedTier): string | null {
  return tier === 'priority' ? 'priority' : null;
}
