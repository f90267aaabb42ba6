import type { CanonicalRequest } from '../../../core/request.ts';
import { contradictory } from '../../../schema/fault.ts';

/**
 * Finds contradictions between settings that are each valid (docs/spec/errors.md#400-or-422).
 * @throws HeadgateError `unprocessable`.
 */
export function checkBudget(canonical: Pick<CanonicalRequest, 'reasoning' | 'maxOutputTokens'>): void {
  const budget = canonical.reasoning?.maxTokens;
  const limit = canonical.maxOutputTokens;
  if (budget === undefined || limit === undefined || budget < limit) return;
  throw contradictory('reasoning.max_tokens', `must be below max_output_tokens (${limit}), got ${budget}`);
}
