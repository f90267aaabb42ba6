import { nanoFromInteger } from '../../core/money.ts';
import {
  type CallPage,
  type CallPlace,
  type CallQuery,
  type CallTimes,
  type CellStep,
  type KeyUse,
  otherGroups,
  type UsageCell,
  type UsageDimension,
  type UsageFilters,
  type UsageGrouping,
  type UsageRange,
  type UsageSession,
  type UsageSessions,
  type UsageStep,
  type UsageStore,
} from '../../ports/usage.ts';
import type { SqlDatabase } from './database.ts';
import { type GenerationRow, generationFromRow } from './generation-row.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { type CellRow, cellOf, cellsStatement } from './usage-cells.ts';
import {
  all,
  coverage,
  type DetailsSql,
  narrows,
  onCalls,
  onDetails,
  onSums,
  within,
} from './usage-conditions.ts';
import { spanLength, spans, sumCounts } from './usage-sums.ts';

type SumRow = { readonly value: string; readonly step: bigint } & Readonly<
  Record<(typeof sumCounts)[number], bigint>
>;

interface SessionRow {
  /** As JSON; null of calls that are of none. */
  readonly session: string | null;
  readonly calls: bigint;
  readonly begins: bigint;
  readonly ends: bigint;
  readonly oldest: bigint;
  readonly failed: bigint;
  readonly cost: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly external_user: string | null;
}

interface CandidateRow {
  readonly id: string;
  readonly settled_at: bigint;
  /** 1 where the call fits. */
  readonly hit: bigint;
}

const columns = {
  key: 'key_hash',
  workspace: 'workspace_id',
  model: 'model',
  provider: 'provider',
  endpoint: 'endpoint_tag',
  error: 'error_type',
} satisfies Record<UsageDimension, string>;

const sums = rawSql(sumCounts.map((name) => `cast(sum(${name}) as bigint) as ${name}`).join(', '));

/** Records that one page of calls reads at most, and how many of them at once. */
const mostRead = 20_000;
const readAtOnce = 500;
/** Milliseconds after which a page reads no more than it has asked for. */
const longest = 250;

/** Reads what accounts used in any SQL engine (docs/spec/dashboard.md#numbers). */
export class SqlUsageStore implements UsageStore {
  readonly #reports: SqlDatabase;
  readonly #details: DetailsSql;
  readonly #now: () => number;

  /** @param now Milliseconds since some moment. */
  constructor(reports: SqlDatabase, details: DetailsSql, now = () => performance.now()) {
    this.#reports = reports;
    this.#details = details;
    this.#now = now;
  }

