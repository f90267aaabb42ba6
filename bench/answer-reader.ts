import { sharedMicroseconds, stampMark } from './scripted-answers.ts';

/** The texts that the reader looks for in an answer's body. */
export interface Marks {
  /** Its arrival is the time of the first text. */
  readonly first: string;
  /** An answer without it is incomplete. */
  readonly last: string;
}

const headEnd = Buffer.from('\r\n\r\n');
const streamEnd = Buffer.from('data: [DONE]\n\n');
const lineFeed = 10;
const carriageReturn = 13;
const tailLength = 64;

/**
 * Reads successive HTTP/1.1 answers from the bytes of one connection, with the least work that still distinguishes a
 * complete answer from a broken one: status, length or chunks, both marks, events, the final event.
 */
export class AnswerReader {
  readonly #first: Buffer;
  readonly #last: Buffer;
  readonly #streamed: boolean;
  readonly #onStamp: ((delay: number) => void) | undefined;
  #stage: 'head' | 'sized' | 'chunk-size' | 'chunk-data' | 'chunk-end' | 'done' = 'head';
  #head: Buffer = Buffer.alloc(0);
  #remaining = 0;
  #finalChunk = false;
  #tail: Buffer = Buffer.alloc(0);
  #afterLineFeed = false;
  status = 0;
  /** Server-sent events seen in this answer. */
  events = 0;
  sawFirst = false;
  sawLast = false;
  /** The server will close the connection after this answer. */
  announcesClose = false;

  /** @param onStamp Called with each stamped word that arrives in one piece: the microseconds since it was sent. */
  constructor(marks: Marks, streamed: boolean, onStamp?: (delay: number) => void) {
    this.#first = Buffer.from(marks.first);
    this.#last = Buffer.from(marks.last);
    this.#streamed = streamed;
    this.#onStamp = onStamp;
  }

  /** Resets the state before the next request is sent. */
  reset(): void {
    this.#stage = 'head';
    this.#head = Buffer.alloc(0);
    this.#tail = Buffer.alloc(0);
    this.#finalChunk = false;
    this.#afterLineFeed = false;
    this.status = 0;
    this.events = 0;
    this.sawFirst = false;
    this.sawLast = false;
    this.announcesClose = false;
  }

  /** Reads what arrived; returns true once the answer has ended. */
  read(bytes: Buffer): boolean {
    let at = this.#stage === 'head' ? this.#readHead(bytes) : 0;
    while (at < bytes.length && this.#stage !== 'done') at = this.#readBody(bytes, at);
    return this.#stage === 'done';
  }

  /** Undefined when the answer is complete, else what is wrong with it. */
  complaint(): string | undefined {
    if (this.status !== 200) return `status ${this.status}: ${this.#tail.toString()}`;
    if (!this.sawFirst || !this.sawLast) return `text missing, ends ${JSON.stringify(this.#tail.toString())}`;
    if (this.#streamed && !this.#tail.subarray(-streamEnd.length).equals(streamEnd)) {
      return `no final event, ends ${JSON.stringify(this.#tail.toString())}`;
    }
    return undefined;
  }

  #readHead(bytes: Buffer): number {
    const before = this.#head.length;
    const head = before === 0 ? bytes : Buffer.concat([this.#head, bytes]);
    const end = head.indexOf(headEnd);
    if (end < 0) {
      this.#head = head;
      return bytes.length;
    }
    const text = head.toString('latin1', 0, end);
    this.status = Number(text.slice(9, 12));
    this.announcesClose = /\r\nconnection: *close/i.test(text);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    this.#remaining = length === undefined ? 0 : Number(length);
    this.#stage = length === undefined ? 'chunk-size' : this.#remaining === 0 ? 'done' : 'sized';
    return end + headEnd.length - before;
  }

  #readBody(bytes: Buffer, at: number): number {
    if (this.#stage === 'chunk-size') return this.#readChunkSize(bytes, at);
    if (this.#stage === 'chunk-end') return this.#readChunkEnd(bytes, at);
    const end = Math.min(bytes.length, at + this.#remaining);
    this.#readContent(bytes.subarray(at, end));
    this.#remaining -= end - at;
    if (this.#remaining === 0) this.#stage = this.#stage === 'sized' ? 'done' : 'chunk-end';
    return end;
  }

  #readChunkSize(bytes: Buffer, from: number): number {
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === lineFeed) {
        this.#finalChunk = this.#remaining === 0;
        this.#stage = this.#finalChunk ? 'chunk-end' : 'chunk-data';
        return at + 1;
      }
      if (byte !== carriageReturn) {
        this.#remaining = this.#remaining * 16 + (byte <= 57 ? byte - 48 : (byte | 32) - 87);
      }
    }
    return at;
  }

  #readChunkEnd(bytes: Buffer, at: number): number {
    const lineEnd = bytes.indexOf(lineFeed, at);
    if (lineEnd < 0) return bytes.length;
    this.#stage = this.#finalChunk ? 'done' : 'chunk-size';
    return lineEnd + 1;
  }

  #readContent(content: Buffer): void {
    if (!this.sawFirst) this.sawFirst = this.#holds(content, this.#first);
    if (!this.sawLast) this.sawLast = this.#holds(content, this.#last);
    if (this.#streamed) this.#countEvents(content);
    if (this.#onStamp !== undefined) this.#readStamps(content, this.#onStamp);
    this.#tail =
      content.length >= tailLength
        ? content.subarray(-tailLength)
        : Buffer.concat([this.#tail, content]).subarray(-tailLength);
  }

  #readStamps(content: Buffer, onStamp: (delay: number) => void): void {
    let from = content.indexOf(stampMark);
    while (from !== -1) {
      const to = content.indexOf(stampMark, from + 1);
      if (to === -1) return;
      onStamp(sharedMicroseconds() - Number(content.toString('latin1', from + 1, to)));
      from = content.indexOf(stampMark, to + 1);
    }
  }

  /** Whether a mark is in the content or straddles its start. */
  #holds(content: Buffer, mark: Buffer): boolean {
    if (content.includes(mark)) return true;
    const before = this.#tail.subarray(-(mark.length - 1));
    if (before.length === 0) return false;
    return Buffer.concat([before, content.subarray(0, mark.length - 1)]).includes(mark);
  }

  /** An event ends with an empty line; the search for line feeds skips what is between them. */
  #countEvents(content: Buffer): void {
    let lineStart = this.#afterLineFeed ? 0 : content.indexOf(lineFeed) + 1;
    if (lineStart === 0 && !this.#afterLineFeed) return;
    while (lineStart < content.length) {
      if (content[lineStart] === lineFeed) this.events += 1;
      const next = content.indexOf(lineFeed, lineStart);
      if (next < 0) break;
      lineStart = next + 1;
    }
    this.#afterLineFeed = lineStart === content.length;
  }
}
