import type { Endpoint } from '../../../core/catalogue.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  AnswerFacts,
  AttemptRecord,
  EndpointAccess,
  EndpointStatistics,
  OutcomeFacts,
} from '../../../ports/endpoint-statistics.ts';
import { AnswerCell } from './answer-cell.ts';
import { Cells } from './cells.ts';
import { OutcomeCell } from './outcome-cell.ts';

/** Identifies an endpoint for all processes of an installation. */
export type EndpointName = Pick<Endpoint, 'tag' | 'upstreamModel'> & {
  readonly provider: Pick<Endpoint['provider'], 'slug'>;
};

/** The record of an attempt, with the endpoint identified by name. */
export type NamedAttempt = Omit<AttemptRecord, 'endpoint'> & { readonly endpoint: EndpointName };

/** An endpoint takes about 20 kB; one with 20 answers per second all day takes 330 kB. */
const usualLimit = 5_000;

/** Statistics of one process, in its memory. */
export class MemoryEndpointStatistics implements EndpointStatistics {
  readonly #outcomes: Cells<OutcomeCell>;
  readonly #answers: Cells<AnswerCell>;
  /** Caches keys for the hot path; a new catalogue brings new endpoint objects with the same keys. */
  readonly #keys = new WeakMap<EndpointName, string>();

  /**
   * @param clock must be monotonic.
   * @param limit of endpoints, and of pairs of endpoint and credential.
   */
  constructor(clock: Clock, limit: number = usualLimit) {
    this.#outcomes = new Cells(clock, limit, () => new OutcomeCell(clock));
    this.#answers = new Cells(clock, limit, () => new AnswerCell(clock));
  }

  record({ endpoint, credentialId, outcome, timeToFirstToken, throughput, retryAfter }: NamedAttempt): void {
    if (outcome !== undefined)
      this.#outcomes.open(this.#key(endpoint, credentialId)).record(outcome, retryAfter);
    if (timeToFirstToken === undefined && throughput === undefined) return;
    const answers = this.#answers.open(this.#key(endpoint));
    if (timeToFirstToken !== undefined) answers.measure('latency', timeToFirstToken);
    if (throughput !== undefined) answers.measure('throughput', throughput);
  }

  recordToolCalls(endpoint: EndpointName, valid: boolean): void {
    this.#answers.open(this.#key(endpoint)).recordToolCalls(valid);
  }

  outcomes({ endpoint, credentialId }: EndpointAccess): OutcomeFacts | undefined {
    return this.#outcomes.find(this.#key(endpoint, credentialId));
  }

  answers(endpoint: Endpoint): AnswerFacts | undefined {
    return this.#answers.find(this.#key(endpoint));
  }

  #key(endpoint: EndpointName, credentialId?: string): string {
    let key = this.#keys.get(endpoint);
    if (key === undefined) {
      key = `${endpoint.provider.slug} ${endpoint.tag} ${endpoint.upstreamModel}`;
      this.#keys.set(endpoint, key);
    }
    return credentialId === undefined ? key : `${key} ${credentialId}`;
  }
}
