import type {
  AttemptOutcome,
  AttemptRecord,
  EndpointFacts,
  Metric,
  MetricWindow,
  OutcomeCounts,
  OutcomeWindow,
  ToolCallCounts,
} from '../../../ports/endpoint-statistics.ts';
import { RollingCounts } from './rolling-counts.ts';
import { RollingPercentiles } from './rolling-percentiles.ts';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;

const outcomes: readonly AttemptOutcome[] = [
  'success',
  'failed',
  'overloaded',
  'timeout',
  'broken',
  'credential',
  'not_found',
  'rate_limited',
  'region',
  'refused',
];
const kindOf = Object.fromEntries(outcomes.map((outcome, kind) => [outcome, kind])) as Record<
  AttemptOutcome,
  number
>;

const outcomeWindows: readonly [OutcomeWindow, length: number, slots: number][] = [
  ['30s', 30 * second, 30],
  ['5m', 5 * minute, 30],
  ['30m', 30 * minute, 30],
  ['1d', 24 * hour, 48],
];
const metricWindows: readonly [MetricWindow, length: number, slots: number][] = [
  ['5m', 5 * minute, 30],
  ['30m', 30 * minute, 30],
  ['1d', 24 * hour, 24],
];
const toolCallWindow = { length: 2 * hour, slots: 24 };
const [allRequests, marked] = [0, 1];

/** How long a 429 keeps an endpoint back when it names no wait, and at most (routing.md 3.6). */
const coolDown = { usual: 10 * second, longest: 60 * second };

type ByWindow<Window extends string, Values> = Readonly<Record<Window, Values>>;

/** What one endpoint did lately with one credential. */
export class EndpointCell implements EndpointFacts {
  /** When something was last told, by the store's clock. */
  lastTold: number;
  readonly #now: () => number;
  readonly #outcomes: ByWindow<OutcomeWindow, RollingCounts>;
  readonly #metrics: Partial<Record<Metric, ByWindow<MetricWindow, RollingPercentiles>>> = {};
  #toolCalls: RollingCounts | undefined;
  #coolUntil = Number.NEGATIVE_INFINITY;

  /** @param now the time in milliseconds; never set back. */
  constructor(now: () => number) {
    this.#now = now;
    this.lastTold = now();
    this.#outcomes = byWindow(
      outcomeWindows,
      (length, slots) => new RollingCounts(length, slots, outcomes.length, this.lastTold),
    );
  }

  record({ outcome, timeToFirstToken, throughput, retryAfter }: AttemptRecord): void {
    const now = this.#now();
    this.lastTold = now;
    if (outcome !== undefined) {
      for (const [window] of outcomeWindows) this.#outcomes[window].add(kindOf[outcome], now);
    }
    if (outcome === 'rate_limited') this.#coolDown(retryAfter, now);
    if (timeToFirstToken !== undefined) this.#measure('latency', timeToFirstToken, now);
    if (throughput !== undefined) this.#measure('throughput', throughput, now);
  }

  recordToolCalls(valid: boolean): void {
    const now = this.#now();
    this.lastTold = now;
    const { length, slots } = toolCallWindow;
    this.#toolCalls ??= new RollingCounts(length, slots, 2, now);
    this.#toolCalls.add(allRequests, now);
    if (!valid) this.#toolCalls.add(marked, now);
  }

  outcomes(window: OutcomeWindow): OutcomeCounts {
    const totals = this.#outcomes[window].totals(this.#now());
    const counts = {} as Record<AttemptOutcome, number>;
    for (const [kind, outcome] of outcomes.entries()) counts[outcome] = totals[kind] ?? 0;
    return counts;
  }

  samples(metric: Metric, window: MetricWindow): number {
    return this.#metrics[metric]?.[window].count(this.#now()) ?? 0;
  }

  percentile(metric: Metric, window: MetricWindow, percent: number): number | undefined {
    return this.#metrics[metric]?.[window].percentile(percent, this.#now());
  }

  get coolingDown(): boolean {
    return this.#now() < this.#coolUntil;
  }

  get toolCalls(): ToolCallCounts {
    const totals = this.#toolCalls?.totals(this.#now());
    return { requests: totals?.[allRequests] ?? 0, marked: totals?.[marked] ?? 0 };
  }

  #measure(metric: Metric, value: number, now: number): void {
    const windows =
      this.#metrics[metric] ??
      byWindow(metricWindows, (length, slots) => new RollingPercentiles(length, slots, now));
    this.#metrics[metric] = windows;
    for (const [window] of metricWindows) windows[window].add(value, now);
  }

  #coolDown(retryAfter: number | undefined, now: number): void {
    const wait = retryAfter === undefined ? coolDown.usual : Math.min(retryAfter * second, coolDown.longest);
    this.#coolUntil = Math.max(this.#coolUntil, now + wait);
  }
}

function byWindow<Window extends string, Values>(
  windows: readonly (readonly [Window, number, number])[],
  create: (length: number, slots: number) => Values,
): ByWindow<Window, Values> {
  return Object.fromEntries(
    windows.map(([window, length, slots]) => [window, create(length, slots)]),
  ) as ByWindow<Window, Values>;
}
