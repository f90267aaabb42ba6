import type { Endpoint } from '../core/catalogue.ts';
import type { EndpointStatistics } from '../ports/endpoint-statistics.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';
import { type EndpointCondition, endpointCondition } from './endpoint-condition.ts';
import type { Services } from './services.ts';

/** How an endpoint does, and since when. Times are Unix milliseconds. */
export interface EndpointState {
  readonly condition: EndpointCondition;
  /** Undefined while it is normal. */
  readonly since: number | undefined;
  /** When the wait after a 429 is over; undefined without one. */
  readonly until: number | undefined;
  /** Undefined without an answer within a day. */
  readonly lastSuccess: number | undefined;
}

/** What the looks read. */
type Looked = Pick<Services, 'catalogue' | 'routing' | 'endpointStatistics' | 'clock'> & {
  readonly statistics: Pick<EndpointStatistics, 'outcomes'>;
};

interface Trouble {
  readonly condition: EndpointCondition;
  readonly since: number;
}

/** Milliseconds between two looks. */
const usualPause = 2_000;

/**
 * Notes since when endpoints are not normal (docs/spec/catalogue.md#since-when). Looks now and then, because a condition also
 * changes when nothing happens.
 */
export class EndpointTroubles {
  readonly #services: Looked;
  readonly #looking: RecurringTask;
  /** By endpoint; only of those that are not normal, or have not answered since they were not. */
  #troubles = new Map<string, Trouble>();

  /** @param pause Milliseconds between two looks. */
  constructor(services: Looked, pause = usualPause) {
    this.#services = services;
    this.#looking = new RecurringTask(
      async () => this.look(),
      () => pause,
    );
  }

  /** Stops for good. */
  close(): void {
    this.#looking.close();
  }

  /** Notes what has changed since the last look; this also happens by itself. */
  look(): void {
    const troubles = new Map<string, Trouble>();
    for (const { endpoints } of this.#services.catalogue().models.values()) {
      for (const endpoint of endpoints) {
        const trouble = this.#troubleOf(endpoint);
        if (trouble !== undefined) troubles.set(nameOf(endpoint), trouble);
      }
    }
    // What is not in the catalogue any more is forgotten.
    this.#troubles = troubles;
  }

  /** How an endpoint does with the shared credential. */
  of(endpoint: Endpoint): EndpointState {
    const { statistics, clock } = this.#services;
    const now = clock.now();
    const condition = endpointCondition(endpoint, this.#services);
    const trouble = this.#troubleOf(endpoint);
    if (trouble !== undefined) this.#troubles.set(nameOf(endpoint), trouble);
    const { sinceSuccess, coolsFor = 0 } = statistics.outcomes({ endpoint }) ?? {};
    return {
      condition,
      since: condition === 'normal' ? undefined : trouble?.since,
      until: coolsFor > 0 ? Math.round(now + coolsFor) : undefined,
      lastSuccess: sinceSuccess === undefined ? undefined : Math.round(now - sinceSuccess),
    };
  }

  #troubleOf(endpoint: Endpoint): Trouble | undefined {
    const { statistics, clock } = this.#services;
    const now = clock.now();
    const condition = endpointCondition(endpoint, this.#services);
    const known = this.#troubles.get(nameOf(endpoint));
    if (condition !== 'normal') return known?.condition === condition ? known : { condition, since: now };
    if (known === undefined) return undefined;
    // Without an answer in between it is the same trouble when it shows again.
    const facts = statistics.outcomes({ endpoint });
    const { sinceSuccess = Number.POSITIVE_INFINITY } = facts ?? {};
    return facts !== undefined && now - sinceSuccess < known.since ? known : undefined;
  }
}

/** An endpoint of any catalogue. */
function nameOf({ provider, tag, upstreamModel }: Endpoint): string {
  return `${provider.slug} ${tag} ${upstreamModel}`;
}
