import {
  type Feedback,
  type FeedbackStore,
  type FeedbackSums,
  type Verdict,
  verdicts,
} from '../../ports/feedback.ts';
import type { SqlDatabase } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { all } from './usage-conditions.ts';
import { numberOrNull, verdictNumber } from './values.ts';

interface FeedbackRow {
  readonly generation_id: string;
  readonly key_hash: string;
  readonly account_id: string;
  readonly workspace_id: string | null;
  readonly model: string;
  readonly preset: string | null;
  readonly at: bigint;
  readonly rating: bigint | null;
  readonly score: bigint | null;
  readonly verdict: bigint | null;
  readonly category: Feedback['category'];
  readonly tags: string;
  readonly comment: string | null;
  readonly content_key_id: string | null;
  readonly comment_expires_at: bigint | null;
}

/** What keys think of calls, in any SQL engine (docs/spec/feedback.md). */
export class SqlFeedbackStore implements FeedbackStore {
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase) {
    this.#db = db;
  }

  async put(given: Feedback): Promise<void> {
    const { generationId, keyHash, accountId, workspaceId, model, preset, at, rating, score } = given;
    const { verdict, category, tags, comment } = given;
    await this.#db.change(sql`
      insert into feedback (generation_id, key_hash, account_id, workspace_id, model, preset, at, rating, score,
        verdict, category, tags, comment, content_key_id, comment_expires_at)
      values (${generationId}, ${keyHash}, ${accountId}, ${workspaceId}, ${model}, ${preset}, ${at}, ${rating},
        ${score}, ${verdict === null ? null : verdictNumber(verdict)}, ${category}, ${JSON.stringify(tags)},
        ${comment?.sealed ?? null}, ${comment?.dayKeyId ?? null}, ${comment?.expiresAt ?? null})
      on conflict (generation_id, key_hash) do update set at = excluded.at, rating = excluded.rating,
        score = excluded.score, verdict = excluded.verdict, category = excluded.category, tags = excluded.tags,
        comment = excluded.comment, content_key_id = excluded.content_key_id,
        comment_expires_at = excluded.comment_expires_at`);
  }

  async of(accountId: string, generationId: string, keyHash?: string): Promise<readonly Feedback[]> {
    const rows = await this.#db.rows<FeedbackRow>(sql`
      select * from feedback where ${all([
        sql`generation_id = ${generationId} and account_id = ${accountId}`,
        keyHash === undefined ? undefined : sql`key_hash = ${keyHash}`,
      ])} order by at desc, key_hash`);
    return rows.map(feedbackFromRow);
  }

  async verdicts(ids: readonly string[]): Promise<ReadonlyMap<string, Verdict>> {
    if (ids.length === 0) return new Map();
    const listed = ids.map((id) => sql`${id}`).reduce((one, other) => sql`${one}, ${other}`);
    const rows = await this.#db.rows<Pick<FeedbackRow, 'generation_id' | 'verdict'>>(sql`
      select generation_id, verdict from feedback
      where generation_id in (${listed}) and verdict is not null order by at`);
    return new Map(
      rows.flatMap(({ generation_id: id, verdict }) => {
        const named = verdictOf(verdict);
        return named === null ? [] : [[id, named] as const];
      }),
    );
  }

  async sums({ accountId, keyHash, from, to, by, limit }: Parameters<FeedbackStore['sums']>[0]) {
    const wanted = all([
      sql`account_id = ${accountId} and at >= ${from} and at < ${to}`,
      keyHash === undefined ? undefined : sql`key_hash = ${keyHash}`,
    ]);
    const rows = await this.#db.rows<{
      readonly value: string;
      readonly good: bigint;
      readonly neither: bigint;
      readonly bad: bigint;
      readonly total: bigint;
    }>(sql`
      select coalesce(${rawSql(by)}, '') as value, ${counted('good')} as good, ${counted('neither')} as neither,
        ${counted('bad')} as bad, count(*) as total
      from feedback where ${wanted} group by 1 order by total desc, value limit ${limit}`);
    return rows.map(
      ({ value, good, neither, bad, total }): FeedbackSums => ({
        value,
        good: Number(good),
        neither: Number(neither),
        bad: Number(bad),
        total: Number(total),
      }),
    );
  }

  prune(now: number, limit: number): Promise<number> {
    return this.#db.change(sql`
      update feedback set comment = null, content_key_id = null, comment_expires_at = null
      where (generation_id, key_hash) in (
        select generation_id, key_hash from feedback
        where comment is not null and comment_expires_at <= ${now} limit ${limit})`);
  }
}

function counted(verdict: Verdict): SqlStatement {
  return sql`cast(sum(case when verdict = ${verdictNumber(verdict)} then 1 else 0 end) as ${rawSql('bigint')})`;
}

function verdictOf(stored: bigint | null): Verdict | null {
  return stored === null ? null : (verdicts[Number(stored) + 1] ?? null);
}

function feedbackFromRow(row: FeedbackRow): Feedback {
  const { comment: sealed, content_key_id: dayKeyId, comment_expires_at: expiresAt } = row;
  const rating = numberOrNull(row.rating);
  return {
    generationId: row.generation_id,
    accountId: row.account_id,
    keyHash: row.key_hash,
    workspaceId: row.workspace_id,
    model: row.model,
    preset: row.preset,
    at: Number(row.at),
    rating: rating === -1 || rating === 0 || rating === 1 ? rating : null,
    score: numberOrNull(row.score),
    verdict: verdictOf(row.verdict),
    category: row.category,
    tags: JSON.parse(row.tags),
    comment:
      sealed === null || dayKeyId === null
        ? null
        : { sealed, dayKeyId, expiresAt: numberOrNull(expiresAt) ?? 0 },
  };
}
