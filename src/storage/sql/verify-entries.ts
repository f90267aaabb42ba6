import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import { countsAsPurchase, type TotalsRow } from './account-books.ts';
import { Comparison } from './comparison.ts';
import { CreditReplay } from './credit-replay.ts';
import type { SqlConnection } from './database.ts';
import { bookedEntryFromRow, type EntryRow } from './entry-row.ts';
import { sql } from './statement.ts';

/** Recomputes from the ledger entries what accounts were given and what of it expired, and names each difference. */
export async function verifyEntries(
  snapshot: SqlConnection,
  totals: readonly TotalsRow[],
): Promise<readonly LedgerDifference[]> {
  const rows = await snapshot.rows<EntryRow>(sql`select * from ledger_entries order by account_id, position`);
  const entries = new Comparison((account) => `account ${account}: entries`);
  const purchases = new Comparison((account) => `account ${account}: purchases`);
  for (const row of totals) {
    entries.keep(row.entries_total, row.account_id);
    purchases.keep(row.purchased_total, row.account_id);
  }
  const replays = new Map<string, CreditReplay>();
  const expiries: LedgerDifference[] = [];
  for (const row of rows) {
    const booked = bookedEntryFromRow(row);
    const { accountId, amount, id } = booked.entry;
    entries.recompute(amount, accountId);
    if (countsAsPurchase(booked.entry)) purchases.recompute(amount, accountId);
    const replay = replays.get(accountId) ?? new CreditReplay();
    replays.set(accountId, replay);
    const left = replay.book(booked);
    if (left !== undefined && left !== -amount)
      expiries.push(difference(`entry ${id}: expired credit`, -amount, left));
  }
  return [
    ...entries.differences(),
    ...purchases.differences(),
    ...verifyOrder(rows, totals),
    ...expiries,
    ...totals.flatMap((row) => forgottenExpiry(row, replays.get(row.account_id))),
  ];
}

/** Entries are numbered without a gap, and what had been spent before each only grows: what expires is worked out by it. */
function verifyOrder(rows: readonly EntryRow[], totals: readonly TotalsRow[]): readonly LedgerDifference[] {
  const differences: LedgerDifference[] = [];
  const byAccount = Map.groupBy(rows, (row) => row.account_id);
  for (const {
    account_id: account,
    entry_count: counted,
    charges_total: charged,
    entries_total: kept,
  } of totals) {
    const entries = byAccount.get(account) ?? [];
    let [place, spent] = [0n, 0n];
    for (const { id, position, spent_before: before, amount } of entries) {
      place += 1n;
      if (position !== place) {
        differences.push(difference(`entry ${id}: number ${position}, ${place} was due`, 0n, amount));
        place = position;
      }
      if (before < spent || before > charged)
        differences.push(
          difference(`entry ${id}: spent before it`, before, before < spent ? spent : charged),
        );
      else spent = before;
    }
    if (counted === BigInt(entries.length)) continue;
    const sum = entries.reduce((total, { amount }) => total + amount, 0n);
    differences.push(
      difference(`account ${account}: ${counted} entries counted, ${entries.length} there`, kept, sum),
    );
  }
  return differences;
}

/** Credit whose time will pass unnoticed. A time noted too early is no fault: it is put right when it comes. */
function forgottenExpiry(row: TotalsRow, replay: CreditReplay | undefined): readonly LedgerDifference[] {
  replay?.spendUpTo(row.charges_total);
  const credit = replay?.next();
  if (credit === undefined) return [];
  if (row.next_expiry !== null && row.next_expiry <= BigInt(credit.expiresAt)) return [];
  return [
    difference(`account ${row.account_id}: credit ${credit.id} that would not expire`, 0n, credit.left),
  ];
}

function difference(subject: string, kept: bigint, recomputed: bigint): LedgerDifference {
  return { subject, kept: nanoFromInteger(kept), recomputed: nanoFromInteger(recomputed) };
}
