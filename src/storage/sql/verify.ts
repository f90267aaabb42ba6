import { nanoFromInteger } from '../../core/money.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import type { SqlDatabase } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { dayLength, dayName } from './windows.ts';

/** A kept total and the same total added up anew, where the two differ. */
interface Mismatch {
  readonly owner: string;
  readonly day: bigint | null;
  readonly kept: bigint;
  readonly recomputed: bigint;
}

/** One kept total: how reports name it, where it is kept and what it is the sum of. */
interface Check {
  readonly name: (owner: string, day: bigint | null) => string;
  /** Selects owner, day and amount of the rows as kept. */
  readonly kept: SqlStatement;
  /** Selects owner, day and amount of everything the total is made of. */
  readonly source: SqlStatement;
}

const dayOfSettlement = rawSql(`settled_at / ${dayLength}`);
const byokCost = sql`case when is_byok = 1 then list_cost else 0 end`;
const noDay = sql`cast(null as bigint)`;

const checks: readonly Check[] = [
  {
    name: (owner) => `account ${owner}: entries`,
    kept: sql`select account_id, ${noDay}, entries_total from account_totals`,
    source: sql`select account_id, ${noDay}, amount from ledger_entries`,
  },
  {
    name: (owner) => `account ${owner}: purchases`,
    kept: sql`select account_id, ${noDay}, purchased_total from account_totals`,
    source: sql`select account_id, ${noDay}, amount from ledger_entries where counts_as_purchase = 1`,
  },
  {
    name: (owner) => `account ${owner}: charges`,
    kept: sql`select account_id, ${noDay}, charges_total from account_totals`,
    source: sql`select account_id, ${noDay}, cost from generations`,
  },
  ...keyChecks('usage', sql`charge`, sql`cost`),
  ...keyChecks('own-credential usage', sql`byok`, byokCost),
];

/**
 * Recomputes every kept total from ledger entries and generations, all of one moment, and names each
 * difference (operations.md 2, `ledger verify`).
 */
export function verifyTotals(db: SqlDatabase): Promise<readonly LedgerDifference[]> {
  return db.snapshot(async (snapshot) => {
    const differences: LedgerDifference[] = [];
    for (const check of checks) {
      for (const row of await snapshot.rows<Mismatch>(mismatches(check))) {
        differences.push({
          subject: check.name(row.owner, row.day),
          kept: nanoFromInteger(row.kept),
          recomputed: nanoFromInteger(row.recomputed),
        });
      }
    }
    return differences;
  });
}

function keyChecks(name: string, kept: SqlStatement, source: SqlStatement): readonly Check[] {
  return [
    {
      name: (owner, day) => `key ${owner}: ${name} on ${day === null ? 'no day' : dayName(Number(day))}`,
      kept: sql`select key_hash, day, ${kept} from key_spend`,
      source: sql`select key_hash, ${dayOfSettlement}, ${source} from generations`,
    },
    {
      name: (owner) => `key ${owner}: ${name} in all time`,
      kept: sql`select key_hash, ${noDay}, ${kept} from key_totals`,
      source: sql`select key_hash, ${noDay}, ${source} from generations`,
    },
  ];
}

/** Puts both sides into one column pair and lets the engine return only what does not cancel out. */
function mismatches(check: Check): SqlStatement {
  return sql`
    with kept (owner, day, amount) as (${check.kept}),
      source (owner, day, amount) as (${check.source}),
      both_sides (owner, day, kept, recomputed) as (
        select owner, day, amount, 0 from kept
        union all
        select owner, day, 0, amount from source
      )
    select owner, day,
      cast(sum(kept) as bigint) as kept,
      cast(sum(recomputed) as bigint) as recomputed
    from both_sides
    group by owner, day
    having sum(kept) <> sum(recomputed)
    order by owner, day`;
}
