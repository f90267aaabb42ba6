import { randomUUID } from 'node:crypto';
import type { Catalogue } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { plainRules } from '../../core/guardrail.ts';
import type { TextScanner } from '../../guardrails/content-scanner.ts';
import type { FileGuardrail } from '../../guardrails/guardrail-directory.ts';
import type { StoredGuardrail } from '../../ports/guardrails.ts';
import type { Workspace } from '../../ports/workspaces.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { guardrailLook } from '../audit/looks.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange, requireRoom } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { chooseWorkspace } from '../workspaces/workspaces.ts';
import { checkPatterns, readWrittenRules, type WrittenGuardrail } from './rules.ts';
import { defaultGuardrailId, defaultGuardrailName } from './show.ts';

type SaveServices = UsesToChange<'accounts' | 'workspaces' | 'guardrails', 'stored'>;

/** What the installation knows that guardrails are checked against. */
export interface GuardrailSurroundings {
  readonly catalogue: Catalogue;
  /** Guardrails of the configuration file. */
  readonly file: readonly FileGuardrail[];
  readonly hasAnalyzer: boolean;
  /** What scans texts; it also knows whether it can. */
  readonly scanner: TextScanner;
}

/** What of a guardrail is written: what is absent stays as it is, or plain. */
export interface GuardrailInput {
  readonly name?: string | undefined;
  readonly description?: string | null | undefined;
  readonly rules: WrittenGuardrail;
}

/**
 * Creates a guardrail, which applies to nothing before it is assigned.
 * @throws HeadgateError `invalid_request` for rules that make no sense here.
 */
export function createGuardrail(
  actor: Actor,
  { name, description = null, rules, workspace }: GuardrailInput & { name: string; workspace?: string },
  surroundings: GuardrailSurroundings,
  services: SaveServices,
): Promise<StoredGuardrail> {
  const action = 'guardrail.create';
  return notingRefusal({ actor, action }, services, async () => {
    const account = await accountOf(actor, undefined, services);
    const workspaceId = await chooseWorkspace(actor, account, workspace, services);
    await checkPatterns(rules, surroundings.scanner, account.id);
    const guardrail: StoredGuardrail = {
      id: randomUUID(),
      accountId: account.id,
      workspaceId,
      isDefault: false,
      name,
      description,
      rules: readWrittenRules(plainRules, rules, { ...surroundings, accountId: account.id }),
      createdAt: services.clock.now(),
      updatedAt: null,
    };
    return store(actor, action, guardrail, services);
  });
}

/**
 * Changes a guardrail; the default one of a workspace is created by its first change.
 * @throws HeadgateError `not_found`; `invalid_request` for rules that make no sense here, and for a new name of a default one.
 */
export function changeGuardrail(
  actor: Actor,
  { id: written, ...input }: GuardrailInput & { readonly id: string },
  surroundings: GuardrailSurroundings,
  services: SaveServices,
): Promise<StoredGuardrail> {
  const id = written.toLowerCase();
  const action = 'guardrail.update';
  return notingRefusal({ actor, action, id }, services, async () => {
    refuseFileGuardrail(written, surroundings.file);
    const { id: accountId } = await accountOf(actor, undefined, services);
    const context = { ...surroundings, accountId };
    await checkPatterns(input.rules, surroundings.scanner, accountId);
    const found = await services.storage.guardrails.find(accountId, id);
    if (found === undefined) return beginDefault(actor, { accountId, id }, input, surroundings, services);
    if (found.isDefault) refuseName(input, found.name);
    return makeChange(
      {
        actor,
        action,
        id,
        accountId,
        workspaceId: found.workspaceId,
        look: guardrailLook(accountId, id),
        outdates: { kind: 'callers' },
      },
      services,
      async ({ guardrails }) => {
        const { name, description } = input;
        const changed = await guardrails.update(
          accountId,
          id,
          (current) => ({
            ...(name !== undefined && { name }),
            ...(description !== undefined && { description }),
            rules: requireFit(readWrittenRules(current.rules, input.rules, context), description ?? null),
          }),
          services.clock.now(),
        );
        if (changed === undefined) throw noSuchGuardrail();
        return changed;
      },
    );
  });
}

