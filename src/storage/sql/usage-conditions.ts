import type { CallFilters, UsageFilters, UsageRange } from '../../ports/usage.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { spanLength, spans } from './usage-sums.ts';
import { verdictNumber } from './values.ts';

/** A condition that always holds. */
const any = sql`1 = 1`;

/** All of some conditions. */
export function all(conditions: readonly (SqlStatement | undefined)[]): SqlStatement {
  return conditions.reduce<SqlStatement>(
    (one, other) => (other === undefined ? one : sql`${one} and ${other}`),
    any,
  );
}

/** A condition on the columns of `usage_sums`. */
export function onSums(filters: UsageFilters): SqlStatement {
  const { accountId, keyHash, workspaceId, model, provider, endpoint, errorType, failed } = filters;
  return all([
    accountId === undefined ? undefined : sql`account_id = ${accountId}`,
    keyHash === undefined ? undefined : sql`key_hash = ${keyHash}`,
    workspaceId === undefined ? undefined : sql`workspace_id = ${workspaceId}`,
    model === undefined ? undefined : onModel(sql`model`, model),
    provider === undefined ? undefined : sql`provider = ${provider}`,
    endpoint === undefined ? undefined : sql`endpoint_tag = ${endpoint}`,
    errorType === undefined ? undefined : sql`error_type = ${errorType}`,
    failed === undefined ? undefined : failed ? sql`error_type <> ''` : sql`error_type = ''`,
  ]);
}

/** Whether the sums can tell where calls are that fit. */
export function narrows({ accountId: _account, ...filters }: UsageFilters): boolean {
  return Object.values(filters).some((value) => value !== undefined);
}

/** A condition on the time of rows of `usage_sums` of one span. */
export function within(span: number, { from, to }: UsageRange): SqlStatement {
  const length = spanLength(span);
  return sql`span = ${span} and start >= ${Math.floor(from / length)} and start < ${Math.ceil(to / length)}`;
}

/** A part of a range that is read from rows of one span. */
export interface RangeOfSpan extends UsageRange {
  readonly span: (typeof spans)[number];
}

/** What makes up a range: days in the middle, quarters of an hour at its ends. */
export function rangesOfSpans({ from, to }: UsageRange): readonly RangeOfSpan[] {
  const [quarters, days] = spans;
  const day = spanLength(days);
  const [first, end] = [Math.ceil(from / day) * day, Math.floor(to / day) * day];
  if (first >= end) return [{ span: quarters, from, to }];
  return [
    { span: days, from: first, to: end },
    { span: quarters, from, to: first },
    { span: quarters, from: end, to },
  ];
}

/** The rows of `usage_sums` that make up a range. */
export function coverage(range: UsageRange): SqlStatement {
  const parts = rangesOfSpans(range).map(({ span, ...part }) => sql`(${within(span, part)})`);
  return sql`(${parts.reduce((one, other) => sql`${one} or ${other}`)})`;
}

/** A condition on records of calls, by what the sums know too. */
export function onCalls(filters: UsageFilters, details: DetailsSql): SqlStatement {
  const { keyHash, workspaceId, model, provider, endpoint, errorType, failed } = filters;
  const error = details.text('errorType');
  return all([
    keyHash === undefined ? undefined : sql`key_hash = ${keyHash}`,
    workspaceId === undefined ? undefined : sql`workspace_id = ${workspaceId}`,
    model === undefined ? undefined : onModel(sql`coalesce(model, requested_model)`, model),
    provider === undefined ? undefined : sql`provider = ${provider}`,
    endpoint === undefined ? undefined : sql`endpoint_tag = ${endpoint}`,
    errorType === undefined ? undefined : sql`${error} = ${errorType}`,
    failed === undefined ? undefined : failed ? sql`${error} is not null` : sql`${error} is null`,
  ]);
}

