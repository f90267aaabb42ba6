import type { SpendCalendar } from '../core/limit-calendar.ts';
import type { Account } from '../ports/accounts.ts';
import type { CallerStore, ReadCallers, StoredCaller } from '../ports/callers.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import type { Generation } from '../ports/generations.ts';
import { acceptsSecret } from '../ports/key-secrets.ts';
import type { ApiKey, KeySpend } from '../ports/keys.ts';
import type { Balance } from '../ports/ledger.ts';
import type { RequestDefaults } from '../ports/workspaces.ts';
import type { ChargeWatch } from '../settlement/call-settlement.ts';
import type { Caller } from '../settlement/caller.ts';
import { AccountFunds, KeyTally } from '../settlement/key-tally.ts';
import { beginAll, SubjectTallies, type SubjectTally } from '../settlement/subject-tallies.ts';
import { LinkedMap } from '../util/linked-map.ts';

const refreshAfter = 1_000;
const expireAfter = 3_000;
const maxEntries = 20_000;
/** How long a refresh waits for others; what is known serves meanwhile. */
const refreshPatience = 50;

const none: readonly SubjectTally[] = [];

interface Entry {
  readonly tally: KeyTally;
  /** The subjects that its spending counts for besides the key, where budgets limit them. */
  subjects: readonly SubjectTally[];
  caller: Caller | undefined;
  /** When the books were asked, Unix milliseconds. */
  loadedAt: number;
  /** Of the readings that were taken in, the latest; counted over all entries. */
  answered: number;
  /** How often it was forgotten: what was read meanwhile may be out of date. */
  changes: number;
  loading: Loading | undefined;
}

/** One reading of the books. */
interface Loading {
  readonly startedAt: number;
  readonly caller: Promise<Caller | undefined>;
}

interface KnownAccount {
  readonly funds: AccountFunds;
  /** Entries that show it. */
  keys: number;
}

/**
 * Knows callers by the hash of their key without asking the database on every request. What another process
 * changed is known after at most 3 s, so a disabled key stops working well within the 5 s of
 * docs/spec/accounts.md#stale-keys. What this process charges is known at once, over all keys of an account.
 */
export class CallerDirectory implements ChargeWatch {
  readonly #stored: GatheredCallers;
  readonly #store: Pick<CallerStore, 'keyOfSecret'>;
  readonly #clock: Clock;
  readonly #entries = new LinkedMap<string, Entry>();
  readonly #accounts = new Map<string, KnownAccount>();
  readonly #calendar: SpendCalendar;
  readonly #subjects: SubjectTallies;
  /** The keys of later secrets. A secret never moves to another key, so this needs no refresh. */
  readonly #keysOfSecrets = new LinkedMap<string, string>();

  /** How often the books were asked. */
  #asked = 0;

  constructor(store: CallerStore, clock: Clock, patience = refreshPatience) {
    this.#stored = new GatheredCallers(store, clock, patience);
    this.#store = store;
    this.#calendar = store.calendar;
    this.#subjects = new SubjectTallies(store.calendar);
    this.#clock = clock;
  }

  /** The caller a key hash belongs to, or undefined; answers at once while it knows. */
  find(hash: string): Caller | undefined | Promise<Caller | undefined> {
    const entry = this.#entries.get(hash);
    if (entry === undefined) return this.#load(hash, this.#remember(hash));
    const age = this.#clock.now() - entry.loadedAt;
    // A clock set back makes ages negative; what was loaded in the future is loaded again.
    if (age > expireAfter || age < 0) return this.#load(hash, entry);
    // A refresh that fails is not an error yet: the entry still serves until it expires.
    if (age > refreshAfter) this.#load(hash, entry, false).catch(() => {});
    return entry.caller;
  }

