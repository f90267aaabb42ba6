import { randomUUID } from 'node:crypto';
import { HeadgateError } from '../../core/errors.ts';
import { formatUsd, largestUsd, nanoFromInteger, zeroUsd } from '../../core/money.ts';
import type { LedgerEntry } from '../../ports/ledger.ts';
import { CreditReplay, type ExpiringCredit } from './credit-replay.ts';
import type { SqlConnection } from './database.ts';
import { bookedEntryFromRow, insertEntry, readEntries } from './entry-row.ts';
import { sql } from './statement.ts';

/** A row of `account_totals`. */
export interface TotalsRow {
  readonly account_id: string;
  readonly entry_count: bigint;
  readonly entries_total: bigint;
  readonly charges_total: bigint;
  readonly purchased_total: bigint;
  /** Unix milliseconds. */
  readonly next_expiry: bigint | null;
}

/** The books of one account inside a transaction that holds the lock on its totals. */
export class AccountLedger {
  readonly #connection: SqlConnection;
  #totals: TotalsRow;

  private constructor(connection: SqlConnection, totals: TotalsRow) {
    this.#connection = connection;
    this.#totals = totals;
  }

  /** Locks the totals of an account for the rest of the transaction. */
  static async open(transaction: SqlConnection, accountId: string): Promise<AccountLedger> {
    const [totals] = await transaction.rows<TotalsRow>(sql`
      insert into account_totals (account_id) values (${accountId})
      on conflict (account_id) do update set account_id = excluded.account_id
      returning *`);
    if (totals === undefined) throw new Error('The totals of an account cannot be locked.');
    return new AccountLedger(transaction, totals);
  }

  /**
   * Appends an entry as the latest one.
   * @param spentBefore What had been charged by then; default: up to now.
   * @throws HeadgateError `unprocessable` when the books could not hold the sum.
   */
  async append(entry: LedgerEntry, spentBefore = this.#totals.charges_total): Promise<void> {
    const position = this.#totals.entry_count + 1n;
    const purchased = countsAsPurchase(entry) ? entry.amount : 0n;
    requireRoom(this.#totals.entries_total + entry.amount);
    requireRoom(this.#totals.purchased_total + purchased);
    await this.#connection.change(insertEntry(entry, position, spentBefore));
    await this.#update(sql`
      update account_totals set
        entry_count = ${position},
        entries_total = entries_total + ${entry.amount},
        purchased_total = purchased_total + ${purchased},
        next_expiry = ${sooner(this.#totals.next_expiry, entry.expiresAt)}
      where account_id = ${entry.accountId} returning *`);
  }

  /** Books the expiry of what is past its time at `now` (Unix milliseconds) and returns the new entries. */
  async expire(now: number): Promise<readonly LedgerEntry[]> {
    const { account_id: accountId, next_expiry: due, charges_total: charged } = this.#totals;
    if (due === null || due > BigInt(Math.floor(now))) return [];
    const replay = new CreditReplay();
    for (const row of await readEntries(this.#connection, accountId)) replay.book(bookedEntryFromRow(row));
    const expired: LedgerEntry[] = [];
    for (
      let credit = replay.next();
      credit !== undefined && credit.expiresAt <= now;
      credit = replay.next()
    ) {
      // What was charged after its time does not lower it, however late this is.
      replay.spendUpTo(charged - (await this.#chargedSince(credit.expiresAt)));
      if (credit.left === 0n) continue;
      const entry = expiryOf(accountId, credit, now);
      await this.append(entry, replay.spent);
      replay.book({ entry, spentBefore: replay.spent });
      expired.push(entry);
    }
    replay.spendUpTo(charged);
    await this.#update(sql`
      update account_totals set next_expiry = ${replay.next()?.expiresAt ?? null}
      where account_id = ${accountId} returning *`);
    return expired;
  }

  async #chargedSince(time: number): Promise<bigint> {
    const [row] = await this.#connection.rows<{ readonly charged: bigint }>(sql`
      select cast(coalesce(sum(cost), 0) as bigint) as charged from generations
      where account_id = ${this.#totals.account_id} and settled_at >= ${time}`);
    return row?.charged ?? 0n;
  }

  async #update(statement: ReturnType<typeof sql>): Promise<void> {
    const [totals] = await this.#connection.rows<TotalsRow>(statement);
    if (totals !== undefined) this.#totals = totals;
  }
}

/** A refund may lower what counts as purchased, never raise it (docs/spec/money.md#ledger). */
export function countsAsPurchase(entry: LedgerEntry): boolean {
  return entry.countsAsPurchase && !(entry.type === 'refund' && entry.amount > 0n);
}

function requireRoom(total: bigint): void {
  if (total <= largestUsd && total >= -largestUsd) return;
  const most = formatUsd(largestUsd);
  throw new HeadgateError('unprocessable', `The account would come to more than ${most} USD.`);
}

function expiryOf(accountId: string, credit: ExpiringCredit, now: number): LedgerEntry {
  return {
    id: randomUUID(),
    accountId,
    type: 'expiry',
    amount: nanoFromInteger(-credit.left),
    fee: zeroUsd,
    countsAsPurchase: false,
    expiresAt: null,
    externalRef: null,
    relatedId: credit.id,
    note: `expired at ${new Date(credit.expiresAt).toISOString()}`,
    createdBy: null,
    createdAt: now,
  };
}

function sooner(first: bigint | null, second: number | null): bigint | null {
  if (second === null) return first;
  return first !== null && first < BigInt(second) ? first : BigInt(second);
}
