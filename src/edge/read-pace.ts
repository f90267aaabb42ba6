import type { IncomingMessage } from 'node:http';
import { TurnSum } from '../util/shared-turns.ts';

/** Bytes that bodies may bring together in one turn before those that go on wait. */
const freeInTurn = 512 * 1024;
/** Requests whose bodies are read on in one turn of the event loop. */
const perTurn = 2;

/**
 * The pace at which large bodies are read: of all of them together a few pieces in each turn of the event loop, so that
 * everything else has its turn in between. A process at ease has thousands of turns a second, so nobody waits there.
 */
class ReadPace {
  #waiting: IncomingMessage[] = [];
  readonly #inTurn = new TurnSum();
  readonly #onTurn = () => this.#readOn();

  /** Counts a piece that has come. Whether so much came in this turn that its body should wait before it goes on. */
  isCrowded(bytes: number): boolean {
    return this.#inTurn.add(bytes) > freeInTurn;
  }

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
