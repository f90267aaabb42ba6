import { HeadgateError } from '../core/errors.ts';
import { type ApiKey, roleOfKey } from '../ports/keys.ts';
import type { KeyActor, OperatingActor } from './actor.ts';
import type { InterfaceServices } from './interface-services.ts';

/** Holder of an inference key, manager of an account, operator of the installation. */
export type Standing = 'key' | 'manager' | 'operator';

/**
 * What a key may see (docs/spec/dashboard.md#roles). Only owners operate.
 * @param key.role Of a management key.
 */
export async function standingOf(
  { kind, accountId, role }: Pick<ApiKey, 'kind' | 'accountId' | 'role'>,
  { config, storage }: Pick<InterfaceServices, 'config' | 'storage'>,
): Promise<Standing> {
  if (kind === 'inference') return 'key';
  if (roleOfKey({ role }) !== 'owner') return 'manager';
  const { operatorAccounts } = config.server.dashboard;
  if (operatorAccounts.length > 0) return operatorAccounts.includes(accountId) ? 'operator' : 'manager';
  const [first] = await storage.accounts.list();
  return first?.id === accountId ? 'operator' : 'manager';
}

type RoleServices = Pick<InterfaceServices, 'config' | 'storage'>;

/**
 * The actor as one who operates the installation (docs/spec/dashboard.md#roles).
 * @throws HeadgateError `permission_denied`.
 */
export async function requireOperator(
  actor: KeyActor,
  services: RoleServices,
): Promise<OperatingActor & KeyActor> {
  const known = await withRole(actor, services);
  if (isOperating(known)) return known;
  throw new HeadgateError(
    'permission_denied',
    'This needs a management key of an account in server.dashboard.operator_accounts.',
  );
}

/** The actor, marked where it operates the installation and so may name other accounts. */
export async function withRole(actor: KeyActor, services: RoleServices): Promise<KeyActor> {
  const { keyKind: kind, account, role = null } = actor;
  const standing = await standingOf({ kind, accountId: account.id, role }, services);
  return standing === 'operator' ? { ...actor, operates: true } : actor;
}

function isOperating(actor: KeyActor): actor is KeyActor & { readonly operates: true } {
  return actor.operates === true;
}
