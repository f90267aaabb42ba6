import { usdToNumber } from '../core/money.ts';
import type { ResponseUsage } from '../core/response.ts';
import { totalInput } from '../core/usage.ts';
import type { Bill } from './bill.ts';
import { noCost } from './cost.ts';

/**
 * The public `usage` of an answer (responses.md 7.3). Unknown counts show as 0 here; the record keeps them
 * apart. Without a bill nothing was used or charged.
 */
export function toResponseUsage(bill: Bill | undefined): ResponseUsage {
  const { usage, cost } = bill ?? { usage: {}, cost: noCost };
  const input = totalInput(usage) ?? 0;
  const output = usage.output ?? 0;
  const writes = [usage.cacheWrite, usage.cacheWriteLong].filter((count) => count !== undefined);
  const written =
    writes.length === 0 ? {} : { cache_write_tokens: writes.reduce((sum, count) => sum + count, 0) };
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens: usage.cacheRead ?? 0, ...written },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: usage.reasoning ?? 0 },
    total_tokens: input + output,
    cost: usdToNumber(cost.total),
    is_byok: false,
    cost_details: {
      upstream_inference_cost: null,
      upstream_inference_input_cost: usdToNumber(cost.input),
      upstream_inference_output_cost: usdToNumber(cost.output),
    },
  };
}
