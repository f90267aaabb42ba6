import type { AnswerBill, ToolCallCount } from '../../../core/answer-part.ts';
import { usdToNumber } from '../../../core/money.ts';
import { cachedInput, totalInput, type Usage } from '../../../core/usage.ts';
import type { ChatUsage } from './chat-completion.ts';

/**
 * The public `usage` of an answer (docs/spec/chat.md#usage). Details are there only where they are known; a cost that
 * is unknown because a price is missing is left out.
 */
export function toChatUsage(bill: AnswerBill | undefined, toolCalls?: ToolCallCount): ChatUsage {
  const usage = bill?.usage ?? {};
  const input = totalInput(usage) ?? 0;
  const output = usage.output ?? 0;
  const { webSearches } = usage;
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...promptDetails(usage),
    ...completionDetails(usage),
    ...(bill !== undefined && !bill.unpriced && costOf(bill)),
    is_byok: bill?.isByok ?? false,
    ...((webSearches || toolCalls) && {
      server_tool_use_details: {
        tool_calls_requested: toolCalls?.requested ?? 0,
        tool_calls_executed: toolCalls?.executed ?? 0,
        web_search_requests: webSearches ?? 0,
      },
    }),
  };
}

function promptDetails(usage: Usage): Pick<ChatUsage, 'prompt_tokens_details'> {
  const cached = cachedInput(usage);
  if (cached === undefined) return {};
  const { cacheWrite, cacheWriteLong, audioInput } = usage;
  const isWritten = cacheWrite !== undefined || cacheWriteLong !== undefined;
  return {
    prompt_tokens_details: {
      cached_tokens: cached,
      ...(isWritten && { cache_write_tokens: (cacheWrite ?? 0) + (cacheWriteLong ?? 0) }),
      ...(audioInput !== undefined && { audio_tokens: audioInput }),
    },
  };
}

function completionDetails(usage: Usage): Pick<ChatUsage, 'completion_tokens_details'> {
  const { reasoning, audioOutput, acceptedPrediction, rejectedPrediction } = usage;
  if (reasoning === undefined) return {};
  return {
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      ...(audioOutput !== undefined && { audio_tokens: audioOutput }),
      ...(acceptedPrediction !== undefined && { accepted_prediction_tokens: acceptedPrediction }),
      ...(rejectedPrediction !== undefined && { rejected_prediction_tokens: rejectedPrediction }),
    },
  };
}

function costOf({ charge, cost, isByok }: AnswerBill): Pick<ChatUsage, 'cost' | 'cost_details'> {
  return {
    cost: usdToNumber(charge),
    cost_details: {
      upstream_inference_cost: isByok ? usdToNumber(cost.total) : null,
      upstream_inference_prompt_cost: usdToNumber(cost.input),
      upstream_inference_completions_cost: usdToNumber(cost.output),
    },
  };
}
