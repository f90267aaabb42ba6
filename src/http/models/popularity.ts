import type { Clock } from '../../ports/clock.ts';
import type { GenerationStore } from '../../ports/generations.ts';
import type { Popularity } from './query-sorts.ts';

const week = 7 * 86_400_000;
/** How old the sums may be, in milliseconds: reading them goes through a week of records. */
const freshFor = 300_000;

/** Which models were used how much in the last week; read from the records at most every five minutes. */
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
      .usage(now - week, 'model')
      .then((rows) => new Map(rows.map((row) => [row.group, row.inputTokens + row.outputTokens])));
    this.#tokens = reading;
    this.#readAt = now;
    reading.catch(() => {
      if (this.#tokens === reading) this.#tokens = undefined;
    });
    return reading;
  }
}
