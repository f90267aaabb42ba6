import { randomUUID } from 'node:crypto';
import type { NewCredential, ProviderCredential } from '../../ports/credentials.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { changedSecret, makeChange } from '../make-change.ts';
import { requireRoom } from '../require-room.ts';
import type { UsesToChange } from '../services.ts';
import { chooseWorkspace } from '../workspaces/choose-workspace.ts';
import { credentialChange } from './credential-change.ts';
import { credentialLabel } from './credential-label.ts';
import { readCredential, requireCompatible, requireProvider } from './read-credential.ts';
import { requireOwnKeys } from './require-own-keys.ts';

/**
 * What a new credential is to be. Members are read in the order of the rules of
 * docs/spec/credentials.md#creating-a-credential, the settings last, so one that throws when it is read refuses in its
 * turn.
 */
export interface CredentialInput {
  readonly provider: string;
  /** The credential as somebody gave it. */
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
