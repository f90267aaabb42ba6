import type { Clock } from '../../ports/clock.ts';
import type { GenerationStore } from '../../ports/generations.ts';
import { dayLength, utcDay } from '../../util/utc-windows.ts';
import type { Popularity } from './query-sorts.ts';

/** How old the sums may be, in milliseconds: reading them goes through all that was used in a week. */
const freshFor = 300_000;

/**
 * Which models were used how much in the last seven UTC days, today included; read at most every five minutes. Whole days,
 * for those are read from sums, and a part of one call by call.
 */
export class WeeklyPopularity {
  readonly #generations: Pick<GenerationStore, 'usage'>;
  readonly #clock: Clock;
  #tokens: Promise<Popularity> | undefined;
  #readAt = 0;

  constructor(generations: Pick<GenerationStore, 'usage'>, clock: Clock) {
    this.#generations = generations;
    this.#clock = clock;
  }

  read(): Promise<Popularity> {
    const now = this.#clock.now();
    if (this.#tokens !== undefined && now - this.#readAt < freshFor) return this.#tokens;
    const reading = this.#generations
      .usage((utcDay(now) - 6) * dayLength, 'model')
      .then((rows) => new Map(rows.map((row) => [row.group, row.inputTokens + row.outputTokens])));
    this.#tokens = reading;
    this.#readAt = now;
    reading.catch(() => {
      if (this.#tokens === reading) this.#tokens = undefined;
    });
    return reading;
  }
}
