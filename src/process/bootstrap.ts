import type { Config } from '../config/config.ts';
import { createRawKey, hashKey } from '../core/api-key.ts';
import { newAccount } from '../operations/accounts/new-account.ts';
import { newKey } from '../operations/keys/new-key.ts';
import type { Account, BillingMode } from '../ports/accounts.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import type { Secret } from '../util/secret.ts';
import { shellLine } from '../util/shell-line.ts';

/** What the first start made; the raw keys are nowhere else. */
export interface Bootstrap {
  readonly accountId: string;
  /** How that account pays: one made on the command line before may pay otherwise than the configuration says. */
  readonly billingMode: BillingMode;
  readonly managementKey: string;
  readonly inferenceKey: string;
}

/**
 * Prepares an empty database: an account with its default workspace, a management key and an inference
 * key, from the configuration or new ones (accounts-and-limits 14.1). Undefined, with nothing done, when
 * any management key was ever stored. `keep` is given the keys before they are stored: when it fails none are.
 */
export async function bootstrap(
  storage: Storage,
  config: Pick<Config, 'bootstrap'>,
  clock: Clock,
  keep: (first: Bootstrap) => Promise<void> = async () => undefined,
): Promise<Bootstrap | undefined> {
  if (await storage.keys.hasManagementKey()) return undefined;
  // Processes that start together for the first time must not each make keys.
  return storage.alone(async () => {
    if (await storage.keys.hasManagementKey()) return undefined;
    return makeFirst(storage, config, clock.now(), keep);
  });
}

async function makeFirst(
  storage: Storage,
  config: Pick<Config, 'bootstrap'>,
  now: number,
  keep: (first: Bootstrap) => Promise<void>,
): Promise<Bootstrap> {
  const { managementKey, apiKey, billingMode } = config.bootstrap;
  const account = await ownerOf(storage, billingMode, now);
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
  // A start that broke off half way has stored a configured key already.
  if ((await storage.keys.findWithAccount(hashKey(inference))) === undefined) {
    const workspaceId = account.defaultWorkspaceId;
    await storage.keys.create(
      newKey(inference, { ...owner, kind: 'inference', name: 'First key', workspaceId }),
    );
  }
  // Last, because its presence is what says that the first start is over.
  await storage.keys.create(
    newKey(management, { ...owner, kind: 'management', name: 'First management key', workspaceId: null }),
  );
  return first;
}

/** The account the first keys belong to: one made on the command line before, or a new one. */
async function ownerOf(storage: Storage, billingMode: BillingMode, now: number): Promise<Account> {
  const [existing] = await storage.accounts.list();
  if (existing !== undefined) return existing;
  const account = newAccount('Default', billingMode, now);
  await storage.accounts.create(account);
  return account;
}

function rawKey(given: Secret | undefined): string {
  return given?.reveal() ?? createRawKey();
}

/** What the text of the first start tells. */
export interface FirstStart {
  readonly managementKey: string;
  readonly inferenceKey: string;
  /** The listener's address, such as `http://127.0.0.1:8484`. */
  readonly url: string;
  /** Display names of the providers in service. */
  readonly providers: readonly string[];
  readonly billingMode: BillingMode;
}

/** The text printed once, to the terminal only, after the first start on an empty database (operations.md 1.2). */
export function firstStartText(start: FirstStart): string {
  const { managementKey, inferenceKey, url, providers, billingMode } = start;
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
  Dashboard       ${url}/
  Providers       ${providers.join(', ')}${hint}
  Billing mode    ${billing}

Try it:

  ${shellLine(curl)}

`;
}
