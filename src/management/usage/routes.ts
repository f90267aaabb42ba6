import { HeadgateError } from '../../core/errors.ts';
import { apiBase } from '../../edge/route.ts';
import type { HitSums } from '../../ports/cached-hits.ts';
import type { UsageSums } from '../../ports/usage.ts';
import { unit, withUnit } from '../../schema/units.ts';
import { isoTime } from '../../util/iso-time.ts';
import { integer, type Static, type TUnsafe, Type, text, word } from '../../util/json-schema.ts';
import { exportRow } from '../export-row.ts';
import type { InterfaceServices } from '../interface-services.ts';
import { lastUses } from '../keys/keys.ts';
import { managed, queryFlag } from '../parts.ts';
import { readCall } from '../reports/reports.ts';
import { withRole } from '../roles.ts';
import { jsonRow, type Row } from '../row.ts';
import { listFilters, range, rangeOf, readListFilters, readSumFilters, sumFilters } from './call-filters.ts';
import { exportCalls, type ListedCall, listCalls, withVerdicts } from './calls.ts';
import type { CallTimesSummary } from './cells.ts';
import { CallDetail, CallList, CallRow, LastUses, UsageSeries, UsageValues } from './schemas.ts';
import {
  type Series,
  type SeriesGroup,
  type SeriesTimes,
  usageSeries,
  visibleTo,
  type WantedTimes,
} from './series.ts';
import { keyNames, showCall, showCallDetail, usageLabels } from './show.ts';

type ShownCall = Static<typeof CallRow>;

const columns = Object.keys(CallRow.properties ?? {}) as (keyof ShownCall)[];

/** The list of calls as a file. */
export const usageExportRow = exportRow({
  access: 'key',
  needs: 'usage',
  path: `${apiBase}/generations/export`,
  id: 'exportGenerations',
  summary: 'All calls of a list as one file: CSV, or a line of JSON each; a key of inference gets its own',
  name: 'requests',
  query: Type.Object(listFilters),
  columns,
  cells: (call: ShownCall) => columns.map((column) => call[column]),
  pages: ({ actor, query }, services) =>
    shownPages(exportCalls(actor, readListFilters(query, services.clock.now()), services), services),
});

async function* shownPages(
  pages: AsyncIterable<readonly ListedCall[]>,
  services: InterfaceServices,
): AsyncGenerator<readonly ShownCall[]> {
  const catalogue = services.catalogue();
  const names = new Map<string, string>();
  for await (const calls of pages) {
    const unknown = calls.map(({ generation }) => generation.keyHash).filter((hash) => !names.has(hash));
    const known = await keyNames(unknown, services);
    // Keys that were deleted have no name, and are not asked for again.
    for (const hash of unknown) names.set(hash, known.get(hash) ?? hash.slice(0, 8));
    yield calls.map((call) => showCall(call, catalogue, names));
  }
}

const maybe = Type.Optional;
const shared = { access: 'key', needs: 'usage', reachesDatabase: true, method: 'GET' } as const;
const timesWords: ReadonlyMap<string, WantedTimes> = new Map([
  ['true', 'percentiles'],
  ['false', 'none'],
  ['classes', 'classes'],
]);
const dimension = word(['key', 'workspace', 'model', 'provider', 'endpoint', 'error']);

const wantedTimes: TUnsafe<WantedTimes> = withUnit(
  unit('times', 'true, false or classes', (text) => {
    const found = timesWords.get(text.toLowerCase());
    if (found === undefined) throw new RangeError('is not known');
    return found;
  }),
  word(['true', 'false', 'classes'], {
    description: 'Whether percentiles of times are wanted, or also how many lie in which class',
  }),
);

