import { HeadgateError } from '../../core/errors.ts';
import type { FileGuardrail } from '../../guardrails/guardrail-directory.ts';
import type { StoredGuardrail } from '../../ports/guardrails.ts';
import type { Workspace } from '../../ports/workspaces.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { chooseWorkspace } from '../workspaces/choose-workspace.ts';
import { defaultGuardrailId } from './default-guardrail.ts';

const mostWorkspaces = 100_000;

type ReadServices = Uses<'accounts' | 'workspaces' | 'guardrails'>;

/** A page of guardrails: stored ones, then those of the configuration file. */
export interface GuardrailPage {
  readonly stored: readonly StoredGuardrail[];
  readonly ofFile: readonly FileGuardrail[];
  readonly total: number;
}

/**
 * A page of the guardrails filed in a workspace, and those of the configuration file that apply to all or to it.
 * @throws HeadgateError `invalid_request` for a workspace that is none of the account's.
 */
export async function listGuardrails(
  actor: Actor,
  query: { readonly workspace?: string; readonly offset: number; readonly limit: number },
  file: readonly FileGuardrail[],
  services: ReadServices,
): Promise<GuardrailPage> {
  const account = await accountOf(actor, undefined, services);
  const workspaceId = await chooseWorkspace(actor, account, query.workspace, services);
  const { offset, limit } = query;
  const place = { accountId: account.id, workspaceId };
  const { guardrails, total } = await services.storage.guardrails.list({ ...place, offset, limit });
  const concerned = file.filter(({ apply }) => apply.all || apply.workspaces.includes(workspaceId));
  const first = Math.max(0, offset - total);
  const ofFile = concerned.slice(first, first + limit - guardrails.length);
  return { stored: guardrails, ofFile, total: total + concerned.length };
}

/** A guardrail of the account. @throws HeadgateError `not_found`. */
export async function findGuardrail(
  actor: Actor,
  id: string,
  services: ReadServices,
): Promise<StoredGuardrail> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  const found = await services.storage.guardrails.find(accountId, id.toLowerCase());
  if (found === undefined) throw noSuchGuardrail();
  return found;
}

/** The workspace of the account whose default guardrail has an id; undefined where none has. */
export async function workspaceWithDefault(
  accountId: string,
  id: string,
  { storage }: Uses<'workspaces'>,
): Promise<Workspace | undefined> {
  const { workspaces } = await storage.workspaces.list({ accountId, offset: 0, limit: mostWorkspaces });
  return workspaces.find((workspace) => defaultGuardrailId(workspace.id) === id);
}

/** The refusal of an id that no guardrail of the account has. */
export function noSuchGuardrail(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such guardrail in this account.');
}

/** Refuses to change a guardrail of the configuration file. @throws HeadgateError `invalid_request`. */
export function refuseFileGuardrail(id: string, file: readonly FileGuardrail[]): void {
  if (!file.some(({ name }) => name === id)) return;
  throw new HeadgateError(
    'invalid_request',
    `The guardrail "${id}" stands in the configuration file; change it there (guardrails.rules).`,
  );
}
