import { type NanoUsd, sumUsd, zeroUsd } from '../core/money.ts';
import type { Clock } from '../ports/clock.ts';
import type { KeySpend, KeyStore, SpendWindows } from '../ports/keys.ts';
import type { Ledger } from '../ports/ledger.ts';
import type { Caller } from '../settlement/admit.ts';

const refreshAfter = 1_000;
const expireAfter = 3_000;
const maxEntries = 20_000;

interface Entry {
  caller: Caller | undefined;
  /** Unix milliseconds. */
  loadedAt: number;
  loading: Promise<Caller | undefined> | undefined;
}

/**
 * Knows callers by the hash of their key without asking the database on every request: what it knows is at
 * most 3 s old, so a disabled key stops working well within the 5 s of accounts-and-limits 2.4.
 */
export class CallerDirectory {
  readonly #keys: KeyStore;
  readonly #ledger: Ledger;
  readonly #clock: Clock;
  readonly #entries = new Map<string, Entry>();

  constructor(keys: KeyStore, ledger: Ledger, clock: Clock) {
    this.#keys = keys;
    this.#ledger = ledger;
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
    if (age > refreshAfter) this.#load(hash, entry).catch(() => {});
    return entry.caller;
  }

  /** Adds a charge just booked to what is known of its key, until the books are read again. */
  charged(hash: string, cost: NanoUsd): void {
    const entry = this.#entries.get(hash);
    if (entry?.caller === undefined || cost === zeroUsd) return;
    const { caller } = entry;
    entry.caller = {
      ...caller,
      spend: { ...caller.spend, usage: addToWindows(caller.spend.usage, cost) },
      balance: caller.balance === undefined ? undefined : ((caller.balance - cost) as NanoUsd),
    };
  }

  #remember(hash: string): Entry {
    const entry: Entry = { caller: undefined, loadedAt: 0, loading: undefined };
    this.#entries.set(hash, entry);
    if (this.#entries.size > maxEntries) {
      const oldest = this.#entries.keys().next();
      if (oldest.done !== true) this.#entries.delete(oldest.value);
    }
    return entry;
  }

  #load(hash: string, entry: Entry): Promise<Caller | undefined> {
    entry.loading ??= this.#read(hash)
      .then((caller) => {
        entry.caller = caller;
        entry.loadedAt = this.#clock.now();
        // Unknown keys are not kept: anybody can make them up.
        if (caller === undefined) this.#entries.delete(hash);
        return caller;
      })
      .finally(() => {
        entry.loading = undefined;
      });
    return entry.loading;
  }

  async #read(hash: string): Promise<Caller | undefined> {
    const found = await this.#keys.findWithAccount(hash);
    if (found === undefined) return undefined;
    const { key, account } = found;
    const prepaid = account.billingMode === 'prepaid';
    const [spend, balance] = await Promise.all([
      key.limit === null ? noSpend : this.#ledger.keySpend(hash, this.#clock.now()),
      prepaid ? this.#ledger.balance(account.id).then((books) => books.balance) : undefined,
    ]);
    return { key, account, spend, balance };
  }
}

const noWindows: SpendWindows = { total: zeroUsd, daily: zeroUsd, weekly: zeroUsd, monthly: zeroUsd };
const noSpend: KeySpend = { usage: noWindows, byokUsage: noWindows };

function addToWindows(windows: SpendWindows, cost: NanoUsd): SpendWindows {
  return {
    total: sumUsd(windows.total, cost),
    daily: sumUsd(windows.daily, cost),
    weekly: sumUsd(windows.weekly, cost),
    monthly: sumUsd(windows.monthly, cost),
  };
}
