import { EventEmitter } from 'node:events';
import type { WebSocket } from 'ws';
import type { AnswerTarget } from '../running-call.ts';

/** Bytes that wait for the client before an answer does. */
const highWater = 64 * 1024;

/** The answer to one message, at the pace of its client. */
export class SocketAnswer extends EventEmitter implements AnswerTarget {
  readonly #connection: WebSocket;
  readonly #sendTimeout: number;
  #isClosed = false;

  /** @param sendTimeout Milliseconds a client may take nothing. */
  constructor(connection: WebSocket, sendTimeout: number) {
    super();
    this.#connection = connection;
    this.#sendTimeout = sendTimeout;
  }

  get writableNeedDrain(): boolean {
    return this.#connection.bufferedAmount > highWater;
  }

  /** Sends a message. Resolves when the client keeps up, or has gone or takes nothing. */
  send(message: string): Promise<void> | undefined {
    if (this.#connection.readyState !== this.#connection.OPEN) return undefined;
    if (this.#connection.bufferedAmount + message.length <= highWater) {
      this.#connection.send(message);
      return undefined;
    }
    return new Promise((resolve) => {
      const stalled = setTimeout(() => this.destroy(), this.#sendTimeout);
      this.#connection.send(message, () => {
        clearTimeout(stalled);
        resolve();
      });
    });
  }

  destroy(): void {
    this.#connection.terminate();
  }

  /** The client has gone. */
  gone(): void {
    this.emit('gone');
    this.close();
  }

  /** The answer is over. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.emit('close');
  }
}
