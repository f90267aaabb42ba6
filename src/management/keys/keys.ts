import { hash as digest } from 'node:crypto';
import { createRawKey, hashKey, keyLabel, longestKey } from '../../core/api-key.ts';
import { HeadgateError } from '../../core/errors.ts';
import { hasOwnThings } from '../../core/roles.ts';
import { acceptsSecret, type KeySecret, mostSecrets } from '../../ports/key-secrets.ts';
import {
  type ApiKey,
  type KeyChange,
  type KeySettings,
  type KeyStore,
  type KnownKey,
  plainKeySettings,
} from '../../ports/keys.ts';
import type { KeyUse } from '../../ports/usage.ts';
import { malformed } from '../../schema/fault.ts';
import { listsAddress } from '../../util/address-list.ts';
import { isoTime } from '../../util/iso-time.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import { inBatches } from '../../waiting/in-batches.ts';
import { accountOf } from '../accounts/account-of.ts';
import { type Actor, type OperatorActor, refusal } from '../actor.ts';
import { keyLook } from '../audit/looks.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { changedSecret, makeChange, requireRoom } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { chooseWorkspace } from '../workspaces/workspaces.ts';
import { creatorOf, mayReachKey, ownKeysAlone, requireOwnDecision } from './own-keys.ts';
import { type KeyWithSpend, withSpend } from './show.ts';

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
 * @throws HeadgateError `permission_denied` when a key asks for a management key, which operators issue, or an editor
 *   for a key of another person; `invalid_request` for a creator outside an organization, or for a workspace the account
 *   does not have.
 */
export async function createKey(
  actor: Actor,
  input: NewKey,
  services: CreateKeyServices,
): Promise<CreatedKey> {
  const attempt = { actor, action: 'key.create' } as const;
  return notingRefusal(attempt, services, () => create(actor, input, services));
}

type CreateKeyServices = UsesToChange<'accounts' | 'workspaces' | 'keys' | 'ledger' | 'members', 'stored'>;