/** What was used, and every call (docs/spec/dashboard.md#numbers, docs/spec/dashboard.md#requests). */
export const usageRows: readonly Row[] = [
  jsonRow({
    ...shared,
    path: `${apiBase}/usage/series`,
    id: 'getUsageSeries',
    summary: 'Usage over time, by group; a key of inference sees its own',
    query: Type.Object({
      ...range,
      bucket: word(['auto', '15m', '1h', '1d', 'all'], { default: 'auto' }),
      tz: text({ default: 'UTC', maxLength: 64, description: 'A zone such as Europe/Berlin' }),
      group: maybe(dimension),
      top: integer({ minimum: 1, maximum: 50, default: 6 }),
      compare: maybe(word(['previous', 'week'])),
      times: maybe(wantedTimes),
      all_accounts: maybe(
        queryFlag('Of all accounts together, without keys, workspaces and times; only for operators'),
      ),
      ...sumFilters,
    }),
    answer: UsageSeries,
    handle: async ({ actor, query }, services) => {
      const now = services.clock.now();
      const { from, to } = rangeOf(query, now);
      const { bucket, tz: zone, group, top, compare, times = 'none' } = query;
      const { all_accounts: allAccounts = false } = query;
      const filters = readSumFilters(query);
      const asked = { from, to, bucket, zone, filters, group, top, compare, times, allAccounts };
      const who = allAccounts ? await withRole(actor, services) : actor;
      const series = await usageSeries(who, asked, services);
      const values = series.groups.flatMap(({ value }) => value ?? []);
      const label = group && (await usageLabels(group, values, actor.account.id, services));
      return { data: showSeries(series, label ?? String, now) };
    },
  }),
  jsonRow({
    ...shared,
    path: `${apiBase}/usage/values`,
    id: 'listUsageValues',
    summary: 'What a filter can be set to, by how much it was used',
    query: Type.Object({ ...range, dimension, prefix: text({ default: '' }) }),
    answer: UsageValues,
    handle: async ({ actor, query }, services) => {
      const filters = visibleTo(actor, {});
      const asked = { range: rangeOf(query, services.clock.now()), filters, dimension: query.dimension };
      const found = await services.storage.usage.totals(asked, mostValues);
      const values = found.map(({ value }) => value);
      const label = await usageLabels(query.dimension, values, actor.account.id, services);
      const prefix = query.prefix.toLowerCase();
      const data = found
        .filter(({ value }) => value !== '')
        .map((sums) => ({
          value: sums.value,
          label: label(sums.value),
          requests: sums.requests,
          cost_nano: showSums(sums).cost_nano,
        }))
        .filter((one) => `${one.value} ${one.label}`.toLowerCase().includes(prefix));
      return { data: data.slice(0, shownValues) };
    },
  }),
  jsonRow({
    ...managed('usage'),
    method: 'GET',
    path: `${apiBase}/usage/last`,
    id: 'listLastUses',
    summary: 'When the keys of the account were last used, within 90 days',
    answer: LastUses,
    handle: async ({ actor }, services) => {
      const { since, uses } = await lastUses(actor, services);
      const data = uses.map(({ keyHash, start, span }) => ({
        key: keyHash,
        from: isoTime(start),
        to: isoTime(start + span * 60_000),
      }));
      return { data, since: isoTime(since) };
    },
  }),
  jsonRow({
    ...shared,
    path: `${apiBase}/generations`,
    id: 'listGenerations',
    summary:
      'Calls that ended and requests that were turned away in a range, newest first; a key of inference sees its own',
    query: Type.Object({
      ...listFilters,
      cursor: maybe(text({ maxLength: 400 })),
      limit: integer({ minimum: 1, maximum: 200, default: 50 }),
    }),
    answer: CallList,
    handle: async ({ actor, query }, services) => {
      const { cursor, limit } = query;
      const asked = { ...readListFilters(query, services.clock.now()), cursor, limit };
      const page = await listCalls(actor, asked, services);
      const catalogue = services.catalogue();
      const keys = await keyNames(
        page.calls.map(({ generation }) => generation.keyHash),
        services,
      );
      return {
        data: page.calls.map((call) => showCall(call, catalogue, keys)),
        next: page.next ?? null,
        searched_to: isoTime(page.searchedTo),
        complete: page.next === undefined,
      };
    },
  }),
  jsonRow({
    ...shared,
    path: `${apiBase}/generations/{id}`,
    id: 'getGenerationDetail',
    summary: 'All that is known of one call; never what was said',
    failures: ['not_found'],
    answer: CallDetail,
    handle: async ({ actor, params: { id = '' } }, services) => {
      const [call] = await withVerdicts([await readCall(actor, id, services)], services);
      if (call === undefined) throw new HeadgateError('not_found', 'There is no such generation.');
      const hashes = [call.generation, ...call.related].map(({ keyHash }) => keyHash);
      return { data: showCallDetail(call, services.catalogue(), await keyNames(hashes, services)) };
    },
  }),
];

const mostValues = 1_000;
const shownValues = 50;

type Shown = Static<typeof UsageSeries>['data'];

/** A chart as its readers see it. @param now Unix milliseconds. */
function showSeries(
  { steps, zone, readAt, all, groups, others, previous, times, cachedHits }: Series,
  label: (value: string) => string,
  now: number,
): Shown {
  const { starts, end, bucket } = steps;
  const named = (group: SeriesGroup) =>
    showGroup(group, group.value === undefined ? 'Other' : label(group.value));
  return {
    from: isoTime(starts[0] ?? end),
    to: isoTime(end),
    bucket,
    tz: zone,
    as_of: isoTime(readAt ?? now),
    last_is_partial: end > (readAt ?? now),
    starts: starts.map(isoTime),
    total: showGroup(all, 'All'),
    groups: groups.map(named),
    others,
    times: times === undefined ? null : showSeriesTimes(times),
    cached_answers:
      cachedHits === undefined
        ? null
        : { total: showHits(cachedHits.all), series: cachedHits.steps.map(showHits) },
    previous:
      previous === undefined
        ? null
        : {
            from: isoTime(previous.range.from),
            to: isoTime(previous.range.to),
            totals: showSums(previous.totals),
          },
  };
}

function showGroup({ value, totals, series }: SeriesGroup, label: string): Shown['total'] {
  return { value: value ?? null, label, totals: showSums(totals), series: series.map(showSums) };
}

function showHits({ hits, saved }: HitSums) {
  return { hits, saved_nano: String(saved) };
}

/** Sums with exact amounts. */
function showSums(sums: UsageSums): Shown['total']['totals'] {
  return {
    requests: sums.requests,
    failed: sums.failed,
    cancelled: sums.cancelled,
    fallbacks: sums.fallbacks,
    streamed: sums.streamed,
    own_credential: sums.own,
    unpriced: sums.unpriced,
    estimated: sums.estimated,
    input_tokens: sums.inputTokens,
    cached_tokens: sums.cachedTokens,
    output_tokens: sums.outputTokens,
    reasoning_tokens: sums.reasoningTokens,
    cost_nano: String(sums.cost),
    list_cost_nano: String(sums.listCost),
    byok_cost_nano: String(sums.byokCost),
  };
}

function showSeriesTimes({ all, steps, classes }: SeriesTimes): NonNullable<Shown['times']> {
  return {
    total: showTimes(all),
    series: steps.map(showTimes),
    classes: classes === undefined ? null : { bounds_ms: classes.bounds, counts: classes.counts },
  };
}

function showTimes({ samples, firstToken, total, speed }: CallTimesSummary) {
  return {
    n: samples,
    first_token_ms: firstToken ?? null,
    total_ms: total ?? null,
    tokens_per_second: speed ?? null,
  };
}