  async totals({ range, filters, dimension }: UsageGrouping, limit: number): Promise<readonly UsageStep[]> {
    const value = rawSql(dimension === undefined ? "''" : columns[dimension]);
    const rows = await this.#reports.rows<SumRow>(sql`
      select ${value} as value, 0 as step, ${sums} from usage_sums
      where ${onSums(filters)} and ${coverage(range)}
      group by 1 order by cost desc, requests desc, 1 limit ${limit}`);
    return rows.map((row) => stepOf(row, range.from));
  }

  async steps(
    { range, filters, dimension }: UsageGrouping,
    step: 15 | 60 | 1440,
    values: readonly string[],
  ): Promise<readonly UsageStep[]> {
    const span = step === spans[1] ? spans[1] : spans[0];
    const column = dimension === undefined ? undefined : rawSql(columns[dimension]);
    const value =
      column === undefined || values.length === 0
        ? rawSql("''")
        : sql`case when ${column} in (${listed(values)}) then ${column} else ${otherGroups(values)} end`;
    const rows = await this.#reports.rows<SumRow>(sql`
      select ${value} as value, start / ${rawSql(String(step / span))} as step, ${sums} from usage_sums
      where ${onSums(filters)} and ${within(span, range)}
      group by 1, 2 order by 2, 1`);
    return rows.map((row) => stepOf(row, Number(row.step) * spanLength(step)));
  }

  async cells(range: UsageRange, step: CellStep, limit: number): Promise<readonly UsageCell[]> {
    const rows = await this.#reports.rows<CellRow>(cellsStatement(range, step, limit));
    return rows.map((row) => cellOf(row, range, step));
  }

  async lastUses(
    accountId: string,
    days: number,
    quarters: number,
    limit: number,
  ): Promise<readonly KeyUse[]> {
    const selects = [days, quarters].map((since, index) => {
      const span = index === 0 ? spans[1] : spans[0];
      return sql`select key_hash, ${rawSql(String(span))} as span, max(start) as last from usage_sums
        where account_id = ${accountId} and span = ${span} and start >= ${Math.floor(since / spanLength(span))}
        group by key_hash`;
    });
    const rows = await this.#reports.rows<{ key_hash: string; span: bigint; last: bigint }>(sql`
      select * from (${selects.reduce((one, other) => sql`${one} union all ${other}`)}) as uses
      order by span desc, last desc, key_hash limit ${limit}`);
    return rows.map(({ key_hash: keyHash, span, last }) => {
      const length = Number(span) === spans[0] ? spans[0] : spans[1];
      return { keyHash, span: length, start: Number(last) * spanLength(length) };
    });
  }

  async times(
    ranges: readonly UsageRange[],
    filters: UsageFilters,
    each: number,
  ): Promise<readonly CallTimes[]> {
    if (ranges.length === 0) return [];
    const { text, number } = this.#details;
    const account = filters.accountId === undefined ? undefined : sql`account_id = ${filters.accountId}`;
    const parts = ranges.map(
      ({ from, to }) => sql`
      select * from (
        select settled_at, ${number('latency')} as latency, ${number('generationTime')} as generation_time,
          coalesce(output_tokens, 0) as output_tokens
        from generations
        where ${all([account])} and settled_at >= ${from} and settled_at < ${to}
          and ${onCalls(filters, this.#details)} and ${text('errorType')} is null
        order by settled_at desc limit ${each}) as newest`,
    );
    const rows = await this.#reports.rows<{
      readonly settled_at: bigint;
      readonly latency: bigint | null;
      readonly generation_time: bigint | null;
      readonly output_tokens: bigint;
    }>(parts.reduce((one, other) => sql`${one} union all ${other}`));
    return rows.map((row) => ({
      settledAt: Number(row.settled_at),
      latency: row.latency === null ? undefined : Number(row.latency),
      generationTime: row.generation_time === null ? undefined : Number(row.generation_time),
      outputTokens: Number(row.output_tokens),
    }));
  }

  async sessions({
    range,
    filters,
    limit,
  }: Pick<CallQuery, 'range' | 'filters' | 'limit'>): Promise<UsageSessions> {
    const { json, text } = this.#details;
    const searched = sql`
      select ${json('sessionId')} as session, ${json('externalUser')} as external_user, created_at, settled_at, cost,
        input_tokens, output_tokens, case when ${text('errorType')} is null then 0 else 1 end as failed
      from generations
      where account_id = ${filters.accountId} and settled_at >= ${range.from} and settled_at < ${range.to}
        and ${onCalls(filters, this.#details)}
      order by settled_at desc, id desc limit ${mostRead}`;
    const bigint = rawSql('bigint');
    const rows = await this.#reports.rows<SessionRow>(sql`
      select session, count(*) as calls, min(created_at) as begins, max(settled_at) as ends, min(settled_at) as oldest,
        cast(sum(failed) as ${bigint}) as failed, cast(sum(cost) as ${bigint}) as cost,
        cast(coalesce(sum(input_tokens), 0) as ${bigint}) as input_tokens,
        cast(coalesce(sum(output_tokens), 0) as ${bigint}) as output_tokens, max(external_user) as external_user
      from (${searched}) as searched group by session order by ends desc, session limit ${mostRead}`);
    const found = rows.filter(({ session }) => session !== null);
    const read = rows.reduce((sum, { calls }) => sum + Number(calls), 0);
    const isWhole = read < mostRead;
    return {
      sessions: found.slice(0, limit).map(sessionFromRow),
      searchedTo: isWhole ? range.from : Math.min(...rows.map(({ oldest }) => Number(oldest))),
      isComplete: isWhole && found.length <= limit,
    };
  }

  async calls(query: CallQuery): Promise<CallPage> {
    const { range, limit } = query;
    const found: string[] = [];
    const end = this.#now() + longest;
    let read = 0;
    for await (const { id, settled_at, hit } of this.#candidates(query)) {
      read += 1;
      if (hit !== 0n) found.push(id);
      // Short lists are whole, however busy the machine is.
      const isLong = read >= mostRead || (read % readAtOnce === 0 && this.#now() >= end);
      const settledAt = Number(settled_at);
      if (found.length === limit || isLong) return this.#page(found, { settledAt, id }, settledAt);
    }
    return this.#page(found, undefined, range.from);
  }

  /** Calls of the parts that may hold some that fit, newest first, and whether they do. */
  async *#candidates(query: CallQuery): AsyncGenerator<CandidateRow> {
    const { range, filters, calls } = query;
    const wanted = sql`${onCalls(filters, this.#details)} and ${onDetails(calls, this.#details)}`;
    let place: CallPlace = query.before ?? { settledAt: range.to, id: '' };
    for await (const part of this.#parts(query, place)) {
      for (
        let rows: readonly CandidateRow[] | undefined;
        rows === undefined || rows.length === readAtOnce;
      ) {
        rows = await this.#reports.rows<CandidateRow>(sql`
          select id, settled_at, case when ${wanted} then 1 else 0 end as hit from generations
          where account_id = ${filters.accountId} and settled_at >= ${part.from}
            and settled_at <= ${Math.min(part.to - 1, place.settledAt)}
            and (settled_at < ${place.settledAt} or id < ${place.id})
          order by settled_at desc, id desc limit ${readAtOnce}`);
        for (const row of rows) {
          place = { settledAt: Number(row.settled_at), id: row.id };
          yield row;
        }
      }
    }
  }

  /** The parts of a range that may hold calls that fit, newest first: quarters of an hour where the sums tell. */
  async *#parts({ range, filters }: CallQuery, { settledAt }: CallPlace): AsyncGenerator<UsageRange> {
    if (!narrows(filters)) {
      yield range;
      return;
    }
    const to = Math.min(range.to, settledAt + 1);
    for (const day of await this.#starts(spans[1], { from: range.from, to }, filters)) {
      const length = spanLength(spans[1]);
      const ofDay = { from: Math.max(range.from, day), to: Math.min(to, day + length) };
      for (const quarter of await this.#starts(spans[0], ofDay, filters)) {
        const end = quarter + spanLength(spans[0]);
        yield { from: Math.max(ofDay.from, quarter), to: Math.min(ofDay.to, end) };
      }
    }
  }

  async #starts(span: number, range: UsageRange, filters: UsageFilters): Promise<readonly number[]> {
    const rows = await this.#reports.rows<{ start: bigint }>(sql`
      select distinct start from usage_sums where ${onSums(filters)} and ${within(span, range)} order by start desc`);
    return rows.map(({ start }) => Number(start) * spanLength(span));
  }

  async #page(ids: readonly string[], next: CallPlace | undefined, searchedTo: number): Promise<CallPage> {
    if (ids.length === 0) return { generations: [], next, searchedTo };
    const rows = await this.#reports.rows<GenerationRow>(sql`
      select * from generations where id in (${listed(ids)}) order by settled_at desc, id desc`);
    return { generations: rows.map(generationFromRow), next, searchedTo };
  }
}

function listed(values: readonly string[]): SqlStatement {
  return values.map((value) => sql`${value}`).reduce((one, other) => sql`${one}, ${other}`);
}

function sessionFromRow(row: SessionRow): UsageSession {
  return {
    id: JSON.parse(row.session ?? '""'),
    calls: Number(row.calls),
    failed: Number(row.failed),
    from: Number(row.begins),
    to: Number(row.ends),
    inputTokens: Number(row.input_tokens),
    outputTokens: Number(row.output_tokens),
    cost: nanoFromInteger(row.cost),
    ...(row.external_user !== null && { externalUser: JSON.parse(row.external_user) }),
  };
}

function stepOf(row: SumRow, start: number): UsageStep {
  return {
    value: row.value,
    start,
    requests: Number(row.requests),
    failed: Number(row.failed),
    cancelled: Number(row.cancelled),
    fallbacks: Number(row.fallbacks),
    streamed: Number(row.streamed),
    own: Number(row.own),
    unpriced: Number(row.unpriced),
    estimated: Number(row.estimated),
    inputTokens: Number(row.input_tokens),
    cachedTokens: Number(row.cached_tokens),
    outputTokens: Number(row.output_tokens),
    reasoningTokens: Number(row.reasoning_tokens),
    cost: nanoFromInteger(row.cost),
    listCost: nanoFromInteger(row.list_cost),
    byokCost: nanoFromInteger(row.byok_cost),
  };
}
