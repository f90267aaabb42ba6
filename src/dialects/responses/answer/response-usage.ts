import type { AnswerBill, ToolCallCount } from '../../../core/answer-part.ts';
import { usdToNumber, zeroUsd } from '../../../core/money.ts';
import { cachedInput, totalInput } from '../../../core/usage.ts';
import type { ResponseUsage } from '../../gateway/assembly/response.ts';

const nothingUsed: AnswerBill = {
  usage: {},
  cost: { total: zeroUsd, input: zeroUsd, output: zeroUsd },
  unpriced: false,
  charge: zeroUsd,
  isByok: false,
};

/**
 * The public `usage` of an answer (docs/spec/answers.md#usage). Unknown counts show as 0 here; the record keeps them
 * apart. A cost that is unknown because a price is missing is null. Without a bill nothing was used or charged.
 */
export function toResponseUsage(bill: AnswerBill | undefined, toolCalls?: ToolCallCount): ResponseUsage {
  const { usage, cost, unpriced, charge, isByok } = bill ?? nothingUsed;
  const input = totalInput(usage) ?? 0;
  const output = usage.output ?? 0;
  const { cacheWrite, cacheWriteLong, webSearches } = usage;
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cachedInput(usage) ?? 0,
      cache_write_tokens: (cacheWrite ?? 0) + (cacheWriteLong ?? 0),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
    cost: unpriced ? null : usdToNumber(charge),
    is_byok: isByok,
    cost_details: {
      upstream_inference_cost: isByok && !unpriced ? usdToNumber(cost.total) : null,
      upstream_inference_input_cost: usdToNumber(cost.input),
      upstream_inference_output_cost: usdToNumber(cost.output),
    },
    // Searches that a provider ran are no calls of ours.
    ...((webSearches || toolCalls) && {
      server_tool_use_details: {
        tool_calls_requested: toolCalls?.requested ?? 0,
        tool_calls_executed: toolCalls?.executed ?? 0,
        web_search_requests: webSearches ?? 0,
      },
    }),
  };
}
