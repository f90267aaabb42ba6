import { randomUUID } from 'node:crypto';
import { findProvider } from '../../catalogue/build-providers.ts';
import type { Provider } from '../../core/catalogue.ts';
import { HeadgateError } from '../../core/errors.ts';
import { createId } from '../../core/ids.ts';
import type { RateLimit } from '../../core/limits.ts';
import type { NanoUsd } from '../../core/money.ts';
import type { PluginDefaults } from '../../core/plugin-defaults.ts';
import type {
  Account,
  AccountChange,
  AccountPlace,
  AccountPrivacy,
  BillingMode,
} from '../../ports/accounts.ts';
import type { KeyRates } from '../../ports/keys.ts';
import type { Balance } from '../../ports/ledger.ts';
import { isoTime } from '../../util/iso-time.ts';
import { inBatches } from '../../waiting/in-batches.ts';
import type { Actor, OperatingActor, OperatorActor } from '../actor.ts';
import { accountLook } from '../audit/looks.ts';
import { notingRefusal } from '../audit/refusals.ts';
import { makeChange } from '../make-change.ts';
import type { Uses, UsesToChange } from '../services.ts';
import { accountOf, noSuchAccount } from './account-of.ts';

/** Creates an account with its default workspace. */
export async function createAccount(
  actor: OperatorActor,
  input: { readonly name: string; readonly billingMode: BillingMode; readonly kind: Account['kind'] },
  services: UsesToChange<'accounts'>,
): Promise<Account> {
  const account = newAccount(input.name, input.billingMode, services.clock.now(), input.kind);
  const { id } = account;
  await makeChange(
    { actor, action: 'account.create', id, accountId: id, look: accountLook(id) },
    services,
    ({ accounts }) => accounts.create(account),
  );
  return account;
}

/** The record of a new account with a workspace of its own; in an organization keys may have creators. */
export function newAccount(
  name: string,
  billingMode: BillingMode,
  now: number,
  kind: Account['kind'] = 'personal',
): Account {
  return {
    id: createId(kind === 'organization' ? 'org_' : 'user_'),
    name,
    kind,
    billingMode,
    freeLimitExempt: false,
    inflightExempt: false,
    zeroRetention: false,
    contentLogging: false,
    disabled: false,
    defaultWorkspaceId: randomUUID(),
    createdAt: now,
  };
}

/** What of an account changes; what is absent stays. Privacy settings and rates change one by one. */
interface ChangedAccount {
  readonly id: string;
  readonly change: Omit<AccountChange, 'privacy' | 'rates'>;
  readonly privacy: AccountPrivacy;
  /** Null takes away the limit of its own. */
  readonly rates?: Partial<KeyRates>;
}

/**
 * Changes an account.
 * @param providers Those in service, to check the lists of providers against.
 * @throws HeadgateError `not_found`; `invalid_request` for an unknown provider.
 */
export async function changeAccount(
  actor: OperatorActor,
  { id, change, privacy, rates = {} }: ChangedAccount,
  services: UsesToChange<'accounts'>,
  providers: ProvidersInService,
): Promise<Account> {
  return notingRefusal({ actor, action: accountUpdate, id }, services, async () => {
    checkProviders([...(privacy.allowedProviders ?? []), ...(privacy.ignoredProviders ?? [])], providers);
    const merged = (current: Account) => ({
      ...change,
      privacy: mergePrivacy(current.privacy, privacy),
      rates: mergeRates(current.rates, rates),
    });
    return storeAccountChange(actor, id, merged, services);
  });
}

/** The limits of an account after some were given, or undefined when none were. Null takes one away. */
function mergeRates(before: RateLimit | undefined, given: Partial<KeyRates>): RateLimit | undefined {
  if (Object.keys(given).length === 0) return undefined;
  const kept = Object.entries({ ...before, ...given }).filter(([, limit]) => limit != null);
  return Object.fromEntries(kept);
}

/** The privacy settings of an account after some were given, or undefined when none were. */
export function mergePrivacy(
  before: AccountPrivacy | undefined,
  given: AccountPrivacy,
): AccountPrivacy | undefined {
  if (Object.keys(given).length === 0) return undefined;
  // What restricts nothing is not kept.
  const kept = Object.entries({ ...before, ...given }).filter(([, value]) =>
    Array.isArray(value) ? value.length > 0 : value === true,
  );
  return Object.fromEntries(kept);
}

