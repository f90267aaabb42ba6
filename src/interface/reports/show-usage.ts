import type { CallTimesSummary } from '../../operations/usage/summarize-times.ts';
import type { Series, SeriesGroup, SeriesTimes } from '../../operations/usage/usage-series.ts';
import type { HitSums } from '../../ports/cached-hits.ts';
import type { UsageSums } from '../../ports/usage.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { Static } from '../../util/json-schema.ts';
import type { UsageSeries } from '../schemas/usage.ts';

type Shown = Static<typeof UsageSeries>['data'];

/** A chart as its readers see it. @param now Unix milliseconds. */
export function showSeries(
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
export function showSums(sums: UsageSums): Shown['total']['totals'] {
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
