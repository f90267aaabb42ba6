import type { LimitWindows, SpendCalendar } from '../../core/limit-calendar.ts';
import type { CallerStore, ReadCallers, StoredCaller } from '../../ports/callers.ts';
import type { Clock } from '../../ports/clock.ts';
import type { KeySpend, KnownKey } from '../../ports/keys.ts';
import type { Ledger } from '../../ports/ledger.ts';
import type { TotalsRow } from './account-books.ts';
import { type GuardingRow, guardingOf, guardingRows } from './caller-guardrails.ts';
import { type CredentialRow, credentialFromRow, credentialOrder } from './credential-row.ts';
import type { SqlDatabase } from './database.ts';
import { keyOfSecret } from './key-secret-rows.ts';
import { keySpendsIn } from './key-spend.ts';
import { type KnownKeyRow, knownKeyFromRow, knownKeys } from './key-store.ts';
import { balanceFromTotals } from './ledger.ts';
import { SqlStatement, sql } from './statement.ts';
import { subjectSpendIn } from './subject-spend.ts';

/** How many keys a statement asks for: few texts, so that engines need not make a plan for each number of keys. */
const sizes = [1, 8, 64];
const largest = 64;

/** A key with its account and that account's totals; these are null until something was booked. */
type CallerRow = KnownKeyRow & Nullable<Omit<TotalsRow, 'account_id'>>;

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null };

/** Callers in any SQL engine. */
export class SqlCallerStore implements CallerStore {
  readonly #db: SqlDatabase;
  readonly #ledger: Pick<Ledger, 'balance'>;
  readonly calendar: SpendCalendar;
  readonly #clock: Clock;

  /** @param db Holds every charge that was promised. */
  constructor(db: SqlDatabase, ledger: Pick<Ledger, 'balance'>, calendar: SpendCalendar, clock: Clock) {
    this.#db = db;
    this.#ledger = ledger;
    this.calendar = calendar;
    this.#clock = clock;
  }

  keyOfSecret(secretHash: string): Promise<string | undefined> {
    return keyOfSecret(this.#db, secretHash);
  }

  async read(hashes: readonly string[], now: number): Promise<ReadCallers> {
    const windows = this.calendar.windowsAt(now);
    const parts: Promise<ReadCallers>[] = [];
    for (let start = 0; start < hashes.length; start += largest) {
      parts.push(this.#readSome(listOf(hashes.slice(start, start + largest)), windows));
    }
    return new Map((await Promise.all(parts)).flatMap((callers) => [...callers]));
  }

  /** Asks for everything at once: one message to a thread, or one wait for a server. */
  async #readSome(hashes: SqlStatement, windows: LimitWindows): Promise<ReadCallers> {
    const [rows, credentials, guarding, spendOf] = await Promise.all([
      this.#db.rows<CallerRow>(sql`
        select ${knownKeys.columns}, entry_count, entries_total, charges_total, purchased_total, next_expiry
        from ${knownKeys.tables} left join account_totals on account_totals.account_id = api_keys.account_id
        where hash in (${hashes}) and deleted_at is null`),
      this.#db.rows<CredentialRow>(sql`
        select * from provider_credentials
        where account_id in (select account_id from api_keys where hash in (${hashes}))
          and disabled = 0 and deleted_at is null ${credentialOrder}`),
      this.#db.rows<GuardingRow>(guardingRows(hashes)),
      keySpendsIn(
        this.#db,
        sql`select hash from api_keys where hash in (${hashes}) and limit_amount is not null`,
        windows,
      ),
    ]);
    const byAccount = Map.groupBy(credentials, (row) => row.account_id);
    const byKey = Map.groupBy(guarding, ({ hash }) => hash);
    return new Map(
      rows.map((row) => {
        const also = {
          credentials: byAccount.get(row.account_id) ?? [],
          guarding: byKey.get(row.hash) ?? [],
        };
        const caller = this.#toCaller(row, also, spendOf, windows);
        // Nobody looks at it before all parts are read, and until then a failure would count as one nobody expects.
        caller.catch(() => undefined);
        return [row.hash, caller];
      }),
    );
  }

  async #toCaller(
    row: CallerRow,
    { credentials, guarding }: { credentials: readonly CredentialRow[]; guarding: readonly GuardingRow[] },
    spendOf: (keyHash: string) => KeySpend,
    windows: LimitWindows,
  ): Promise<StoredCaller> {
    const known = knownKeyFromRow(row);
    const { key, account } = known;
    const isDue = row.next_expiry !== null && row.next_expiry <= BigInt(Math.floor(this.#clock.now()));
    return {
      ...known,
      spend: key.limit === null ? undefined : spendOf(key.hash),
      balance: isDue ? await this.#ledger.balance(account.id) : balanceFromTotals(row),
      credentials: credentials.map(credentialFromRow),
      ...(guarding.length > 0 && (await this.#guard(known, guarding, windows))),
    };
  }

  /** What is set for a caller, with what the subjects of budgets spent. */
  async #guard({ key, account }: KnownKey, rows: readonly GuardingRow[], windows: LimitWindows) {
    const set = guardingOf(rows, key);
    const subjects = [...new Set(set.budgets?.map(({ subject }) => subject))];
    const reading = subjects.map(
      async (subject) => [subject, await subjectSpendIn(this.#db, account.id, subject, windows)] as const,
    );
    return { ...set, ...(subjects.length > 0 && { spends: new Map(await Promise.all(reading)) }) };
  }
}

/** Hashes as `in (…)` takes them: as many as the next size, the last one repeated. */
function listOf(hashes: readonly string[]): SqlStatement {
  const size = sizes.find((one) => one >= hashes.length) ?? largest;
  const last = hashes.at(-1) ?? '';
  const values = Array.from({ length: size }, (_, at) => hashes[at] ?? last);
  return new SqlStatement(['', ...Array<string>(size - 1).fill(', '), ''], values);
}
