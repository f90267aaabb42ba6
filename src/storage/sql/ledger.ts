import { HeadgateError } from '../../core/errors.ts';
import { nanoFromInteger } from '../../core/money.ts';
import type { Generation } from '../../ports/generations.ts';
import type { KeySpend } from '../../ports/keys.ts';
import type { Balance, Ledger, LedgerDifference, LedgerEntry } from '../../ports/ledger.ts';
import type { SqlDatabase } from './database.ts';
import { keySpendIn } from './key-spend.ts';
import { sql } from './statement.ts';
import { flag } from './values.ts';
import { verifyTotals } from './verify.ts';

/** What differs from engine to engine: booking many generations in one durable transaction. */
export type Settle = (generation: Generation) => Promise<void>;

interface TotalsRow {
  readonly entries_total: bigint;
  readonly charges_total: bigint;
  readonly purchased_total: bigint;
}

/** The books in any SQL engine (accounts-and-limits 1.7, 4, 7). */
export class SqlLedger implements Ledger {
  readonly #db: SqlDatabase;
  readonly #reports: SqlDatabase;
  readonly #settle: Settle;

  constructor(db: SqlDatabase, reports: SqlDatabase, settle: Settle) {
    this.#db = db;
    this.#reports = reports;
    this.#settle = settle;
  }

  settle(generation: Generation): Promise<void> {
    return this.#settle(generation);
  }

  /** @throws HeadgateError `not_found` when the account does not exist. */
  append(entry: LedgerEntry): Promise<boolean> {
    const purchased = countsAsPurchase(entry);
    return this.#db.transaction(async (transaction) => {
      const accounts = await transaction.rows(sql`select id from accounts where id = ${entry.accountId}`);
      if (accounts.length === 0) throw new HeadgateError('not_found', 'The account does not exist.');
      const inserted = await transaction.change(sql`
        insert into ledger_entries
          (id, account_id, type, amount, counts_as_purchase, external_ref, note, created_at)
        values (${entry.id}, ${entry.accountId}, ${entry.type}, ${entry.amount}, ${flag(purchased)},
          ${entry.externalRef}, ${entry.note}, ${entry.createdAt})
        on conflict (account_id, external_ref) do nothing`);
      if (inserted === 0) return false;
      await transaction.change(sql`
        insert into account_totals (account_id, entries_total, purchased_total)
        values (${entry.accountId}, ${entry.amount}, ${purchased ? entry.amount : 0n})
        on conflict (account_id) do update set
          entries_total = account_totals.entries_total + excluded.entries_total,
          purchased_total = account_totals.purchased_total + excluded.purchased_total`);
      return true;
    });
  }

  async balance(accountId: string): Promise<Balance> {
    const [totals] = await this.#db.rows<TotalsRow>(
      sql`select * from account_totals where account_id = ${accountId}`,
    );
    const charges = totals?.charges_total ?? 0n;
    return {
      balance: nanoFromInteger((totals?.entries_total ?? 0n) - charges),
      purchasedTotal: nanoFromInteger(totals?.purchased_total ?? 0n),
      spentTotal: nanoFromInteger(charges),
    };
  }

  keySpend(keyHash: string, now: number): Promise<KeySpend> {
    return keySpendIn(this.#db, keyHash, now);
  }

  verify(): Promise<readonly LedgerDifference[]> {
    return verifyTotals(this.#reports);
  }
}

/** A refund may lower what counts as purchased, never raise it (accounts-and-limits 14.3). */
function countsAsPurchase(entry: LedgerEntry): boolean {
  return entry.countsAsPurchase && !(entry.type === 'refund' && entry.amount > 0n);
}
