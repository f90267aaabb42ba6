import type { Clock } from '../../../ports/clock.ts';
import {
  type AttemptOutcome,
  type OutcomeCounts,
  type OutcomeFacts,
  type OutcomeWindow,
  type UptimeCounts,
  uptimeFailures,
} from '../../../ports/endpoint-statistics.ts';
import { RollingCounts } from './rolling-counts.ts';
import { type ByWindow, byWindow, hour, minute, second, type WindowSize } from './windows.ts';

/** All outcomes, in the order of their counters. */
export const outcomeKinds: readonly AttemptOutcome[] = [
  'success',
  ...uptimeFailures,
  'rate_limited',
  'region',
  'refused',
];
const success = 0;

const windows: ByWindow<OutcomeWindow, WindowSize> = {
  '30s': [30 * second, 30],
  '5m': [5 * minute, 30],
  '30m': [30 * minute, 30],
  '1d': [24 * hour, 48],
};

/** The recent outcomes of one endpoint with one credential. */
export class OutcomeCell implements OutcomeFacts {
  /** Time of the last record, by the given clock. */
  lastRecordedAt: number;
  readonly #clock: Clock;
  readonly #counts: ByWindow<OutcomeWindow, RollingCounts>;
  readonly #all: readonly RollingCounts[];
  #coolUntil = Number.NEGATIVE_INFINITY;
  #succeededAt: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lastRecordedAt = clock.now();
    this.#counts = byWindow(
      windows,
      (length, slots) => new RollingCounts(length, slots, outcomeKinds.length, this.lastRecordedAt),
    );
    this.#all = Object.values(this.#counts);
  }

  /** @param retryAfter Seconds to wait, with a 429 or a refused credential. */
  record(outcome: AttemptOutcome, retryAfter: number | undefined): void {
    const now = this.#clock.now();
    this.lastRecordedAt = now;
    const kind = outcomeKinds.indexOf(outcome);
    if (kind === success) this.#succeededAt = now;
    for (const counts of this.#all) counts.add(kind, now);
    if (retryAfter === undefined) return;
    this.#coolUntil = Math.max(this.#coolUntil, now + retryAfter * second);
  }

  uptime(window: OutcomeWindow): UptimeCounts {
    const totals = this.#counts[window].totals(this.#clock.now());
    let failures = 0;
    for (let kind = 1; kind <= uptimeFailures.length; kind += 1) failures += totals[kind] ?? 0;
    return { attempts: failures + (totals[success] ?? 0), failures };
  }

  outcomes(window: OutcomeWindow): OutcomeCounts {
    const totals = this.#counts[window].totals(this.#clock.now());
    const entries = outcomeKinds.map((outcome, kind) => [outcome, totals[kind] ?? 0] as const);
    return Object.fromEntries(entries) as Record<AttemptOutcome, number>;
  }

  get coolingDown(): boolean {
    return this.#clock.now() < this.#coolUntil;
  }

  get coolsFor(): number {
    return Math.max(0, this.#coolUntil - this.#clock.now());
  }

  get sinceSuccess(): number | undefined {
    return this.#succeededAt === undefined ? undefined : this.#clock.now() - this.#succeededAt;
  }
}
