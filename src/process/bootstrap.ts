import type { Config } from '../config/config.ts';
import { createRawKey, hashKey } from '../core/api-key.ts';
import { newAccount } from '../management/accounts/accounts.ts';
import { system } from '../management/actor.ts';
import { accountLook, keyLook } from '../management/audit/looks.ts';
import { newKey } from '../management/keys/keys.ts';
import { type ChangeServices, makeChange } from '../management/make-change.ts';
import type { Account, BillingMode } from '../ports/accounts.ts';
import type { Clock } from '../ports/clock.ts';
import type { ApiKey } from '../ports/keys.ts';
import type { Storage } from '../ports/storage.ts';
import type { Secret } from '../util/secret.ts';
import { shellLine } from '../util/shell-line.ts';

/** What the first start created; the raw keys are stored nowhere else. */
export interface Bootstrap {
  readonly accountId: string;
  /** The account's billing mode: one created on the command line before may differ from the configuration. */
  readonly billingMode: BillingMode;
  readonly managementKey: string;
  readonly inferenceKey: string;
}

/**
 * Prepares an empty database: creates an account with its default workspace, a management key and an inference key,
 * from the configuration or new ones (docs/spec/accounts.md#bootstrap). Returns undefined without any change when a
 * management key was ever stored. `keep` receives the keys before they are stored; if it fails, none is stored.
 */
export async function bootstrap(
  storage: Storage,
  config: Pick<Config, 'bootstrap'>,
  clock: Clock,
  keep: (first: Bootstrap) => Promise<void> = async () => undefined,
): Promise<Bootstrap | undefined> {
  if (await storage.keys.hasManagementKey()) return undefined;
  // Processes that start together for the first time must not each create keys.
  return storage.alone(async () => {
    if (await storage.keys.hasManagementKey()) return undefined;
    return makeFirst({ storage, clock, invalidate: () => {} }, config, keep);
  });
}

/** What the first start needs to store something. */
type FirstServices = ChangeServices & { readonly storage: Storage };

async function makeFirst(
  services: FirstServices,
  config: Pick<Config, 'bootstrap'>,
  keep: (first: Bootstrap) => Promise<void>,
): Promise<Bootstrap> {
  const { storage, clock } = services;
  const now = clock.now();
  const { managementKey, apiKey, billingMode } = config.bootstrap;
  const account = await ownerOf(services, billingMode, now);
  const owner = { accountId: account.id, createdAt: now };
  const inference = rawKey(apiKey);
  const management = rawKey(managementKey);
  const first = {
    accountId: account.id,
    billingMode: account.billingMode,
    managementKey: management,
    inferenceKey: inference,
  };
  await keep(first);
  // A start that was interrupted has already stored a configured key.
  if ((await storage.keys.findWithAccount(hashKey(inference))) === undefined) {
    const workspaceId = account.defaultWorkspaceId;
    await storeKey(
      newKey(inference, { ...owner, kind: 'inference', name: 'First key', workspaceId }),
      services,
    );
  }
  // Last, because its presence marks the first start as complete.
  await storeKey(
    newKey(management, { ...owner, kind: 'management', name: 'First management key', workspaceId: null }),
    services,
  );
  return first;
}

/** The account of the first keys: one created on the command line before, or a new one. */
async function ownerOf(services: FirstServices, billingMode: BillingMode, now: number): Promise<Account> {
  const [existing] = await services.storage.accounts.list();
  if (existing !== undefined) return existing;
  const account = newAccount('Default', billingMode, now);
  const { id } = account;
  await makeChange(
    { actor: system, action: 'account.create', id, accountId: id, look: accountLook(id) },
    services,
    ({ accounts }) => accounts.create(account),
  );
  return account;
}

async function storeKey(key: ApiKey, services: FirstServices): Promise<void> {
  const { hash: id, accountId, workspaceId } = key;
  await makeChange(
    { actor: system, action: 'key.create', id, accountId, workspaceId, look: keyLook(id) },
    services,
    ({ keys }) => keys.create(key),
  );
}

function rawKey(given: Secret | undefined): string {
  return given?.reveal() ?? createRawKey();
}

/** The contents of the text of the first start. */
export interface FirstStart {
  readonly managementKey: string;
  readonly inferenceKey: string;
  /** The listener's address, such as `http://127.0.0.1:8484`. */
  readonly url: string;
  /** Display names of the enabled providers. */
  readonly providers: readonly string[];
  readonly billingMode: BillingMode;
  /** The address that logs in to the dashboard once; undefined where there is no dashboard. */
  readonly link?: string | undefined;
}

/**
 * The text printed once, to the terminal only, after the first start on an empty database
 * (docs/spec/operations.md#first-start).
 */
export function firstStartText(start: FirstStart): string {
  const { managementKey, inferenceKey, url, providers, billingMode, link } = start;
  const headers = [`Authorization: Bearer ${inferenceKey}`, 'Content-Type: application/json'];
  const body = JSON.stringify({ model: 'sandbox/echo', input: 'Hello' });
  const curl = [
    'curl',
    `${url}/api/v1/responses`,
    ...headers.flatMap((header) => ['-H', header]),
    '-d',
    body,
  ];
  const only = providers.length === 1 && providers[0] === 'Sandbox';
  const hint = only ? ' (set the key variable of a provider and start again for more)' : '';
  const billing = billingMode === 'invoice' ? 'invoice: nothing is refused for lack of credits' : billingMode;
  return `
Headgate is ready. These keys are shown only this once:

  Management key  ${managementKey}
  API key         ${inferenceKey}

  Base URL        ${url}/api/v1
  Providers       ${providers.join(', ')}${hint}
  Billing mode    ${billing}
${link === undefined ? '' : `\n  Dashboard       ${link}\n                  (logs you in once, within 15 minutes; later log in with the management key)\n`}
Try it:

  ${shellLine(curl)}

`;
}
