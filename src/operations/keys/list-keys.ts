import { inBatches } from '../../util/in-batches.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor, OperatorActor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { chooseWorkspace } from '../workspaces/choose-workspace.ts';
import { type KeyWithSpend, withSpend } from './key-with-spend.ts';

/** Keys on a page. */
const pageLength = 100;
const mostListed = 100_000;

/** Which inference keys of an account to list. */
export interface KeyPage {
  /** The default workspace where none is named. */
  readonly workspace: string | undefined;
  readonly includeDisabled: boolean;
  readonly offset: number;
}

/** Lists the inference keys of a workspace, newest first, a hundred at a time. Refuses like `chooseWorkspace`. */
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
    offset: input.offset,
    limit: pageLength,
  });
  return Promise.all(keys.map((key) => withSpend(key, services)));
}

/** Keys of several accounts. */
export interface KeysOfAccounts {
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
