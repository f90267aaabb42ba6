import type { ServerResponse } from 'node:http';
import { HeadgateError } from '../core/errors.ts';

/** Seconds after which other requests may be over. */
const crowdedRetry = 1;

/**
 * Bounds the bytes of all request bodies this process holds at once: a body that has come stays in memory, in one form
 * or another, until its request is answered, so the bound of each body alone is none of them together.
 */
export class BodyBudget {
  readonly #limit: number;
  #held = 0;

  /** @param limit Bytes. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * How a request asks for room, piece by piece. What it got is given back when its answer is over or its client gone.
   * The result throws HeadgateError `service_unavailable` when there is no room for so many bytes.
   */
  open(response: ServerResponse): (bytes: number) => void {
    let own = 0;
    let over = response.destroyed;
    response.once('close', () => {
      over = true;
      this.#held -= own;
    });
    return (bytes) => {
      if (over) return;
      if (this.#held + bytes > this.#limit) throw crowded();
      own += bytes;
      this.#held += bytes;
    };
  }
}

function crowded(): HeadgateError {
  return new HeadgateError('service_unavailable', 'This server holds as many request bodies as it can.', {
    retryAfter: crowdedRetry,
  });
}