  /** The caller that the secret of a hash belongs to, or undefined where it works no more. At once like `find`. */
  findBySecret(hash: string): Caller | undefined | Promise<Caller | undefined> {
    const keyHash = this.#keysOfSecrets.get(hash) ?? hash;
    const caller = this.find(keyHash);
    if (caller instanceof Promise) return caller.then((found) => this.#bySecret(hash, keyHash, found));
    return caller !== undefined && caller.key.secrets === undefined
      ? caller
      : this.#bySecret(hash, keyHash, caller);
  }

  #bySecret(
    hash: string,
    keyHash: string,
    caller: Caller | undefined,
  ): Caller | undefined | Promise<Caller | undefined> {
    if (caller !== undefined) return acceptsSecret(caller.key, hash, this.#clock.now()) ? caller : undefined;
    const known = this.#keysOfSecrets.get(hash);
    if (known === undefined) return this.#learn(hash);
    // Another request learned it while this one looked for a key of that hash.
    return known === keyHash ? undefined : this.findBySecret(hash);
  }

  async #learn(hash: string): Promise<Caller | undefined> {
    const keyHash = await this.#store.keyOfSecret(hash);
    if (keyHash === undefined) return undefined;
    this.#keysOfSecrets.set(hash, keyHash);
    const { oldest } = this.#keysOfSecrets;
    if (this.#keysOfSecrets.size > maxEntries && oldest !== undefined) this.#keysOfSecrets.delete(oldest[0]);
    // What is known of the key may be from before it had this secret.
    this.forget(keyHash);
    return this.findBySecret(hash);
  }

  /** Whether a secret is known to belong to somebody, without asking. */
  knows(secretHash: string): boolean {
    const hash = this.#keysOfSecrets.get(secretHash) ?? secretHash;
    return this.#entries.get(hash)?.caller !== undefined;
  }

  /**
   * Makes what is known of a key, or of every key, be read again before it is used. Code that changes keys, accounts,
   * credits or provider credentials in this process calls this when the change is stored; charges need no such call.
   */
  forget(hash?: string): void {
    const entry = hash === undefined ? undefined : this.#entries.get(hash);
    const entries = hash === undefined ? this.#entries.values() : entry === undefined ? [] : [entry];
    for (const changed of entries) {
      changed.loadedAt = Number.NEGATIVE_INFINITY;
      changed.changes += 1;
      changed.loading = undefined;
    }
  }

  begin(generation: Generation): (booked: Generation | undefined) => void {
    const { tally, subjects = none } = this.#entries.get(generation.keyHash) ?? {};
    const funds = this.#accounts.get(generation.accountId)?.funds;
    tally?.begin(generation);
    funds?.begin(generation.cost);
    const end = subjects.length === 0 ? undefined : beginAll(subjects, generation);
    return (booked) => {
      end?.(booked);
      tally?.end(generation, booked);
      funds?.end(generation.cost, booked?.cost);
    };
  }

  #remember(hash: string): Entry {
    const tally = new KeyTally(this.#calendar, this.#clock.now());
    const loadedAt = Number.NEGATIVE_INFINITY;
    const entry: Entry = {
      tally,
      subjects: none,
      caller: undefined,
      loadedAt,
      answered: 0,
      changes: 0,
      loading: undefined,
    };
    this.#entries.set(hash, entry);
    if (this.#entries.size > maxEntries) {
      const { oldest } = this.#entries;
      if (oldest !== undefined) this.#forgetKey(oldest[0]);
    }
    return entry;
  }

  #forgetKey(hash: string): void {
    const entry = this.#entries.get(hash);
    const accountId = entry?.caller?.account.id;
    this.#entries.delete(hash);
    if (entry !== undefined) {
      this.#subjects.release(entry.subjects);
      entry.subjects = none;
    }
    const account = accountId === undefined ? undefined : this.#accounts.get(accountId);
    if (accountId === undefined || account === undefined) return;
    account.keys -= 1;
    if (account.keys === 0) this.#accounts.delete(accountId);
  }

