import type { Clock } from '../../../ports/clock.ts';
import {
  type AttemptOutcome,
  type OutcomeCounts,
  type OutcomeFacts,
  type OutcomeWindow,
  type UptimeCounts,
  uptimeFailures,
} from '../../../ports/endpoint-statistics.ts';
import { type ByWindow, byWindow, hour, minute, second, type WindowSize } from './windows.ts';

/**
 * The slots of a sliding window: time is divided into slots, of which the last `count` form the window. The current
 * slot is part of it, so a window covers between `count - 1` and `count` slots.
 */
export class RollingSlots {
  readonly count: number;
  readonly #slotLength: number;
  /** The current slot, counted from the clock's zero. */
  #current: number;

  /** @param length of the window in milliseconds. */
  constructor(length: number, count: number, now: number) {
    this.count = count;
    this.#slotLength = length / count;
    this.#current = Math.floor(now / this.#slotLength);
  }

  /** The index of the current slot in a ring of `count` places. */
  get place(): number {
    return this.#current % this.count;
  }

  /**
   * Moves on to `now` and calls back with the index of each expired slot. A clock that goes back changes nothing.
   */
  advance(now: number, onExpired: (place: number) => void): void {
    const slot = Math.floor(now / this.#slotLength);
    if (slot <= this.#current) return;
    const expired = Math.min(slot - this.#current, this.count);
    for (let step = 0; step < expired; step += 1) onExpired((slot - step) % this.count);
    this.#current = slot;
  }
}

/** Counts of a few kinds of events over a sliding window; adding and reading cost nanoseconds. */
export class RollingCounts {
  readonly #slots: RollingSlots;
  readonly #kinds: number;
  readonly #counts: Uint32Array;
  readonly #totals: Uint32Array;
  readonly #expire: (place: number) => void;

  /** @param length of the window in milliseconds. */
  constructor(length: number, slotCount: number, kinds: number, now: number) {
    this.#slots = new RollingSlots(length, slotCount, now);
    this.#kinds = kinds;
    this.#counts = new Uint32Array(slotCount * kinds);
    this.#totals = new Uint32Array(kinds);
    this.#expire = (place) => this.#clear(place);
  }

  add(kind: number, now: number): void {
    this.#slots.advance(now, this.#expire);
    this.#bump(this.#counts, this.#slots.place * this.#kinds + kind);
    this.#bump(this.#totals, kind);
  }

  /** The sums by kind, in an array that the next call reuses. */
  totals(now: number): Uint32Array {
    this.#slots.advance(now, this.#expire);
    return this.#totals;
  }

  #bump(counts: Uint32Array, index: number): void {
    counts[index] = (counts[index] ?? 0) + 1;
  }

  #clear(place: number): void {
    const start = place * this.#kinds;
    for (let kind = 0; kind < this.#kinds; kind += 1) {
      this.#totals[kind] = (this.#totals[kind] ?? 0) - (this.#counts[start + kind] ?? 0);
    }
    this.#counts.fill(0, start, start + this.#kinds);
  }
}

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
