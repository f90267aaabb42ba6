import type { KeySpend } from '../../ports/keys.ts';
import type { SqlConnection } from './database.ts';
import { daysOfWindows, keySpendIn, type SpendBucket, spendOf } from './key-spend.ts';
import { type SqlStatement, sql } from './statement.ts';

/**
 * What the subject of a budget spent in the windows that hold `now`: a key, or all keys of a member or a workspace, deleted ones
 * too.
 * @param subject As `BudgetLimit` names it.
 */
export function subjectSpendIn(
  db: SqlConnection,
  accountId: string,
  subject: string,
  now: number,
): Promise<KeySpend> {
  const at = subject.indexOf(':');
  const id = subject.slice(at + 1);
  switch (subject.slice(0, at)) {
    case 'key':
      return keySpendIn(db, id, now);
    case 'member':
      return spendTogether(db, sql`account_id = ${accountId} and creator_user_id = ${id}`, now);
    default:
      return spendTogether(db, sql`workspace_id = ${id}`, now);
  }
}

async function spendTogether(db: SqlConnection, chosen: SqlStatement, now: number): Promise<KeySpend> {
  const { first, end } = daysOfWindows(now);
  const keys = sql`select hash from api_keys where ${chosen}`;
  const buckets = await db.rows<SpendBucket>(sql`
    select null as day, cast(sum(charge) as bigint) as charge, cast(sum(byok) as bigint) as byok
    from key_totals where key_hash in (${keys}) having count(*) > 0
    union all
    select day, cast(sum(charge) as bigint) as charge, cast(sum(byok) as bigint) as byok
    from key_spend where day >= ${first} and day < ${end} and key_hash in (${keys}) group by day`);
  return spendOf(buckets, now);
}
