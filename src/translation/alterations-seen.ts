import type { InferenceRequest } from '../core/inference-request.ts';
import type { Alteration } from './translation.ts';

/**
 * The alterations of something that the caller sent. The gateway adds the end user's pseudonym itself, so leaving it
 * out alters nothing of the request.
 */
export function alterationsSeen(
  alterations: readonly Alteration[],
  { user, safetyIdentifier }: Pick<InferenceRequest, 'user' | 'safetyIdentifier'>,
): readonly Alteration[] {
  if (user !== undefined || safetyIdentifier !== undefined) return alterations;
  return alterations.filter(({ field }) => field !== 'user' && field !== 'metadata.user_id');
}
