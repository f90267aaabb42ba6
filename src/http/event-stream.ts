import type { ServerResponse } from 'node:http';
import { startStallTimeout, waitForDrain } from './reply.ts';

const lastChunk = '0\r\n\r\n';

/** The headers of every event stream (docs/spec/answers.md#framing). */
export const eventStreamHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
};

/** How a stream is sent. Times are milliseconds. */
interface StreamTerms {
  /** Silence until the client gets a sign of life. */
  readonly keepAlive: number;
  /** For how long a client may take nothing. */
  readonly sendTimeout: number;
  /** Whether the connection ends with the stream, for clients that read until then. */
  readonly closes?: boolean;
}

/**
 * Sends the text of one event stream to a client by docs/spec/answers.md#framing: nothing before the first text or the
 * first keep-alive, a comment after each silence, and each text whole in one write.
 */
export class EventStreamWriter {
  readonly #response: ServerResponse;
  #headers: Readonly<Record<string, string>>;
  readonly #keepAlive: NodeJS.Timeout;
  readonly #alive: () => string;
  readonly #sendTimeout: number;
  readonly #closes: boolean;
  /** Whether the body goes in chunks; a client of HTTP/1.0 gets it until the connection ends. */
  #chunked = false;
  /** Whether the headers are on their way: they go with the first text. */
  #isBegun = false;
  /** Whether the rest of a long event is still to come. */
  #isInEvent = false;

  /** @param alive What to send after a silence, such as a comment. */
  constructor(
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
    { keepAlive, sendTimeout, closes = false }: StreamTerms,
    alive: () => string,
  ) {
    this.#alive = alive;
    this.#response = response;
    this.#headers = headers;
    this.#keepAlive = setInterval(() => this.#comment(), keepAlive);
    this.#sendTimeout = sendTimeout;
    this.#closes = closes;
  }

  /** Whether the status was sent: from then on a failure can only be an event. */
  get committed(): boolean {
    return this.#response.headersSent;
  }

  /** Adds headers, if they are not sent yet. */
  addHeaders(headers: Readonly<Record<string, string>>): void {
    this.#headers = { ...this.#headers, ...headers };
  }

  /** Writes text: whole events, or a piece of a long one. Resolves when the client keeps up, or has gone or takes nothing. */
  async write(text: string): Promise<void> {
    this.#keepAlive.refresh();
    this.#isInEvent = !text.endsWith('\n\n');
    if (this.#write(text) || this.#response.destroyed) return;
    await waitForDrain(this.#response, this.#sendTimeout);
  }

  /** Writes the last text, which may be empty, and ends the answer. */
  end(text: string): void {
    this.stop();
    this.#commit();
    const { bytes, encoding } = this.#frame(text, lastChunk);
    this.#response.end(bytes, encoding);
    startStallTimeout(this.#response, this.#sendTimeout);
  }

  /** Ends the keep-alives. Writes nothing. */
  stop(): void {
    clearInterval(this.#keepAlive);
  }

  /** Says that the answer is still made, but never within an event. */
  #comment(): void {
    if (!this.#isInEvent) this.#write(this.#alive());
  }

  #write(text: string): boolean {
    const response = this.#response;
    // What follows on the connection belongs to the next answer.
    if (response.writableEnded) return true;
    this.#commit();
    const { bytes, encoding } = this.#frame(text, '');
    const { socket } = response;
    // Each event is a write of its own, and the runtime's way through the response costs a tenth of it.
    if (this.#isBegun && socket?.writable === true) return socket.write(bytes, encoding);
    this.#isBegun = true;
    return response.write(bytes, encoding);
  }

  #commit(): void {
    const response = this.#response;
    if (response.headersSent) return;
    if (this.#closes) response.shouldKeepAlive = false;
    response.writeHead(200, this.#headers);
    this.#chunked = response.chunkedEncoding;
    // Node would write each chunk in four pieces, and gather them again.
    response.chunkedEncoding = false;
  }

  /** A text as it is sent, in one piece; what is ASCII is copied as it is. */
  #frame(text: string, after: string): { readonly bytes: string; readonly encoding: 'latin1' | 'utf8' } {
    const length = Buffer.byteLength(text);
    // A chunk of no bytes would be the last one.
    const chunk = length === 0 ? '' : `${length.toString(16)}\r\n${text}\r\n`;
    return {
      bytes: this.#chunked ? chunk + after : text,
      encoding: length === text.length ? 'latin1' : 'utf8',
    };
  }
}
