import { type Kysely, sql } from 'kysely';
import { HeadgateError } from '../../core/errors.ts';
import { nanoFromInteger } from '../../core/money.ts';
import type { Generation } from '../../ports/generations.ts';
import type { KeySpend } from '../../ports/keys.ts';
import type { Balance, Ledger, LedgerDifference, LedgerEntry } from '../../ports/ledger.ts';
import { keySpendIn } from './key-spend.ts';
import type { Schema } from './schema.ts';
import { flag } from './values.ts';
import { verifyTotals } from './verify.ts';

/** What differs from engine to engine: booking many generations in one durable transaction. */
export type Settle = (generation: Generation) => Promise<void>;

/** The books in any SQL engine (accounts-and-limits 1.7, 4, 7). */
export class SqlLedger implements Ledger {
  readonly #db: Kysely<Schema>;
  readonly #reports: Kysely<Schema>;
  readonly #settle: Settle;

  constructor(db: Kysely<Schema>, reports: Kysely<Schema>, settle: Settle) {
    this.#db = db;
    this.#reports = reports;
    this.#settle = settle;
  }

  settle(generation: Generation): Promise<void> {
    return this.#settle(generation);
  }

  /** @throws HeadgateError `not_found` when the account does not exist. */
  async append(entry: LedgerEntry): Promise<boolean> {
    return this.#db.transaction().execute(async (transaction) => {
      const account = await transaction
        .selectFrom('accounts')
        .select('id')
        .where('id', '=', entry.accountId)
        .executeTakeFirst();
      if (account === undefined) throw new HeadgateError('not_found', 'The account does not exist.');
      const inserted = await transaction
        .insertInto('ledger_entries')
        .values(toRow(entry))
        .onConflict((conflict) => conflict.columns(['account_id', 'external_ref']).doNothing())
        .executeTakeFirst();
      if ((inserted.numInsertedOrUpdatedRows ?? 0n) === 0n) return false;
      await addToTotals(transaction, entry);
      return true;
    });
  }

  async balance(accountId: string): Promise<Balance> {
    const totals = await this.#db
      .selectFrom('account_totals')
      .selectAll()
      .where('account_id', '=', accountId)
      .executeTakeFirst();
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

async function addToTotals(db: Kysely<Schema>, entry: LedgerEntry): Promise<void> {
  await db
    .insertInto('account_totals')
    .values({
      account_id: entry.accountId,
      entries_total: entry.amount,
      charges_total: 0n,
      purchased_total: countsAsPurchase(entry) ? entry.amount : 0n,
    })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet({
        entries_total: sql`account_totals.entries_total + excluded.entries_total`,
        purchased_total: sql`account_totals.purchased_total + excluded.purchased_total`,
      }),
    )
    .execute();
}

/** A refund may lower what counts as purchased, never raise it (accounts-and-limits 14.3). */
function countsAsPurchase(entry: LedgerEntry): boolean {
  return entry.countsAsPurchase && !(entry.type === 'refund' && entry.amount > 0n);
}

function toRow(entry: LedgerEntry) {
  return {
    id: entry.id,
    account_id: entry.accountId,
    type: entry.type,
    amount: entry.amount,
    counts_as_purchase: flag(countsAsPurchase(entry)),
    external_ref: entry.externalRef,
    note: entry.note,
    created_at: entry.createdAt,
  };
}