async function create(actor: Actor, input: NewKey, services: CreateKeyServices): Promise<CreatedKey> {
  const { account: named, workspace, externalKeyHash, ...members } = input;
  if (actor.kind === 'key' && input.kind === 'management') {
    throw new HeadgateError('permission_denied', 'Management keys are created at the command line.');
  }
  const creatorUserId = creatorOf(actor, input.creatorUserId ?? null);
  requireFittingSettings(actor, { kind: input.kind, creatorUserId }, input);
  const account = await accountOf(actor, named, services);
  if (creatorUserId !== null && account.kind !== 'organization') {
    const fault = 'only keys of an organization have a creator';
    throw refusal(actor, malformed('creator_user_id', fault), fault);
  }
  if (input.kind === 'management' && creatorUserId !== null) {
    await requireMember(account.id, creatorUserId, services);
  }
  const raw = createRawKey();
  const key = newKey(raw, {
    ...members,
    creatorUserId,
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

/** @throws HeadgateError `invalid_request` for a user who is no member of the account. */
async function requireMember(accountId: string, userId: string, { storage }: Uses<'members'>): Promise<void> {
  if ((await storage.members.find(accountId, userId)) !== undefined) return;
  throw new HeadgateError('invalid_request', `"${userId}" is no member; see "headgate members list"`);
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

/** A key and what of it changes; what is absent stays. `change` is read once the key was found. */
interface ChangedKey {
  /** For the operator the beginning of a hash is enough. */
  readonly hash: string;
  readonly change: KeyChange;
  /** Confirms a change after which the actor's own key is refused. */
  readonly force?: boolean;
}

/**
 * Changes a key. Effective at once in this process, within seconds in others.
 * @throws HeadgateError like `findKey`; `invalid_request` when the actor would lock itself out and does not confirm it.
 */
export async function changeKey(
  actor: Actor,
  input: ChangedKey,
  services: UsesToChange<'keys' | 'ledger'>,
): Promise<KeyWithSpend> {
  const action = 'key.update';
  return notingRefusal({ actor, action, id: input.hash }, services, async () => {
    const found = await findKey(actor, input.hash, services);
    const { hash: id, accountId, workspaceId } = found;
    const { change, force } = input;
    requireOwnDecision(found, Object.keys(change));
    requireFittingSettings(actor, found, change);
    if (force !== true && locksOut(actor, id, change)) {
      throw malformed('force', 'must be true for a change after which this very key is refused');
    }
    const outdates = { kind: 'callers', keyHash: id } as const;
    const changed = await makeChange(
      { actor, action, id, accountId, workspaceId, look: keyLook(id), outdates },
      services,
      async ({ keys }) => {
        const key = await keys.update(id, change, services.clock.now());
        // Deleted since it was found.
        if (key === undefined) throw noSuchKey(actor, input.hash);
        return key;
      },
    );
    return withSpend(changed, services);
  });
}

/** Whether the actor's own key is refused after a change of the key with this hash. */
function locksOut(actor: Actor, hash: string, { disabled, allowedIps = null }: KeyChange): boolean {
  if (actor.kind === 'operator' || actor.keyHash !== hash) return false;
  return disabled === true || (allowedIps !== null && !listsAddress(allowedIps, actor.address));
}

/** Deletes a key for good and returns what it was. Refuses like `findKey`. */
export async function deleteKey(actor: Actor, hash: string, services: UsesToChange<'keys'>): Promise<ApiKey> {
  const action = 'key.delete';
  return notingRefusal({ actor, action, id: hash }, services, async () => {
    const before = await findKey(actor, hash, services);
    requireOwnDecision(before, undefined);
    const { hash: id, accountId, workspaceId } = before;
    const outdates = { kind: 'callers', keyHash: id } as const;
    await makeChange(
      { actor, action, id, accountId, workspaceId, look: keyLook(id), outdates },
      services,
      async ({ keys }) => {
        if (!(await keys.delete(id, services.clock.now()))) throw noSuchKey(actor, hash);
      },
    );
    return before;
  });
}

/** How long earlier secrets work after a rotation where nobody says it, in milliseconds. */
export const usualGrace = 24 * 3_600_000;

/** The longest such time. */
const longestGrace = 7 * 24 * 3_600_000;

/** Which key gets a new secret. */
interface KeyToRotate {
  /** For the operator the beginning of a hash is enough. */
  readonly hash: string;
  /** Milliseconds for which earlier secrets work on, from 0 to `longestGrace`. */
  readonly grace?: number;
  /** A word of the caller's own: a second rotation with the same one is refused. */
  readonly idempotencyKey?: string;
}

/** A key with its new secret, and what that replaces. */
interface RotatedKey extends CreatedKey {
  readonly replaces: { readonly label: string; readonly endsAt: number };
}

/**
 * Gives a key a new secret. Everything else stays: its hash, what it spent, its limit, guardrails and settings
 * (docs/spec/accounts.md#rotation).
 * @throws HeadgateError like `findKey`; `invalid_request` for a grace time that is too long or a key with too many
 *   secrets; `unprocessable` for an idempotency key that was used.
 */
export async function rotateKey(
  actor: Actor,
  input: KeyToRotate,
  services: UsesToChange<'keys' | 'ledger'>,
): Promise<RotatedKey> {
  const action = 'key.rotate';
  const { hash: asked, grace = usualGrace, idempotencyKey } = input;
  return notingRefusal({ actor, action, id: asked }, services, async () => {
    if (grace > longestGrace) {
      const fault = 'must be at most 168h (7 days)';
      throw refusal(actor, malformed('grace', fault), `--grace ${fault}`);
    }
    const found = await findKey(actor, asked, services);
    requireOwnDecision(found, undefined);
    const { hash: id, accountId, workspaceId } = found;
    const raw = createRawKey();
    const fresh = freshSecret(raw, services.clock.now(), idempotencyKey);
    const endsAt = fresh.createdAt + grace;
    const { before, key } = await makeChange(
      {
        actor,
        action,
        id,
        accountId,
        workspaceId,
        look: keyLook(id),
        after: () => ({ secret: changedSecret }),
        outdates: { kind: 'callers', keyHash: id },
      },
      services,
      async ({ keys }) => {
        const before = (await keys.findWithAccount(id))?.key;
        if (before !== undefined) requireRotatable(before, fresh, grace);
        const key = await keys.rotate(id, { fresh, endsAt });
        // Deleted since it was found.
        if (before === undefined || key === undefined) throw noSuchKey(actor, asked);
        return { before, key };
      },
    );
    return { ...(await withSpend(key, services)), raw, replaces: { label: before.label, endsAt } };
  });
}

function freshSecret(raw: string, createdAt: number, idempotencyKey: string | undefined): KeySecret {
  return {
    hash: hashKey(raw),
    label: keyLabel(raw),
    createdAt,
    endsAt: null,
    ...(idempotencyKey !== undefined && { requestHash: digest('sha256', idempotencyKey, 'hex') }),
  };
}

function requireRotatable({ secrets = [] }: ApiKey, fresh: KeySecret, grace: number): void {
  const earlier = secrets.find(
    ({ requestHash }) => requestHash !== undefined && requestHash === fresh.requestHash,
  );
  if (earlier !== undefined) {
    throw new HeadgateError(
      'unprocessable',
      `This rotation was made already, at ${isoTime(earlier.createdAt)}. Its secret was in that answer and is not shown again: rotate with another Idempotency-Key for a new one.`,
    );
  }
  const working = secrets.filter(({ endsAt }) => endsAt === null || endsAt > fresh.createdAt);
  if (grace === 0 || working.length < mostSecrets) return;
  throw new HeadgateError(
    'invalid_request',
    `${mostSecrets} secrets of this key work at the same time. Wait for one to end, or rotate with a grace time of 0s, which ends all earlier ones.`,
  );
}

/** Keys on a page. */
const pageLength = 100;
const mostListed = 100_000;

/** Which inference keys of an account to list. */
interface KeyPage {
  /** The default workspace where none is named. */
  readonly workspace: string | undefined;
  readonly includeDisabled: boolean;
  readonly offset: number;
}

/**
 * Lists the inference keys of a workspace that the actor may see, newest first, a hundred at a time. Refuses like
 * `chooseWorkspace`.
 */
export async function listKeys(
  actor: Actor,
  input: KeyPage,
  services: Uses<'accounts' | 'workspaces' | 'keys' | 'ledger', 'clock'>,
): Promise<readonly KeyWithSpend[]> {
  const account = await accountOf(actor, undefined, services);
  const keys = await services.storage.keys.list({
    accountId: account.id,
    workspaceId: await chooseWorkspace(actor, account, input.workspace, services),
    includeDisabled: input.includeDisabled,
    ...ownKeysAlone(actor),
    offset: input.offset,
    limit: pageLength,
  });
  return Promise.all(keys.map((key) => withSpend(key, services)));
}

/** Keys of several accounts. */
interface KeysOfAccounts {
  readonly keys: readonly KeyWithSpend[];
  /** Names of all accounts by id. */
  readonly accountNames: ReadonlyMap<string, string>;
}

/**
 * Lists keys of every kind and workspace, newest first.
 * @param input.account Of this account alone. Refuses like `accountOf`.
 */
export async function listAllKeys(
  actor: OperatorActor,
  input: { readonly account: string | undefined },
  services: Uses<'accounts' | 'keys' | 'ledger', 'clock'>,
): Promise<KeysOfAccounts> {
  const only = input.account === undefined ? undefined : await accountOf(actor, input.account, services);
  const keys = await services.storage.keys.listByPrefix('', mostListed);
  const asked = only === undefined ? keys : keys.filter(({ accountId }) => accountId === only.id);
  const accounts = await services.storage.accounts.list();
  return {
    keys: await inBatches(asked, (key) => withSpend(key, services)),
    accountNames: new Map(accounts.map(({ id, name }) => [id, name])),
  };
}

const mostMatches = 100_000;

/**
 * The key with a hash, among those the actor may see: a key sees the inference keys of its account, since management
 * keys are issued by the operator (docs/spec/accounts.md#management-keys), and an editor those of its own person. The operator sees all and may give the
 * beginning of a hash. The hash of a later secret leads to its key.
 * @throws HeadgateError `not_found`; `invalid_request` when several hashes begin so.
 */
export async function findKey(actor: Actor, hash: string, { storage }: Uses<'keys'>): Promise<ApiKey> {
  if (actor.kind === 'key') {
    const found = await storage.keys.findWithAccount((await storage.keys.keyOfSecret(hash)) ?? hash);
    if (found !== undefined && mayReachKey(actor, found.key)) return found.key;
    throw noSuchKey(actor, hash);
  }
  const prefix = (await storage.keys.keyOfSecret(hash)) ?? hash;
  const [key, ...others] = await storage.keys.listByPrefix(prefix, mostMatches);
  if (key === undefined) throw noSuchKey(actor, hash);
  if (others.length === 0) return key;
  throw new HeadgateError(
    'invalid_request',
    `"${hash}" is the beginning of ${others.length + 1} hashes; give more characters of it`,
  );
}

/** Shows a key with what was charged to it. Refuses like `findKey`. */
export async function readKey(
  actor: Actor,
  hash: string,
  services: Uses<'keys' | 'ledger', 'clock'>,
): Promise<KeyWithSpend> {
  return withSpend(await findKey(actor, hash, services), services);
}

/** The refusal of a hash no key has that the actor may see. */
export function noSuchKey(actor: Actor, hash: string): HeadgateError {
  return refusal(
    actor,
    new HeadgateError('not_found', 'There is no such key in this account.'),
    `no key has a hash that begins with "${hash}"; see "headgate keys list"`,
  );
}

/** The record of a raw key. Without limits; `members` replace the defaults. */
export function newKey(
  raw: string,
  members: Pick<ApiKey, 'accountId' | 'kind' | 'name' | 'workspaceId' | 'createdAt'> & Partial<ApiKey>,
): ApiKey {
  return {
    ...plainKeySettings,
    hash: hashKey(raw),
    label: keyLabel(raw),
    disabled: false,
    limit: null,
    limitReset: null,
    includeByokInLimit: false,
    expiresAt: null,
    creatorUserId: null,
    externalUser: null,
    updatedAt: null,
    ...members,
  };
}

/** A key as somebody typed it, and the SHA-256 of that. */
interface TypedKey extends KnownKey {
  readonly secretHash: string;
}

/** The key that a raw secret opens; undefined when there is none, or the secret works no more. */
export async function findBySecret(
  raw: string,
  { storage, clock }: Uses<'keys', 'clock'>,
): Promise<TypedKey | undefined> {
  if (raw.length > longestKey) return undefined;
  const secretHash = hashKey(raw.trim());
  const keyHash = (await storage.keys.keyOfSecret(secretHash)) ?? secretHash;
  const known = await storage.keys.findWithAccount(keyHash);
  if (known === undefined || !acceptsSecret(known.key, secretHash, clock.now())) return undefined;
  return { ...known, secretHash };
}

const days = 90;
/** Keys that are looked at; each has a day, and a quarter of an hour if it was used lately. */
const mostKeys = 10_000;

/** When the keys of an account were last used. */
interface LastUses {
  /** Since when was looked, Unix milliseconds. */
  readonly since: number;
  /** One for each key that was used since, the last used ones first. */
  readonly uses: readonly KeyUse[];
}

/** Reads when the keys of the actor's account were last used (docs/spec/dashboard.md#lists). */
export async function lastUses(
  actor: Actor,
  { storage, clock }: Uses<'accounts' | 'usage', 'clock'>,
): Promise<LastUses> {
  const { id } = await accountOf(actor, undefined, { storage });
  const today = utcDay(clock.now());
  const since = (today - days + 1) * dayLength;
  const found = await storage.usage.lastUses(id, since, (today - 1) * dayLength, 2 * mostKeys);
  const uses = new Map<string, KeyUse>();
  // Days come first, so that a quarter of an hour replaces its day.
  for (const use of found) uses.set(use.keyHash, use);
  return { since, uses: [...uses.values()].toSorted((one, other) => other.start - one.start) };
}

/**
 * Checks that settings have an effect on a key of this kind.
 * @throws HeadgateError `invalid_request` for scopes or a role of an inference key, for models of a management key, and for
 *   an editor that acts for no member.
 */
function requireFittingSettings(
  actor: Actor,
  { kind, creatorUserId }: Pick<ApiKey, 'kind' | 'creatorUserId'>,
  { allowedModels = null, scopes = null, role = null, contentLogging = 'inherit' }: Partial<KeySettings>,
): void {
  if (kind === 'inference' && role !== null) throw refuse(actor, 'role', 'only management keys have a role');
  if (role !== null && hasOwnThings(role) && creatorUserId === null) {
    throw refuse(actor, 'role', `the role "${role}" acts for a member: create the key with --member <id>`);
  }
  if (kind === 'inference' && scopes !== null)
    throw refuse(actor, 'scopes', 'only management keys have scopes');
  if (kind === 'management' && allowedModels !== null) {
    throw refuse(actor, 'allowed_models', 'management keys cannot run inference');
  }
  if (kind === 'management' && contentLogging !== 'inherit') {
    throw refuse(actor, 'content_logging', 'management keys cannot run inference');
  }
}

function refuse(actor: Actor, field: string, fault: string): HeadgateError {
  return refusal(actor, malformed(field, fault), fault);
}
