import type { IncomingMessage } from 'node:http';

/** Requests whose bodies are read on in one turn of the event loop. */
const perTurn = 2;

/**
 * The pace at which large bodies are read: of all of them together a few pieces in each turn of the event loop, so that
 * everything else has its turn in between. A process at ease has thousands of turns a second, so nobody waits there.
 */
class ReadPace {
  #waiting: IncomingMessage[] = [];
  readonly #onTurn = () => this.#readOn();

  /** Reads on in a body when it is its turn. */
  wait(request: IncomingMessage): void {
    request.pause();
    if (this.#waiting.push(request) === 1) setImmediate(this.#onTurn);
  }

  #readOn(): void {
    for (const request of this.#waiting.slice(0, perTurn)) request.resume();
    this.#waiting = this.#waiting.slice(perTurn);
    if (this.#waiting.length > 0) setImmediate(this.#onTurn);
  }
}

/** The pace of this process. */
export const readPace = new ReadPace();
