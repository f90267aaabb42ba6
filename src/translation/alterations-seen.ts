import type { InferenceRequest } from '../core/inference-request.ts';
import type { Alteration } from './translation.ts';

/**
 * The alterations of something the caller said. The pseudonym of an end user nobody named is the gateway's own, and
 * leaving it out alters nothing of the request.
 */
export function alterationsSeen(
  alterations: readonly Alteration[],
  { user, safetyIdentifier }: Pick<InferenceRequest, 'user' | 'safetyIdentifier'>,
): readonly Alteration[] {
  if (user !== undefined || safetyIdentifier !== undefined) return alterations;
  return alterations.filter(({ field }) => field !== 'user');
}
