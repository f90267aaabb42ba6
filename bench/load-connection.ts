import { connect, type Socket } from 'node:net';
import { AnswerReader, type Marks } from './answer-reader.ts';

/** Whom to send to and what: the same bytes every time. */
export interface Shot {
  readonly port: number;
  /** A whole HTTP/1.1 request in ASCII. */
  readonly request: string;
  readonly streamed: boolean;
  readonly marks: Marks;
}

/** One answer, with times in milliseconds since its request was sent. */
export interface Answer {
  readonly firstText: number;
  readonly whole: number;
  readonly events: number;
}

/** What a connection tells its owner. */
export interface ConnectionListener {
  /** The first text of the answer arrived. */
  onFirstText?(connection: LoadConnection): void;
  onAnswer(connection: LoadConnection, answer: Answer): void;
  /** An answer was not whole, or the connection broke; it is of no use any more. */
  onFailure(connection: LoadConnection, reason: string): void;
}

/** One kept-alive connection that sends one request at a time. */
export class LoadConnection {
  readonly #socket: Socket;
  readonly #reader: AnswerReader;
  readonly #request: Buffer;
  readonly #listener: ConnectionListener;
  #sentAt = 0;
  #firstTextAt = 0;
  #failed = false;
  #closing = false;

  constructor(shot: Shot, listener: ConnectionListener) {
    this.#request = Buffer.from(shot.request);
    this.#listener = listener;
    this.#reader = new AnswerReader(shot.marks, shot.streamed);
    this.#socket = connect({ port: shot.port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    this.#socket.on('error', (error) => this.#fail(error.message));
    this.#socket.on('close', () => this.#fail('connection closed'));
  }

  send(): void {
    this.#reader.reset();
    this.#firstTextAt = 0;
    this.#sentAt = performance.now();
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  #onData(bytes: Buffer): void {
    const ended = this.#reader.read(bytes);
    if (this.#firstTextAt === 0 && this.#reader.sawFirst) {
      this.#firstTextAt = performance.now();
      this.#listener.onFirstText?.(this);
    }
    if (!ended) return;
    const complaint = this.#reader.complaint();
    if (complaint !== undefined) {
      this.#fail(complaint);
      return;
    }
    this.#listener.onAnswer(this, {
      firstText: this.#firstTextAt - this.#sentAt,
      whole: performance.now() - this.#sentAt,
      events: this.#reader.events,
    });
  }

  #fail(reason: string): void {
    if (this.#failed || this.#closing) return;
    this.#failed = true;
    this.close();
    this.#listener.onFailure(this, reason);
  }
}
