import type { IncomingMessage } from 'node:http';
import { HeadgateError } from '../core/errors.ts';
import { TickSum } from '../waiting/fair-scheduler.ts';
import type { BodyRoom } from './body-budget.ts';
import { headerText } from './request.ts';

/** Requests of whose bodies nothing is read at present. */
const held = new WeakSet<IncomingMessage>();
/** Requests of whose bodies nothing more will be read. */
const stopped = new WeakSet<IncomingMessage>();

/**
 * Reads nothing more of a body that comes in chunks until it is wanted (`releaseBody`). The runtime limits what
 * waits by bytes; ten thousand chunks of one byte are few bytes, but take its time with each read.
 */
export function holdChunks(request: IncomingMessage): void {
  if (request.headers['transfer-encoding'] !== undefined) hold(request);
}

/** Reads on in a body that was held. */
export function releaseBody(request: IncomingMessage): void {
  if (held.delete(request)) request.socket.resume();
}

/** Reads no more of a body for good, because even dropping its pieces takes time from others: its connection must end. */
function stopReading(request: IncomingMessage): void {
  stopped.add(request);
  hold(request);
  request.pause();
}

/** Whether nothing more will be read of a body. */
export function isStopped(request: IncomingMessage): boolean {
  return stopped.has(request);
}

function hold(request: IncomingMessage): void {
  const read = request._read;
  held.add(request);
  // The stream asks for more by itself, also while it is paused, and that would start the connection again.
  request._read = (size) => {
    if (!held.has(request)) read.call(request, size);
  };
  request.socket.pause();
}

/** Bytes that bodies may bring together in one turn before those that go on wait. */
const freeInTurn = 512 * 1024;
/** Requests whose bodies are read on in one turn of the event loop. */
const perTurn = 2;

/**
 * The pace at which large bodies are read: of all of them together a few pieces in each turn of the event loop, so that
 * everything else has its turn in between. An idle process has thousands of turns a second, so no body waits there.
 */
class ReadPace {
  #waiting: IncomingMessage[] = [];
  readonly #inTurn = new TickSum();
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
const readPace = new ReadPace();

/** Pieces that a body may come in whatever their size. */
const freePieces = 4096;
/** Bytes that further pieces have on average at least: each takes memory and time of its own. */
const leastPiece = 16;

/** Bytes of a body from which it is read at the pace of large ones, even when it comes alone. */
const unpaced = 256 * 1024;

/** The client went away before all of its request had come. */
export class RequestCutOff extends Error {
  override readonly name = 'RequestCutOff';
}

/**
 * The whole body of a request.
 * @param limit Bytes.
 * @param room Asked for room for each piece; what it throws is thrown here.
 * @throws HeadgateError `payload_too_large` as soon as it is known to be longer, `invalid_request` when it comes in tiny
 *   pieces, `deadline_exceeded` when it comes too slowly.
 * @throws RequestCutOff when the connection ends before it does.
 */
export function readBody(request: IncomingMessage, limit: number, room: BodyRoom): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(headerText(request, 'content-length') ?? 0) > limit) {
      room.drop();
      reject(tooLarge(limit));
      return;
    }
    if (request.destroyed) {
      reject(new RequestCutOff());
      return;
    }
    let parts: Buffer[] = [];
    let length = 0;
    let pieces = 0;
    let over = false;
    const refuse = (refusal: unknown) => {
      over = true;
      parts = [];
      room.drop();
      reject(refusal);
    };
    // Nearly all have come by now.
    if (!request.complete) room.begin(refuse);
    // Before anybody listens: a connection that is told to go on does so a moment later, and may be stopped by then.
    releaseBody(request);
    request.on('data', (part: Buffer) => {
      if (over) return;
      length += part.length;
      pieces += 1;
      try {
        if (length > limit) throw tooLarge(limit);
        if (pieces > freePieces && length < pieces * leastPiece) {
          stopReading(request);
          throw tooManyPieces();
        }
        room.take(part.length);
        parts.push(part);
        const isCrowded = !request.complete && readPace.isCrowded(part.length);
        if (length > unpaced || isCrowded) readPace.wait(request);
      } catch (refusal) {
        refuse(refusal);
      }
    });
    request.on('end', () => {
      over = true;
      room.arrived();
      const [first] = parts;
      resolve(parts.length === 1 && first !== undefined ? first : Buffer.concat(parts));
      // A stream may stay open for minutes, and its request with it.
      parts = [];
    });
    // Every request closes in the end: an error made for each would cost more than reading its body.
    const cutOff = () => {
      if (!over) refuse(new RequestCutOff());
    };
    request.on('error', cutOff).on('close', cutOff);
  });
}

function tooLarge(limit: number): HeadgateError {
  return new HeadgateError(
    'payload_too_large',
    `The request body is larger than the ${limit} bytes this server takes.`,
  );
}

function tooManyPieces(): HeadgateError {
  return new HeadgateError(
    'invalid_request',
    'body: comes in chunks of a few bytes each; send it in larger ones.',
  );
}
