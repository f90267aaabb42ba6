import { connect, type Socket } from 'node:net';
import { AnswerReader, type Marks } from './answer-reader.ts';
import { drawNumbers, findNumbers, type NumberPlace } from './drawn-numbers.ts';
import type { Variation } from './gateways.ts';

/** Target and bytes of a request: always the same, except for random numbers. */
export interface Shot {
  readonly port: number;
  /** A complete HTTP/1.1 request in ASCII. */
  readonly request: string;
  readonly streamed: boolean;
  readonly marks: Marks;
  readonly varies: readonly Variation[];
}

/** One answer, with times in milliseconds since its request was sent. */
export interface Answer {
  readonly firstText: number;
  readonly whole: number;
  readonly events: number;
  /** The server closed the connection after it. */
  readonly closed: boolean;
}

/** Receives the events of a connection. */
export interface ConnectionListener {
  /** The first text of the answer arrived. */
  onFirstText?(connection: LoadConnection): void;
  onAnswer(connection: LoadConnection, answer: Answer): void;
  /** A stamped word arrived, so many microseconds after it was sent. */
  onWord?(delay: number): void;
  /** An answer was incomplete, or the connection broke; the connection is unusable now. */
  onFailure(connection: LoadConnection, reason: string): void;
}

/** A client that sends one request at a time, on one connection for as long as the server keeps it. */
export class LoadConnection {
  readonly #shot: Shot;
  readonly #reader: AnswerReader;
  readonly #request: Buffer;
  readonly #numbers: readonly NumberPlace[];
  readonly #listener: ConnectionListener;
  #socket: Socket;
  #usable = true;
  #waiting = false;
  #sentAt = 0;
  #firstTextAt = 0;
  #failed = false;
  #closing = false;

  constructor(shot: Shot, listener: ConnectionListener) {
    this.#shot = shot;
    this.#request = Buffer.from(shot.request);
    this.#numbers = findNumbers(this.#request, shot.varies);
    this.#listener = listener;
    const { onWord } = listener;
    this.#reader = new AnswerReader(
      shot.marks,
      shot.streamed,
      onWord && ((delay) => listener.onWord?.(delay)),
    );
    this.#socket = this.#connect();
  }

  send(): void {
    this.#firstTextAt = 0;
    this.#sentAt = performance.now();
    if (!this.#usable) {
      this.#socket.destroy();
      this.#socket = this.#connect();
      this.#usable = true;
    }
    this.#reader.reset();
    this.#waiting = true;
    // The last request is answered, so nobody reads these bytes any more.
    drawNumbers(this.#request, this.#numbers);
    this.#socket.write(this.#request);
  }

  close(): void {
    this.#closing = true;
    this.#socket.destroy();
  }

  #connect(): Socket {
    const socket = connect({ port: this.#shot.port, host: '127.0.0.1', noDelay: true });
    const fail = (reason: string): void => {
      if (socket !== this.#socket) return;
      this.#usable = false;
      if (this.#waiting) this.#fail(reason);
    };
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    socket.on('error', (error) => fail(error.message));
    socket.on('close', () => fail('connection closed'));
    return socket;
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
    this.#waiting = false;
    if (this.#reader.announcesClose) this.#usable = false;
    this.#listener.onAnswer(this, {
      firstText: this.#firstTextAt - this.#sentAt,
      whole: performance.now() - this.#sentAt,
      events: this.#reader.events,
      closed: this.#reader.announcesClose,
    });
  }

  #fail(reason: string): void {
    if (this.#failed || this.#closing) return;
    this.#failed = true;
    this.close();
    this.#listener.onFailure(this, reason);
  }
}
