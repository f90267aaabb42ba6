import { HeadgateError } from '../core/errors.ts';
import { permits, type Role, rolesWith } from '../core/roles.ts';
import { type ApiKey, roleOfKey } from '../ports/keys.ts';
import type { KeyedRoute } from './route.ts';

/**
 * Asks whether a management key may use a route: its scopes first, then its role (docs/spec/identity.md#permissions).
 * @throws HeadgateError `permission_denied`, with the permission and the roles that have it.
 */
export function requireRole(key: Pick<ApiKey, 'role' | 'scopes'>, { method, needs }: KeyedRoute): void {
  const changes = method !== 'GET';
  if (changes && key.scopes !== null) {
    throw new HeadgateError('permission_denied', 'This management key may only read: its scopes are "read".');
  }
  const role = roleOfKey(key);
  if (permits(role, needs, changes)) return;
  const allowed = rolesWith(needs, changes);
  throw new HeadgateError(
    'permission_denied',
    `The role "${role}" may not ${changes ? 'change' : 'read'} this (${needs}): it takes ${inWords(allowed)}.`,
    { metadata: { permission: needs, roles: allowed } },
  );
}

/** The refusal of inference with a management key, before a body is read (docs/spec/money.md#admission-order). */
export function isNotForInference(): HeadgateError {
  return new HeadgateError(
    'permission_denied',
    'A management key cannot run inference. Use an inference key.',
  );
}

/** The refusal of a management call with an inference key. */
export function needsManagementKey(): HeadgateError {
  return new HeadgateError('permission_denied', 'This needs a management key; yours is for inference.');
}

function inWords(allowed: readonly Role[]): string {
  const [last = '', ...others] = allowed.toReversed();
  return others.length === 0 ? last : `${others.toReversed().join(', ')} or ${last}`;
}
