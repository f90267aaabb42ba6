import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type {
  CredentialChange,
  NewCredential,
  ProviderCredential,
  SealedSecret,
} from '../../ports/credentials.ts';
import { accountOf } from '../accounts/account-of.ts';
import { type Actor, type KeyActor, type OperatorActor, refusal } from '../actor.ts';
import { credentialLook } from '../audit/looks.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { changedSecret, makeChange, requireRoom } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { chooseWorkspace } from '../workspaces/workspaces.ts';
import {
  credentialLabel,
  readCredential,
  requireCompatible,
  requireOwnKeys,
  requireProvider,
} from './rules.ts';

/**
 * What a new credential is to be. Members are read in the order of the rules of
 * docs/spec/credentials.md#creating-a-credential, the settings last, so one that throws when it is read refuses in its
 * turn.
 */
export interface CredentialInput {
  readonly provider: string;
  /** The credential as it was given. */
  readonly secret: string;
  readonly name: string | null;
  /** The operator names an account by its id. */
  readonly account?: string | undefined;
  /** Null is the whole account, which only the operator may say; undefined is the default workspace. */
  readonly workspace: string | null | undefined;
  readonly allowedKeyHashes: readonly string[] | null;
  readonly settings: CredentialSettings;
}

/** How a credential is used. */
export type CredentialSettings = Pick<
  NewCredential,
  'allowedModels' | 'allowedUserIds' | 'disabled' | 'isByokOnly' | 'isFallback' | 'isRequired' | 'declaredZdr'
>;

/**
 * Stores a credential, encrypted.
 * @throws HeadgateError `invalid_request` for the first rule of docs/spec/credentials.md#creating-a-credential that it
 * breaks.
 */
export async function createCredential(
  actor: Actor,
  input: CredentialInput,
  services: CreateCredentialServices,
): Promise<ProviderCredential> {
  const attempt = { actor, action: 'credential.create' } as const;
  return notingRefusal(attempt, services, () => create(actor, input, services));
}

type CreateCredentialServices = UsesToChange<
  'accounts' | 'workspaces' | 'keys' | 'credentials',
  'vault' | 'credentialForms' | 'stored'
>;

async function create(
  actor: Actor,
  input: CredentialInput,
  services: CreateCredentialServices,
): Promise<ProviderCredential> {
  const { provider } = input;
  const { vault, credentialForms, clock } = services;
  requireProvider(actor, provider, credentialForms);
  const read = readCredential(actor, provider, input.secret, credentialForms);
  const { name } = input;
  const account = await accountOf(actor, input.account, services);
  const { id: accountId } = account;
  const { workspace } = input;
  const advice = 'name one with --workspace, or say --account-wide';
  const workspaceId =
    workspace === null && actor.kind === 'operator'
      ? null
      : await chooseWorkspace(actor, account, workspace ?? undefined, services, advice);
  const { allowedKeyHashes } = input;
  await requireOwnKeys(allowedKeyHashes, accountId, services);
  const credential: NewCredential = {
    ...input.settings,
    id: randomUUID(),
    accountId,
    workspaceId,
    provider,
    name,
    label: credentialLabel(read),
    allowedKeyHashes,
    createdAt: clock.now(),
  };
  requireCompatible(credential);
  return vault.seal(read.secret, credential, (sealed) =>
    makeChange(
      {
        actor,
        action: 'credential.create',
        ...credentialChange(credential),
        after: () => ({ secret: changedSecret }),
        outdates: { kind: 'callers' },
      },
      services,
      async ({ credentials }) => {
        const { total: have } = await credentials.list({ accountId, offset: 0, limit: 1 });
        requireRoom(
          actor,
          { have, most: services.stored.credentials },
          'An account',
          'credentials; delete one',
        );
        return credentials.create(credential, sealed);
      },
    ),
  );
}

/** A credential and what of it changes; what is absent stays. Members are read in this order, after it was found. */
interface ChangedCredential {
  /** For the operator the beginning of an id is enough. */
  readonly id: string;
  /** A credential that replaces the one stored and renews the label. */
  readonly secret?: string | undefined;
  readonly change: Omit<CredentialChange, 'label'>;
}

/**
 * Changes a credential.
 * @throws HeadgateError `not_found`; `invalid_request` for a rule of docs/spec/credentials.md#creating-a-credential
 * that it would break.
 */
export async function changeCredential(
  actor: Actor,
  input: ChangedCredential,
  services: ChangeCredentialServices,
): Promise<ProviderCredential> {
  const attempt = { actor, action: 'credential.update', id: input.id } as const;
  return notingRefusal(attempt, services, () => change(actor, input, services));
}

type ChangeCredentialServices = UsesToChange<
  'accounts' | 'keys' | 'credentials',
  'vault' | 'credentialForms'
>;

async function change(
  actor: Actor,
  input: ChangedCredential,
  services: ChangeCredentialServices,
): Promise<ProviderCredential> {
  const before = await findCredential(actor, input.id, services);
  const { id, accountId, provider } = before;
  const { vault, credentialForms } = services;
  const { secret } = input;
  const read = secret === undefined ? undefined : readCredential(actor, provider, secret, credentialForms);
  const { change } = input;
  await requireOwnKeys(newHashes(change, before), accountId, services);
  // Sees the record in the transaction that changes it, which may not be the one that was read before.
  const decide = (now: ProviderCredential): CredentialChange => {
    requireCompatible({
      isByokOnly: change.isByokOnly ?? now.isByokOnly,
      isFallback: change.isFallback ?? now.isFallback,
    });
    return read === undefined ? change : { ...change, label: credentialLabel(read) };
  };
  const store = (sealed?: SealedSecret) =>
    makeChange(
      {
        actor,
        action: 'credential.update',
        ...credentialChange(before),
        ...(sealed === undefined ? {} : { after: () => ({ secret: changedSecret }) }),
      },
      services,
      async ({ credentials }) => {
        const changed = await credentials.update(id, decide, sealed);
        if (changed === undefined) throw noSuchCredential(actor, input.id);
        return changed;
      },
    );
  return read === undefined ? store() : vault.seal(read.secret, before, store);
}

