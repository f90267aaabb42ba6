import type { CanonicalRequest } from '../core/request.ts';
import type { PromptSize } from '../routing/route-plan.ts';
import { estimateInputTokens, inputTokensAtMost } from '../settlement/estimate.ts';

/** How long a request's prompt is: worked out when first asked, and once. */
export function measurePrompt(request: CanonicalRequest): PromptSize {
  let atMost: number | undefined;
  let tokens: number | undefined;
  return {
    get atMost() {
      atMost ??= inputTokensAtMost(request);
      return atMost;
    },
    get tokens() {
      tokens ??= estimateInputTokens(request);
      return tokens;
    },
  };
}
