import type { LimitWindows } from '../../core/limit-calendar.ts';
import type { KeySpend } from '../../ports/keys.ts';
import type { SqlConnection } from './database.ts';
import { keySpendIn, type SpendBucket, spendOf, withinDays, withinEdges } from './key-spend.ts';
import { type SqlStatement, sql } from './statement.ts';

/**
 * What the subject of a budget spent in some windows: a key, or all keys of a member or a workspace, deleted ones
 * too.
 * @param subject As `BudgetLimit` names it.
 */
export function subjectSpendIn(
  db: SqlConnection,
  accountId: string,
  subject: string,
  windows: LimitWindows,
): Promise<KeySpend> {
  const at = subject.indexOf(':');
  const id = subject.slice(at + 1);
  switch (subject.slice(0, at)) {
    case 'key':
      return keySpendIn(db, id, windows);
    case 'member':
      return spendTogether(db, sql`account_id = ${accountId} and creator_user_id = ${id}`, windows);
    default:
      return spendTogether(db, sql`workspace_id = ${id}`, windows);
  }
}

async function spendTogether(
  db: SqlConnection,
  chosen: SqlStatement,
  windows: LimitWindows,
): Promise<KeySpend> {
  const keys = sql`select hash from api_keys where ${chosen}`;
  const edges = withinEdges(windows);
  const sums = sql`cast(sum(charge) as bigint) as charge, cast(sum(byok) as bigint) as byok`;
  const ofEdges =
    edges === undefined
      ? sql``
      : sql`union all select null, quarter, ${sums} from key_spend_quarters
          where key_hash in (${keys}) and (${edges}) group by quarter`;
  const buckets = await db.rows<SpendBucket>(sql`
    select cast(null as bigint) as day, cast(null as bigint) as quarter, ${sums}
    from key_totals where key_hash in (${keys}) having count(*) > 0
    union all
    select day, null, ${sums} from key_spend
    where ${withinDays(windows)} and key_hash in (${keys}) group by day ${ofEdges}`);
  return spendOf(buckets, windows);
}