/** Hashes that are new in the list. The others were checked when they were added; their keys may be deleted by now. */
function newHashes({ allowedKeyHashes }: CredentialChange, before: ProviderCredential) {
  const kept = new Set(before.allowedKeyHashes);
  return allowedKeyHashes?.filter((hash) => !kept.has(hash)) ?? null;
}

/**
 * Deletes a credential, wipes its secret and returns what it was. Requests that have the secret already finish.
 * Refuses like `findCredential`.
 */
export async function deleteCredential(
  actor: Actor,
  id: string,
  services: UsesToChange<'accounts' | 'credentials'>,
): Promise<ProviderCredential> {
  const action = 'credential.delete';
  return notingRefusal({ actor, action, id }, services, async () => {
    const before = await findCredential(actor, id, services);
    await makeChange({ actor, action, ...credentialChange(before) }, services, async ({ credentials }) => {
      if (!(await credentials.delete(before.id, services.clock.now()))) throw noSuchCredential(actor, id);
    });
    return before;
  });
}

/** Takes a credential out of use, or into use again. Needs no vault. Refuses like `findCredential`. */
export async function disableCredential(
  actor: Actor,
  input: { readonly id: string; readonly disabled: boolean },
  services: UsesToChange<'accounts' | 'credentials'>,
): Promise<ProviderCredential> {
  const action = 'credential.update';
  const { id, disabled } = input;
  return notingRefusal({ actor, action, id }, services, async () => {
    const before = await findCredential(actor, id, services);
    return makeChange({ actor, action, ...credentialChange(before) }, services, async ({ credentials }) => {
      const changed = await credentials.update(before.id, () => ({ disabled }));
      if (changed === undefined) throw noSuchCredential(actor, id);
      return changed;
    });
  });
}

const mostListed = 100_000;

/** Which credentials to list. `workspace` is read after `provider` was checked. */
interface CredentialPage {
  readonly provider: string | undefined;
  /** The default workspace where none is named. */
  readonly workspace: string | undefined;
  readonly offset: number;
  readonly limit: number;
}

/** Some credentials, by provider, place and age. */
interface ListedCredentials {
  readonly credentials: readonly ProviderCredential[];
  /** How many there are in all. */
  readonly total: number;
}

/**
 * Lists the credentials of a workspace and those of its whole account.
 * @throws HeadgateError `invalid_request` for an unknown provider or workspace.
 */
export async function listCredentials(
  actor: KeyActor,
  input: CredentialPage,
  services: Uses<'accounts' | 'workspaces' | 'credentials', 'credentialForms'>,
): Promise<ListedCredentials> {
  const { provider, offset, limit } = input;
  if (provider !== undefined) requireProvider(actor, provider, services.credentialForms);
  const { account } = actor;
  const workspaceId = await chooseWorkspace(actor, account, input.workspace, services);
  return services.storage.credentials.list({ accountId: account.id, workspaceId, provider, offset, limit });
}

/** Lists the credentials of all workspaces of an account. Refuses like `accountOf`. */
export async function listAllCredentials(
  actor: OperatorActor,
  { account, provider }: { readonly account?: string; readonly provider?: string },
  services: Uses<'accounts' | 'credentials'>,
): Promise<readonly ProviderCredential[]> {
  const { id: accountId } = await accountOf(actor, account, services);
  const query = { accountId, provider, offset: 0, limit: mostListed };
  return (await services.storage.credentials.list(query)).credentials;
}

const mostLooked = 100_000;

/**
 * The credential with an id, among those the actor may see: a key sees those of its account. The operator sees all and
 * may give the beginning of an id.
 * @throws HeadgateError `not_found`; `invalid_request` when several ids begin so.
 */
export async function findCredential(
  actor: Actor,
  id: string,
  { storage }: Uses<'accounts' | 'credentials'>,
): Promise<ProviderCredential> {
  if (actor.kind === 'key') {
    const found = await storage.credentials.find(id.toLowerCase());
    if (found?.accountId === actor.account.id) return found;
    throw noSuchCredential(actor, id);
  }
  const found: ProviderCredential[] = [];
  for (const { id: accountId } of await storage.accounts.list()) {
    const { credentials } = await storage.credentials.list({ accountId, offset: 0, limit: mostLooked });
    found.push(...credentials.filter((one) => one.id.startsWith(id.toLowerCase())));
  }
  const [one, ...others] = found;
  if (one === undefined) throw noSuchCredential(actor, id);
  if (others.length === 0) return one;
  throw new HeadgateError(
    'invalid_request',
    `"${id}" is the beginning of ${others.length + 1} ids; give more characters of it`,
  );
}

/** The refusal of an id no credential has that the actor may see. */
function noSuchCredential(actor: Actor, id: string): HeadgateError {
  return refusal(
    actor,
    new HeadgateError('not_found', 'There is no such credential in this account.'),
    `no credential has an id that begins with "${id}"; see "headgate byok list"`,
  );
}

/** What every change of a credential says of it to `makeChange`. */
function credentialChange({
  id,
  accountId,
  workspaceId,
}: Pick<ProviderCredential, 'id' | 'accountId' | 'workspaceId'>) {
  const outdates = { kind: 'credential', id } as const;
  return { id, accountId, workspaceId, look: credentialLook(id), outdates };
}