/** A condition on what only records of calls know. */
export function onDetails(filters: CallFilters, details: DetailsSql): SqlStatement {
  const holds = (condition: SqlStatement, wanted: boolean | undefined) =>
    wanted === undefined ? undefined : wanted ? sql`(${condition})` : sql`not (${condition})`;
  const isSet = (name: string, wanted: boolean | undefined) => holds(details.flag(name), wanted);
  const equal = (name: string, value: string | undefined) =>
    value === undefined ? undefined : details.equal(name, value);
  const atLeast = (column: SqlStatement, least: number | bigint | undefined) =>
    least === undefined ? undefined : sql`${column} >= ${least}`;
  const { own, fallback, requestId, requestedModel, status } = filters;
  return all([
    isSet('cancelled', filters.cancelled),
    isSet('streamed', filters.streamed),
    isSet('unpriced', filters.unpriced),
    isSet('usageEstimated', filters.estimated),
    own === undefined ? undefined : sql`is_byok = ${own ? 1 : 0}`,
    holds(details.severalAttempts, fallback),
    atLeast(sql`cost`, filters.minCost),
    atLeast(sql`settled_at - created_at`, filters.minTotalTime),
    atLeast(details.number('latency'), filters.minFirstToken),
    atLeast(sql`coalesce(input_tokens, 0) + coalesce(output_tokens, 0)`, filters.minTokens),
    equal('sessionId', filters.sessionId),
    equal('externalUser', filters.externalUser),
    equal('appTitle', filters.appTitle),
    equal('routedBy', filters.router),
    equal('preset', filters.preset),
    filters.verdict === undefined
      ? undefined
      : sql`exists (select 1 from feedback
          where generation_id = generations.id and verdict = ${verdictNumber(filters.verdict)})`,
    requestedModel === undefined ? undefined : onModel(sql`requested_model`, requestedModel),
    status === undefined ? undefined : sql`${details.lastStatus} = ${status}`,
    requestId === undefined ? undefined : sql`(id = ${requestId} or request_id = ${requestId})`,
  ]);
}

/** How an engine reads a member of `details`. Names are our own. */
export interface DetailsSql {
  text(name: string): SqlStatement;
  /** Whether a flag is set. */
  flag(name: string): SqlStatement;
  /** Whether a text is this one. */
  equal(name: string, value: string): SqlStatement;
  number(name: string): SqlStatement;
  /** A text as JSON, with its quotes; null where it is absent. */
  json(name: string): SqlStatement;
  /** Whether more than one endpoint was asked. */
  readonly severalAttempts: SqlStatement;
  /** The status of the last attempt. */
  readonly lastStatus: SqlStatement;
  /** Whether a router chose the model, in the words of the index of those calls. */
  readonly ofRouters: SqlStatement;
}

/** A condition on a model, or on all that begin with what stands before `*`. */
export function onModel(column: SqlStatement, wanted: string): SqlStatement {
  if (!wanted.endsWith('*')) return sql`${column} = ${wanted}`;
  const start = wanted.slice(0, -1);
  return sql`substr(${column}, 1, ${[...start].length}) = ${start}`;
}

/** Each attempt has one tag. */
const severalAttempts = rawSql(`details like '%"tag":"%"tag":"%'`);

/** As SQLite reads them. */
export const sqliteDetails: DetailsSql = {
  text: (name) => rawSql(`(details ->> '${name}')`),
  flag: (name) => rawSql(`(details ->> '${name}') is not null`),
  equal: (name, value) => sql`(${rawSql(`details ->> '${name}'`)}) = ${value}`,
  number: (name) => rawSql(`(details ->> '${name}')`),
  json: (name) => rawSql(`(details -> '$.${name}')`),
  severalAttempts,
  lastStatus: rawSql(`(details ->> '$.attempts[#-1].status')`),
  ofRouters: rawSql(`instr(details, '"routedBy":') > 0`),
};

/**
 * As PostgreSQL reads them: as text, because its JSON types refuse characters that texts of clients may hold. Quotes
 * inside of texts are escaped, so a member's name in quotes is nothing but that. Attempts have members of the same names.
 */
export const postgresDetails: DetailsSql = {
  text: (name) => rawSql(`substring(details from '"${name}":"([^"]*)"')`),
  flag: (name) => rawSql(`strpos(details, '"${name}":true') > 0`),
  equal: (name, value) => sql`strpos(details, ${`"${name}":${JSON.stringify(value)}`}) > 0`,
  number: (name) =>
    rawSql(`cast(substring(split_part(details, '"attempts":[', 1) from '"${name}":([0-9]+)') as bigint)`),
  json: (name) => rawSql(String.raw`substring(details from '"${name}":("(?:[^"\\]|\\.)*")')`),
  severalAttempts,
  // No text of an attempt holds brackets: the first one that is closed ends the list.
  lastStatus: rawSql(
    `cast(substring(split_part(split_part(details, '"attempts":[', 2), '],"', 1) from '.*"status":([0-9]+)') as bigint)`,
  ),
  ofRouters: rawSql(`strpos(details, '"routedBy":') > 0`),
};
