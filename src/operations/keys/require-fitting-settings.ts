import type { HeadgateError } from '../../core/errors.ts';
import type { ApiKey, KeySettings } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import { type Actor, refusal } from '../actor.ts';

/**
 * Checks that settings have an effect on a key of this kind.
 * @throws HeadgateError `invalid_request` for scopes of an inference key and for models of a management key.
 */
export function requireFittingSettings(
  actor: Actor,
  kind: ApiKey['kind'],
  { allowedModels = null, scopes = null }: Partial<KeySettings>,
): void {
  if (kind === 'inference' && scopes !== null)
    throw refuse(actor, 'scopes', 'only management keys have scopes');
  if (kind === 'management' && allowedModels !== null) {
    throw refuse(actor, 'allowed_models', 'management keys cannot run inference');
  }
}

function refuse(actor: Actor, field: string, fault: string): HeadgateError {
  return refusal(actor, malformed(field, fault), fault);
}
