import type { AttemptOutcome } from '../ports/endpoint-statistics.ts';
import { Histogram } from './histogram.ts';

/** How attempts end, and `abandoned`: aborted because the client left or another attempt was faster. */
export type CountedOutcome = AttemptOutcome | 'abandoned';

/** The counters of one provider. */
export interface ProviderCounters {
  readonly attempts: Record<CountedOutcome, number>;
  /** Tokens. */
  input: number;
  cachedInput: number;
  output: number;
  reasoning: number;
  /** Answers whose reported usage could not be true. */
  implausible: number;
  /** Nano-USD, as numbers: exact up to nine million USD, and off by a billionth above. */
  charged: number;
  listCost: number;
  /** Seconds. */
  readonly timeToFirstToken: Histogram;
}

/** Seconds from receiving a streamed request to its first visible delta. */
const firstTokenBounds = [0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 12, 30, 60, 120];

/** Limit of providers; further ones share one name. */
const maxProviders = 300;
/** The name that they share. */
const otherProviders = 'other';

/** Counters by the provider's slug. Only configured providers appear, whatever requests contain. */
export class CountersByProvider {
  readonly #counters = new Map<string, ProviderCounters>();

  of(slug: string): ProviderCounters {
    return this.#counters.get(slug) ?? this.#add(slug);
  }

  /** The slug and counters of every provider that was used. */
  [Symbol.iterator](): IterableIterator<[string, ProviderCounters]> {
    return this.#counters.entries();
  }

  #add(slug: string): ProviderCounters {
    const name = this.#counters.size < maxProviders ? slug : otherProviders;
    let counters = this.#counters.get(name);
    if (counters === undefined) {
      counters = newCounters();
      this.#counters.set(name, counters);
    }
    return counters;
  }
}

function newCounters(): ProviderCounters {
  return {
    attempts: {
      success: 0,
      failed: 0,
      overloaded: 0,
      timeout: 0,
      broken: 0,
      credential: 0,
      not_found: 0,
      rate_limited: 0,
      region: 0,
      refused: 0,
      abandoned: 0,
    },
    input: 0,
    cachedInput: 0,
    output: 0,
    reasoning: 0,
    implausible: 0,
    charged: 0,
    listCost: 0,
    timeToFirstToken: new Histogram(firstTokenBounds),
  };
}
