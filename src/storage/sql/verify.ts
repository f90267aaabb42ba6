import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import type { TotalsRow } from './account-books.ts';
import { chargePlace, isLapsed } from './charge-columns.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { heldCharges } from './held-charges.ts';
import { rawSql, sql } from './statement.ts';
import { verifyEntries } from './verify-entries.ts';
import { verifySpend } from './verify-spend.ts';

/**
 * Recomputes every kept total from ledger entries and generations, all of one moment, and names each difference
 * (docs/spec/money.md#verification, `ledger verify`). Reads every call once.
 * @param facts Whether sums of calls by day are among the totals, which replace calls that are not kept; and the moment, in
 *   Unix milliseconds.
 * @param onStep Called with the number of steps that are done, and of all.
 */
export function verifyBooks(
  db: SqlDatabase,
  { keepsDailyUsage, now }: { readonly keepsDailyUsage: boolean; readonly now: number },
  onStep: (done: number, of: number) => void = () => {},
): Promise<readonly LedgerDifference[]> {
  return db.snapshot(async (snapshot) => {
    const totals = await snapshot.rows<TotalsRow>(sql`select * from account_totals`);
    const steps = [
      () => verifyEntries(snapshot, totals),
      () => verifySpend(snapshot, totals, { keepsDailyUsage, now }),
      () => verifyHeld(snapshot),
    ];
    const differences: LedgerDifference[] = [];
    for (const [index, step] of steps.entries()) {
      onStep(index, steps.length);
      differences.push(...(await step()));
    }
    return differences;
  });
}

/** Names the charges that the database refused, unless they were booked since. */
async function verifyHeld(snapshot: SqlConnection): Promise<readonly LedgerDifference[]> {
  const differences: LedgerDifference[] = [];
  for (const row of await heldCharges(snapshot)) {
    const id = String(row[chargePlace.id]);
    const found = await snapshot.rows(sql`
      select id from generations where id = ${id} and not ${rawSql(isLapsed())}`);
    if (found.length > 0) continue;
    const subject = `charge ${id}: refused by the database, kept in held_charges`;
    const recomputed = nanoFromInteger(BigInt(row[chargePlace.cost] ?? 0));
    differences.push({ subject, kept: nanoFromInteger(0), recomputed });
  }
  return differences;
}
