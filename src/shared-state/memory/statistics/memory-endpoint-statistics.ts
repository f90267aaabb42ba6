import type { Endpoint } from '../../../core/catalogue.ts';
import type { Clock } from '../../../ports/clock.ts';
import type {
  AttemptRecord,
  EndpointAccess,
  EndpointFacts,
  EndpointStatistics,
} from '../../../ports/endpoint-statistics.ts';
import { EndpointCell } from './endpoint-cell.ts';

/** Whoever was silent for the longest window has nothing left to tell. */
const forgottenAfter = 24 * 3_600_000;
/** A busy endpoint takes about 100 kB, a quiet one 8 kB. */
const usualLimit = 10_000;
/** What is forgotten at once when the limit is reached, so that not every newcomer costs a search. */
const forgottenShare = 0.1;

/** Statistics of one process, in its memory. */
export class MemoryEndpointStatistics implements EndpointStatistics {
  readonly #clock: Clock;
  readonly #limit: number;
  readonly #cells = new Map<string, EndpointCell>();
  /** Spares the hot path the making of keys; a new catalogue brings new endpoints with the keys of old ones. */
  #keys = new WeakMap<Endpoint, string>();

  /**
   * @param clock one that is never set back.
   * @param limit how many endpoints and credentials are remembered.
   */
  constructor(clock: Clock, limit: number = usualLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  record(record: AttemptRecord): void {
    this.#cell(record).record(record);
  }

  recordToolCalls(access: EndpointAccess, valid: boolean): void {
    this.#cell(access).recordToolCalls(valid);
  }

  facts(access: EndpointAccess): EndpointFacts | undefined {
    const cell = this.#cells.get(this.#key(access));
    return cell !== undefined && this.#clock.now() - cell.lastTold < forgottenAfter ? cell : undefined;
  }

  #cell(access: EndpointAccess): EndpointCell {
    const key = this.#key(access);
    let cell = this.#cells.get(key);
    if (cell === undefined) {
      if (this.#cells.size >= this.#limit) this.#forget();
      cell = new EndpointCell(() => this.#clock.now());
      this.#cells.set(key, cell);
    }
    return cell;
  }

  #key({ endpoint, credentialId }: EndpointAccess): string {
    let key = this.#keys.get(endpoint);
    if (key === undefined) {
      key = `${endpoint.provider.slug} ${endpoint.tag} ${endpoint.upstreamModel}`;
      this.#keys.set(endpoint, key);
    }
    return credentialId === undefined ? key : `${key} ${credentialId}`;
  }

  #forget(): void {
    const silence = [...this.#cells].sort(([, left], [, right]) => left.lastTold - right.lastTold);
    const count = Math.ceil(this.#limit * forgottenShare);
    for (const [key] of silence.slice(0, count)) this.#cells.delete(key);
  }
}
