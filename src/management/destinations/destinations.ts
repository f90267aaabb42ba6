import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import type { TextScanner } from '../../guardrails/content-scanner.ts';
import type { SealedSecret } from '../../ports/credentials.ts';
import type {
  Destination,
  DestinationChange,
  DestinationDesk,
  DestinationSettings,
  OpenDestination,
} from '../../ports/destinations.ts';
import type { JsonObject } from '../../util/json.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import { destinationLook } from '../audit/looks.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { requireOwnKeys } from '../credentials/rules.ts';
import { changedSecret, makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { chooseWorkspace } from '../workspaces/workspaces.ts';
import { type ReadConfig, readConfig, readFilterRules, type WrittenRules } from './rules.ts';

/** What the installation says of destinations. */
export interface DestinationTerms {
  readonly enabled: boolean;
  /** Of one type in a workspace. */
  readonly perType: number;
  readonly scanner: TextScanner;
}

/** What of a destination is written; what is absent stays, or is as usual. */
export interface WrittenDestination extends Partial<Omit<DestinationSettings, 'filterRules'>> {
  readonly config?: JsonObject | undefined;
  readonly rules?: WrittenRules | null | undefined;
}

type SaveServices = UsesToChange<'accounts' | 'workspaces' | 'keys' | 'destinations', 'destinationDesk'>;

/**
 * Creates a destination, once a test of it was passed. Its config shows a secret whole that was made for it.
 * @throws HeadgateError `invalid_request` for a config that cannot be, and where the test failed; `conflict` for one too many.
 */
export function createDestination(
  actor: Actor,
  input: WrittenDestination & { readonly type: string; readonly name: string; readonly workspace?: string },
  terms: DestinationTerms,
  services: SaveServices,
): Promise<Destination> {
  const action = 'destination.create';
  return notingRefusal({ actor, action }, services, async () => {
    requireEnabled(terms);
    const account = await accountOf(actor, undefined, services);
    const workspaceId = await chooseWorkspace(actor, account, input.workspace, services);
    const { type, config = {}, rules = null } = input;
    const read = readConfig(type, config);
    await requireOwnKeys(input.keyHashes ?? null, account.id, services, 'api_key_hashes');
    const filterRules = await readFilterRules(rules, terms.scanner, account.id);
    await requirePassed({ type, config: read.whole }, services.destinationDesk);
    const now = services.clock.now();
    const destination: Destination = {
      id: randomUUID(),
      accountId: account.id,
      workspaceId,
      type,
      ...settingsOf(input),
      name: input.name,
      filterRules,
      config: read.shown,
      createdAt: now,
      updatedAt: now,
    };
    const { id, accountId } = destination;
    const look = destinationLook(accountId, id);
    const change = { actor, action, id, accountId, workspaceId, look, outdates } as const;
    const stored = await services.destinationDesk.seal(read.whole, destination, (sealed) =>
      makeChange(change, services, async ({ destinations }) => {
        const created = await destinations.create(destination, sealed, terms.perType);
        if (created === undefined) throw tooMany(type, terms.perType);
        return created;
      }),
    );
    const isMade = type === 'webhook' && config.signingSecret === undefined;
    if (!isMade) return stored;
    return { ...stored, config: { ...stored.config, signingSecret: read.whole.signingSecret } };
  });
}

/**
 * Changes a destination. Where its config changes, or it is put into use, it is tested before.
 * @throws HeadgateError `not_found`, and as `createDestination` does.
 */
export function changeDestination(
  actor: Actor,
  input: WrittenDestination & { readonly id: string },
  terms: DestinationTerms,
  services: SaveServices,
): Promise<Destination> {
  const id = input.id.toLowerCase();
  const action = 'destination.update';
  return notingRefusal({ actor, action, id }, services, async () => {
    requireEnabled(terms);
    const before = await findDestination(actor, id, services);
    const { accountId, workspaceId, type } = before;
    const read = await changedConfig(before, input, services);
    await requireOwnKeys(newHashes(input, before), accountId, services, 'api_key_hashes');
    const filterRules =
      input.rules === undefined ? undefined : await readFilterRules(input.rules, terms.scanner, accountId);
    const isPutIntoUse = input.enabled === true;
    if (read !== undefined || isPutIntoUse) {
      const config = read?.whole ?? (await services.destinationDesk.open(before));
      await requirePassed({ type, config }, services.destinationDesk);
    }
    const { config: _config, rules: _rules, id: _id, ...settings } = input;
    const change: DestinationChange = {
      ...settings,
      ...(filterRules !== undefined && { filterRules }),
      ...(read !== undefined && { config: read.shown }),
    };
    const look = destinationLook(accountId, id);
    const after = read === undefined ? {} : { after: () => ({ config: changedSecret }) };
    const store = (sealed?: SealedSecret) =>
      makeChange(
        { actor, action, id, accountId, workspaceId, look, outdates, ...after },
        services,
        async ({ destinations }) => {
          const changed = await destinations.update({ accountId, id }, change, services.clock.now(), sealed);
          if (changed === undefined) throw noSuchDestination();
          return changed;
        },
      );
    return read === undefined ? store() : services.destinationDesk.seal(read.whole, before, store);
  });
}

/** Deletes a destination and erases its config. What waits for it is dropped. @throws HeadgateError `not_found`. */
export function deleteDestination(
  actor: Actor,
  written: string,
  services: UsesToChange<'accounts' | 'destinations'>,
): Promise<Destination> {
  const id = written.toLowerCase();
  const action = 'destination.delete';
  return notingRefusal({ actor, action, id }, services, async () => {
    const before = await findDestination(actor, id, services);
    const { accountId, workspaceId } = before;
    const look = destinationLook(accountId, id);
    await makeChange(
      { actor, action, id, accountId, workspaceId, look, outdates },
      services,
      async ({ destinations }) => {
        if (!(await destinations.delete(accountId, id, services.clock.now()))) throw noSuchDestination();
      },
    );
    return before;
  });
}

/** A page of destinations of a workspace, or of all of the account. */
export async function listDestinations(
  actor: Actor,
  query: { readonly workspace?: string | undefined; readonly offset: number; readonly limit: number },
  services: Uses<'accounts' | 'workspaces' | 'destinations'>,
) {
  const account = await accountOf(actor, undefined, services);
  const { workspace, offset, limit } = query;
  const workspaceId =
    workspace === undefined ? undefined : await chooseWorkspace(actor, account, workspace, services);
  return services.storage.destinations.list({ accountId: account.id, workspaceId, offset, limit });
}

/** A destination of the account. @throws HeadgateError `not_found`. */
export async function findDestination(
  actor: Actor,
  id: string,
  services: Uses<'accounts' | 'destinations'>,
): Promise<Destination> {
  const { id: accountId } = await accountOf(actor, undefined, services);
  const found = await services.storage.destinations.find(accountId, id.toLowerCase());
  if (found === undefined) throw noSuchDestination();
  return found;
}

const outdates = { kind: 'destinations' } as const;

function settingsOf(input: WrittenDestination): Omit<DestinationSettings, 'name' | 'filterRules'> {
  return {
    enabled: input.enabled ?? true,
    keyHashes: input.keyHashes ?? null,
    samplingRate: input.samplingRate ?? 1,
    privacyMode: input.privacyMode ?? false,
    sendsCost: input.sendsCost ?? false,
    sendsIdentity: input.sendsIdentity ?? false,
    sendsContext: input.sendsContext ?? false,
  };
}

/** The config after a change; undefined where it stays. */
async function changedConfig(
  before: Destination,
  { config }: WrittenDestination,
  { destinationDesk }: SaveServices,
): Promise<ReadConfig | undefined> {
  if (config === undefined) return undefined;
  const whole = await destinationDesk.open(before);
  return readConfig(before.type, config, { whole, shown: before.config });
}

/** Hashes that are new in the list; keys of the others may be deleted by now. */
function newHashes({ keyHashes }: WrittenDestination, before: Destination): readonly string[] | null {
  const kept = new Set(before.keyHashes);
  return keyHashes?.filter((hash) => !kept.has(hash)) ?? null;
}

const reasons = {
  dns: 'its host was not found',
  refused: 'it took no connection',
  tls: 'its certificate is not trusted',
  timeout: 'it did not answer in time',
  blocked_address: 'its address is not allowed; only https on the public internet is',
  status: 'it did not accept the test',
} as const;

/** @throws HeadgateError `invalid_request` with a word for why, and nothing of what was answered. */
async function requirePassed(destination: OpenDestination, desk: DestinationDesk): Promise<void> {
  const failure = await desk.test(destination);
  if (failure === undefined) return;
  const { reason, status } = failure;
  const answered = status === undefined ? '' : ` (status ${status})`;
  throw new HeadgateError(
    'invalid_request',
    `The destination was not stored, for a test of it failed: ${reasons[reason]}${answered}.`,
    { metadata: { reason, ...(status !== undefined && { status }) } },
  );
}

function requireEnabled({ enabled }: DestinationTerms): void {
  if (enabled) return;
  throw new HeadgateError(
    'invalid_request',
    'Destinations are off here (observability.destinations.enabled in the configuration of the server).',
  );
}

function tooMany(type: string, most: number): HeadgateError {
  return new HeadgateError(
    'conflict',
    `A workspace may have at most ${most} destinations of the type ${type}; delete one.`,
  );
}

/** The refusal of an id that no destination of the account has. */
function noSuchDestination(): HeadgateError {
  return new HeadgateError('not_found', 'There is no such destination in this account.');
}