  #load(hash: string, entry: Entry, isWaitedFor = true): Promise<Caller | undefined> {
    const now = this.#clock.now();
    const { loading: current } = entry;
    // A reading that hangs is not waited for: its result may be too old for a request that asks only now.
    if (current !== undefined && now - current.startedAt <= refreshAfter) {
      if (isWaitedFor) this.#stored.hasten();
      return current.caller;
    }
    const caller = this.#read(hash, entry, now, isWaitedFor).finally(() => {
      if (entry.loading === loading) entry.loading = undefined;
    });
    const loading: Loading = { startedAt: now, caller };
    entry.loading = loading;
    return caller;
  }

  async #read(
    hash: string,
    entry: Entry,
    startedAt: number,
    isWaitedFor: boolean,
  ): Promise<Caller | undefined> {
    this.#asked += 1;
    const asked = this.#asked;
    const { changes } = entry;
    const { caller: stored, moment } = await this.#stored.read(hash, isWaitedFor);
    if (stored === undefined) {
      // Unknown keys are not kept: anybody can make them up.
      if (this.#entries.get(hash) === entry) this.#forgetKey(hash);
      return undefined;
    }
    // Something was changed while this was read: it may be from before.
    if (entry.changes !== changes) return this.#load(hash, entry);
    if (asked < entry.answered) return entry.caller;
    entry.answered = asked;
    const { tally } = entry;
    const { balance, spend, spends, budgets, ...known } = stored;
    const { account } = known;
    const funds = this.#fundsOf(account.id, hash, entry);
    funds.read(balance, asked);
    if (spend !== undefined) tally.read(spend, moment);
    // An entry that made room for others while it was read holds nothing.
    if (this.#entries.get(hash) === entry) {
      entry.subjects = this.#subjects.exchange(entry.subjects, spends, { moment, now: this.#clock.now() });
    }
    const live = liveBudgets(budgets, entry.subjects, this.#clock);
    const told = { ...known, funds, budgets: live, calendar: this.#calendar };
    entry.caller = new LiveCaller(told, tally, this.#clock);
    entry.loadedAt = startedAt;
    return entry.caller;
  }

  /** The funds that all entries of an account show; an entry is counted when it shows them first. */
  #fundsOf(accountId: string, hash: string, entry: Entry): AccountFunds {
    const known = this.#accounts.get(accountId);
    // It made room for others while it was read.
    if (this.#entries.get(hash) !== entry) return known?.funds ?? new AccountFunds();
    const account = known ?? { funds: new AccountFunds(), keys: 0 };
    if (known === undefined) this.#accounts.set(accountId, account);
    if (entry.caller === undefined) account.keys += 1;
    return account.funds;
  }
}

/** Budgets whose spending is that of the moment somebody looks. */
function liveBudgets(
  budgets: StoredCaller['budgets'],
  subjects: readonly SubjectTally[],
  clock: Clock,
): Caller['budgets'] {
  return budgets?.flatMap((budget) => {
    const tally = subjects.find(({ subject }) => subject === budget.subject)?.tally;
    return tally === undefined ? [] : [{ ...budget, spend: () => tally.at(clock.now()) }];
  });
}

/** A caller whose money is that of the moment somebody looks. */
class LiveCaller implements Caller {
  readonly key: ApiKey;
  readonly account: Account;
  readonly funds: Balance;
  readonly credentials: readonly ProviderCredential[];
  readonly defaults: RequestDefaults | undefined;
  readonly guardrails: Caller['guardrails'];
  readonly allowedPhrases: Caller['allowedPhrases'];
  readonly budgets: Caller['budgets'];
  readonly calendar: SpendCalendar;
  readonly #tally: KeyTally;
  readonly #clock: Clock;

  constructor(known: Omit<Caller, 'spend'>, tally: KeyTally, clock: Clock) {
    const { key, account, funds, credentials, defaults, guardrails, allowedPhrases, budgets } = known;
    this.key = key;
    this.account = account;
    this.funds = funds;
    this.credentials = credentials;
    this.defaults = defaults;
    this.guardrails = guardrails;
    this.allowedPhrases = allowedPhrases;
    this.budgets = budgets;
    this.calendar = known.calendar;
    this.#tally = tally;
    this.#clock = clock;
  }

  get spend(): KeySpend {
    return this.#tally.at(this.#clock.now());
  }
}

/** Keys that will be read together. */
interface Gathering {
  readonly hashes: Set<string>;
  readonly found: PromiseWithResolvers<Found>;
  /** Running while nobody waits for the answer. */
  timer: NodeJS.Timeout | undefined;
}

/** What came of one reading. */
interface Found {
  readonly callers: ReadCallers;
  /** The moment whose windows spending is reported for, Unix milliseconds. */
  readonly moment: number;
}

/**
 * Reads callers together that are asked for at about the same time. A caller that a request waits for is read when this
 * turn of the event loop is over; the others a moment later, or along with it.
 */
export class GatheredCallers {
  readonly #store: Pick<CallerStore, 'read'>;
  readonly #clock: Clock;
  readonly #patience: number;
  #gathering: Gathering | undefined;

  /** @param patience How many milliseconds to gather in while nobody waits; 0 is not at all. */
  constructor(store: Pick<CallerStore, 'read'>, clock: Clock, patience: number) {
    this.#store = store;
    this.#clock = clock;
    this.#patience = patience;
  }

  /** The caller a key hash belongs to, as it is stored when this is called or later, with the windows' moment. */
  async read(
    hash: string,
    isWaitedFor: boolean,
  ): Promise<{ readonly caller: StoredCaller | undefined; readonly moment: number }> {
    this.#gathering ??= this.#begin();
    const { hashes, found } = this.#gathering;
    hashes.add(hash);
    if (isWaitedFor || this.#patience === 0) this.hasten();
    const { callers, moment } = await found.promise;
    return { caller: await callers.get(hash), moment };
  }

  /** Somebody waits now for what is gathered. */
  hasten(): void {
    const gathering = this.#gathering;
    if (gathering?.timer === undefined) return;
    clearTimeout(gathering.timer);
    gathering.timer = undefined;
    process.nextTick(() => this.#end(gathering));
  }

  #begin(): Gathering {
    const gathering: Gathering = { hashes: new Set(), found: Promise.withResolvers(), timer: undefined };
    gathering.timer = setTimeout(() => this.#end(gathering), this.#patience).unref();
    return gathering;
  }

  #end({ hashes, found }: Gathering): void {
    this.#gathering = undefined;
    const moment = this.#clock.now();
    this.#store.read([...hashes], moment).then((callers) => found.resolve({ callers, moment }), found.reject);
  }
}