/** What every change of an account is recorded as. */
export const accountUpdate = 'account.update';

/**
 * Stores a change of an account with its audit entry. Its callers decide who may change what.
 * @throws HeadgateError `not_found`.
 */
export async function storeAccountChange(
  actor: Actor,
  id: string,
  change: (current: Account) => AccountChange,
  services: UsesToChange<'accounts'>,
): Promise<Account> {
  const look = accountLook(id);
  return makeChange(
    { actor, action: accountUpdate, id, accountId: id, look, outdates: { kind: 'callers' } },
    services,
    async ({ accounts }) => {
      const changed = await accounts.update(id, change);
      if (changed === undefined) throw noSuchAccount(id);
      return changed;
    },
  );
}

/** The plugins that are to be on by default, all of them, for an account: the actor's own where none is named. */
interface GivenDefaults {
  readonly account?: string | undefined;
  readonly defaults: PluginDefaults;
}

/**
 * Replaces the plugins that are on by default for requests of an account (docs/spec/plugins.md#defaults).
 * @throws HeadgateError `not_found` for an account that the actor does not reach.
 */
export async function setPluginDefaults(
  actor: Actor,
  { account: named, defaults }: GivenDefaults,
  services: UsesToChange<'accounts'>,
): Promise<Account> {
  return notingRefusal({ actor, action: accountUpdate, id: named }, services, async () => {
    const { id } = await accountOf(actor, named, services);
    return storeAccountChange(actor, id, () => ({ pluginDefaults: defaults }), services);
  });
}

/** An account and its credits. */
interface AccountWithBalance {
  readonly account: Account;
  readonly balance: NanoUsd;
}

/** Lists all accounts, oldest first. */
export async function listAccounts(
  _actor: OperatorActor,
  { storage }: Uses<'accounts' | 'ledger'>,
): Promise<readonly AccountWithBalance[]> {
  return inBatches(await storage.accounts.list(), async (account) => ({
    account,
    balance: (await storage.ledger.balance(account.id)).balance,
  }));
}

/** An account with its money. */
interface AccountLine {
  readonly account: Account;
  readonly balance: Balance;
}

/** Some accounts, oldest first. */
export async function pageAccounts(
  _actor: OperatingActor,
  { cursor, limit }: { readonly cursor?: AccountPlace | undefined; readonly limit: number },
  { storage }: Uses<'accounts' | 'ledger'>,
): Promise<{ readonly accounts: readonly AccountLine[]; readonly next: AccountPlace | undefined }> {
  const found = await storage.accounts.page(cursor, limit + 1);
  const shown = found.slice(0, limit);
  const accounts = await Promise.all(
    shown.map(async (account) => ({ account, balance: await storage.ledger.balance(account.id) })),
  );
  return { accounts, next: found.length > limit ? shown.at(-1) : undefined };
}

/** An account of a list as JSON. */
export function showAccountLine({ account, balance: { balance, spentTotal } }: AccountLine) {
  const { id, name, kind, billingMode, disabled, createdAt } = account;
  return {
    id,
    name,
    kind,
    billing_mode: billingMode,
    disabled,
    balance_nano: String(balance),
    spent_nano: String(spentTotal),
    created_at: isoTime(createdAt),
  };
}

/** Providers in service by slug. */
type ProvidersInService = ReadonlyMap<string, Provider>;

/**
 * Checks the entries of a list of providers: names, slugs or tags, in lowercase. A wrong entry would exclude every
 * provider, or none.
 * @throws HeadgateError `invalid_request` for one that names no provider.
 */
export function checkProviders(entries: readonly string[], inService: ProvidersInService): void {
  const names = new Set([...inService.values()].map(({ name }) => name.toLowerCase()));
  for (const entry of entries) {
    if (names.has(entry) || findProvider(entry.split('/', 1)[0] ?? '', inService) !== undefined) continue;
    throw new HeadgateError(
      'invalid_request',
      `no provider "${entry}" is known; give slugs as in the keys of "providers"`,
    );
  }
}
