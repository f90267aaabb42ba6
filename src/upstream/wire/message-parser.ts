import { crc32 } from 'node:zlib';
import { HeadgateError } from '../../core/errors.ts';
import type { ServerSentEvent } from '../adapter.ts';
import { endless } from './endless.ts';
import { decodeMessage, type WireMessage } from './message-codec.ts';

const preludeLength = 12;

/**
 * Splits the bytes of an answer of type `application/vnd.amazon.eventstream` into binary messages and emits each as
 * an event: its event or exception type is the name, the payload's text is the data. A failure outside the service's
 * own vocabulary becomes an event `error` with `{code, message}`. Chunk boundaries make no difference.
 */
export class MessageParser {
  readonly #onEvent: (event: ServerSentEvent) => void;
  readonly #longest: number;
  #chunks: Buffer[] = [];
  #size = 0;
  /** Length of the current message; 0 until its prelude has arrived. */
  #length = 0;

  /**
   * @param onEvent Called for each message, during `push`; what it throws, `push` throws.
   * @param longest Bytes of the longest message.
   */
  constructor(onEvent: (event: ServerSentEvent) => void, longest: number) {
    this.#onEvent = onEvent;
    this.#longest = longest;
  }

  /** Bytes of the message that is not whole. */
  get buffered(): number {
    return this.#size;
  }

  /** @throws HeadgateError: `provider_failed` when a message is damaged, `provider_endless` when it is too long. */
  push(chunks: readonly Buffer[]): void {
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
    }
    for (;;) {
      if (this.#length === 0) {
        if (this.#size < preludeLength) return;
        this.#length = readLength(this.#gather(), this.#longest);
      }
      if (this.#size < this.#length) return;
      const bytes = this.#gather();
      const message = bytes.subarray(0, this.#length);
      this.#chunks = [bytes.subarray(this.#length)];
      this.#size -= this.#length;
      this.#length = 0;
      this.#onEvent(toEvent(decode(message)));
    }
  }

  /** @throws HeadgateError `provider_failed` when the stream ends inside a message. */
  end(): void {
    if (this.#size > 0) throw damaged();
  }

  #gather(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const bytes = Buffer.concat(this.#chunks, this.#size);
    this.#chunks = [bytes];
    return bytes;
  }
}

/** The prelude has a sum of its own, so that a damaged length is not waited for. */
function readLength(bytes: Buffer, longest: number): number {
  const length = bytes.readUInt32BE(0);
  if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) throw damaged();
  if (length > longest) throw endless('event', longest);
  return length;
}

function decode(bytes: Buffer): WireMessage {
  try {
    return decodeMessage(bytes);
  } catch (thrown) {
    throw damaged(thrown);
  }
}

function toEvent(message: WireMessage): ServerSentEvent {
  const data = Buffer.from(message.body.buffer, message.body.byteOffset, message.body.byteLength).toString();
  switch (headerOf(message, ':message-type')) {
    case 'exception':
      return toException(headerOf(message, ':exception-type'), data);
    case 'error':
      return failure(headerOf(message, ':error-code'), headerOf(message, ':error-message'));
    default:
      return { event: headerOf(message, ':event-type'), data };
  }
}

/** The name of an exception is kept if it looks like one. */
function toException(name: string | undefined, data: string): ServerSentEvent {
  return name?.endsWith('Exception') ? { event: name, data } : failure(name, data);
}

function failure(code: string | undefined, message: string | undefined): ServerSentEvent {
  return { event: 'error', data: JSON.stringify({ code, message }) };
}

function headerOf({ headers }: WireMessage, name: string): string | undefined {
  const header = headers[name];
  return header?.type === 'string' ? header.value : undefined;
}

function damaged(cause?: unknown): HeadgateError {
  return new HeadgateError('provider_failed', 'The provider sent a damaged event.', { cause });
}
