import type { Clock } from '../../../ports/clock.ts';
import type {
  AnswerFacts,
  Metric,
  MetricWindow,
  ToolCallCounts,
} from '../../../ports/endpoint-statistics.ts';
import { RollingCounts } from './rolling-counts.ts';
import { RollingPercentiles } from './rolling-percentiles.ts';
import { type ByWindow, byWindow, hour, minute, type WindowSize } from './windows.ts';

const windows: ByWindow<MetricWindow, WindowSize> = {
  '5m': [5 * minute, 30],
  '30m': [30 * minute, 30],
  '1d': [24 * hour, 24],
};
const toolCallWindow: WindowSize = [2 * hour, 24];
const [requests, marked] = [0, 1];

/** The recent answers of one endpoint. */
export class AnswerCell implements AnswerFacts {
  /** Time of the last record, by the given clock. */
  lastRecordedAt: number;
  readonly #clock: Clock;
  readonly #metrics: Partial<Record<Metric, ByWindow<MetricWindow, RollingPercentiles>>> = {};
  #toolCalls: RollingCounts | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lastRecordedAt = clock.now();
  }

  measure(metric: Metric, value: number): void {
    const now = this.#clock.now();
    this.lastRecordedAt = now;
    const values =
      this.#metrics[metric] ??
      byWindow(windows, (length, slots) => new RollingPercentiles(length, slots, now));
    this.#metrics[metric] = values;
    values['5m'].add(value, now);
    values['30m'].add(value, now);
    values['1d'].add(value, now);
  }

  recordToolCalls(valid: boolean): void {
    const now = this.#clock.now();
    this.lastRecordedAt = now;
    this.#toolCalls ??= new RollingCounts(...toolCallWindow, 2, now);
    this.#toolCalls.add(requests, now);
    if (!valid) this.#toolCalls.add(marked, now);
  }

  samples(metric: Metric, window: MetricWindow): number {
    return this.#metrics[metric]?.[window].count(this.#clock.now()) ?? 0;
  }

  percentiles(metric: Metric, window: MetricWindow, percents: readonly number[]): number[] | undefined {
    return this.#metrics[metric]?.[window].percentiles(percents, this.#clock.now());
  }

  get toolCalls(): ToolCallCounts {
    const totals = this.#toolCalls?.totals(this.#clock.now());
    return { requests: totals?.[requests] ?? 0, marked: totals?.[marked] ?? 0 };
  }
}
