import { createRawKey } from '../../core/api-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { ApiKey, KeySettings, KeyStore } from '../../ports/keys.ts';
import { malformed } from '../../schema/fault.ts';
import { accountOf } from '../accounts/account-of.ts';
import { type Actor, refusal } from '../actor.ts';
import { keyLook } from '../audit/look-at.ts';
import { notingRefusal } from '../audit/noting-refusal.ts';
import { makeChange } from '../make-change.ts';
import { requireRoom } from '../require-room.ts';
import type { UsesToChange } from '../services.ts';
import { chooseWorkspace } from '../workspaces/choose-workspace.ts';
import { type KeyWithSpend, withSpend } from './key-with-spend.ts';
import { newKey } from './new-key.ts';
import { requireFittingSettings } from './require-fitting-settings.ts';

/** What a new key is to be. */
export interface NewKey
  extends Pick<ApiKey, 'name' | 'kind'>,
    Partial<KeySettings>,
    Partial<
      Pick<
        ApiKey,
        'limit' | 'limitReset' | 'includeByokInLimit' | 'expiresAt' | 'creatorUserId' | 'externalUser'
      >
    > {
  /** The operator names an account by its id. */
  readonly account?: string;
  /** The default workspace where none is named. A management key has none. */
  readonly workspace?: string;
  /** SHA-256 of a partner's own key for the same user. */
  readonly externalKeyHash?: string | null;
}

/** A new key with its raw form, which is stored nowhere. */
export interface CreatedKey extends KeyWithSpend {
  readonly raw: string;
}

/**
 * Creates a key.
 * @throws HeadgateError `permission_denied` when a key asks for a management key, which operators issue;
 *   `invalid_request` for a creator outside an organization, or for a workspace the account does not have.
 */
export async function createKey(
  actor: Actor,
  input: NewKey,
  services: CreateKeyServices,
): Promise<CreatedKey> {
  const attempt = { actor, action: 'key.create' } as const;
  return notingRefusal(attempt, services, () => create(actor, input, services));
}

type CreateKeyServices = UsesToChange<'accounts' | 'workspaces' | 'keys' | 'ledger', 'stored'>;

async function create(actor: Actor, input: NewKey, services: CreateKeyServices): Promise<CreatedKey> {
  const { account: named, workspace, externalKeyHash, ...members } = input;
  if (actor.kind === 'key' && input.kind === 'management') {
    throw new HeadgateError('permission_denied', 'Management keys are created at the command line.');
  }
  requireFittingSettings(actor, input.kind, input);
  const account = await accountOf(actor, named, services);
  if (input.creatorUserId != null && account.kind !== 'organization') {
    const fault = 'only keys of an organization have a creator';
    throw refusal(actor, malformed('creator_user_id', fault), fault);
  }
  const raw = createRawKey();
  const key = newKey(raw, {
    ...members,
    accountId: account.id,
    workspaceId:
      input.kind === 'management' ? null : await chooseWorkspace(actor, account, workspace, services),
    createdAt: services.clock.now(),
  });
  const { hash: id, accountId, workspaceId } = key;
  await makeChange(
    { actor, action: 'key.create', id, accountId, workspaceId, look: keyLook(id) },
    services,
    async ({ keys }) => {
      if (workspaceId !== null)
        await requireKeyRoom(actor, { accountId, workspaceId }, keys, services.stored.keys);
      return keys.create(key, externalKeyHash);
    },
  );
  return { ...(await withSpend(key, services)), raw };
}

async function requireKeyRoom(
  actor: Actor,
  place: { readonly accountId: string; readonly workspaceId: string },
  keys: Pick<KeyStore, 'list'>,
  most: number,
): Promise<void> {
  // One key further than there may be: a page of one costs less than to count them.
  const last = await keys.list({ ...place, includeDisabled: true, limit: 1, offset: most - 1 });
  requireRoom(actor, { have: last.length > 0 ? most : 0, most }, 'A workspace', 'keys; delete one');
}