/** @throws HeadgateError `not_found` when no workspace's default guardrail has the id. */
async function beginDefault(
  actor: Actor,
  { accountId, id }: { readonly accountId: string; readonly id: string },
  input: GuardrailInput,
  surroundings: GuardrailSurroundings,
  services: SaveServices,
): Promise<StoredGuardrail> {
  const workspace = await workspaceWithDefault(accountId, id, services);
  if (workspace === undefined) throw noSuchGuardrail();
  const name = defaultGuardrailName(workspace.id);
  refuseName(input, name);
  const guardrail: StoredGuardrail = {
    id,
    accountId,
    workspaceId: workspace.id,
    isDefault: true,
    name,
    description: input.description ?? null,
    rules: readWrittenRules(plainRules, input.rules, { ...surroundings, accountId }),
    createdAt: services.clock.now(),
    updatedAt: null,
  };
  return store(actor, 'guardrail.create', guardrail, services);
}

/** Characters of JSON that a guardrail may have. */
const longest = 262_144;

/** The rules, once they fit. @throws HeadgateError `invalid_request`. */
function requireFit(rules: StoredGuardrail['rules'], description: string | null): StoredGuardrail['rules'] {
  const { length } = JSON.stringify([rules, description], (_, value) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  if (length <= longest) return rules;
  throw malformed('', `the guardrail takes ${length} characters of JSON; at most ${longest} are kept`);
}

function store(
  actor: Actor,
  action: 'guardrail.create',
  guardrail: StoredGuardrail,
  services: SaveServices,
): Promise<StoredGuardrail> {
  const { id, accountId, workspaceId } = guardrail;
  const look = guardrailLook(accountId, id);
  requireFit(guardrail.rules, guardrail.description);
  const change = { actor, action, id, accountId, workspaceId, look, outdates: { kind: 'callers' } } as const;
  return makeChange(change, services, async ({ guardrails }) => {
    if (!guardrail.isDefault && workspaceId !== null) {
      const { total: have } = await guardrails.list({ accountId, workspaceId, offset: 0, limit: 1 });
      requireRoom(actor, { have, most: services.stored.guardrails }, 'A workspace', 'guardrails; delete one');
    }
    await guardrails.create(guardrail);
    return guardrail;
  });
}

function refuseName({ name }: GuardrailInput, fixed: string): void {
  if (name === undefined || name === fixed) return;
  throw malformed('name', 'the default guardrail of a workspace cannot be renamed; leave it out');
}

/** Deletes a guardrail and its assignments. @throws HeadgateError `not_found`. */
export function deleteGuardrail(
  actor: Actor,
  written: string,
  file: readonly FileGuardrail[],
  services: SaveServices,
): Promise<void> {
  const id = written.toLowerCase();
  const action = 'guardrail.delete';
  return notingRefusal({ actor, action, id }, services, async () => {
    refuseFileGuardrail(written, file);
    const { id: accountId } = await accountOf(actor, undefined, services);
    const look = guardrailLook(accountId, id);
    await makeChange(
      { actor, action, id, accountId, look, outdates: { kind: 'callers' } },
      services,
      async ({ guardrails }) => {
        if (!(await guardrails.delete(accountId, id))) throw noSuchGuardrail();
      },
    );
  });
}

const mostWorkspaces = 100_000;

type ReadServices = Uses<'accounts' | 'workspaces' | 'guardrails'>;

/** A page of guardrails: stored ones, then those of the configuration file. */
interface GuardrailPage {
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
async function workspaceWithDefault(
  accountId: string,
  id: string,
  { storage }: Uses<'workspaces'>,
): Promise<Workspace | undefined> {
  const { workspaces } = await storage.workspaces.list({ accountId, offset: 0, limit: mostWorkspaces });
  return workspaces.find((workspace) => defaultGuardrailId(workspace.id) === id);
}

/** The refusal of an id that no guardrail of the account has. */
function noSuchGuardrail(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such guardrail in this account.');
}

/** Refuses to change a guardrail of the configuration file. @throws HeadgateError `invalid_request`. */
function refuseFileGuardrail(id: string, file: readonly FileGuardrail[]): void {
  if (!file.some(({ name }) => name === id)) return;
  throw new HeadgateError(
    'invalid_request',
    `The guardrail "${id}" stands in the configuration file; change it there (guardrails.rules).`,
  );
}
