import type { Provider } from '../../core/catalogue.ts';
import type { HeadgateError } from '../../core/errors.ts';
import type { Adapter, ReportedFailure } from '../adapter.ts';
import { isCompressed } from './answer-body.ts';
import { EventStreamParser } from './event-stream-parser.ts';
import { noAnswer, refusedCall } from './failure.ts';
import { type ResponseHeaders, readRetryHint } from './retry-hint.ts';

const maxBody = 64 * 1024;
const beginsAsEvent = /^\s*(event|data|id|retry)?:/;

/** A response that is not a model's answer: a refusal, or something unexpected. */
export class PlainAnswer {
  readonly #adapter: Adapter;
  readonly #provider: Provider;
  readonly #status: number;
  readonly #headers: ResponseHeaders;
  readonly #chunks: Buffer[] = [];
  #size = 0;

  constructor(adapter: Adapter, provider: Provider, status: number, headers: ResponseHeaders) {
    this.#adapter = adapter;
    this.#provider = provider;
    this.#status = status;
    this.#headers = headers;
  }

  /** Keeps a piece of the body; returns false once 64 KiB were read. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    return this.#size < maxBody;
  }

  /** The error that this response means, from as much of it as was read. */
  failure(): HeadgateError {
    const compressed = isCompressed(this.#headers);
    const reported = this.#read(compressed ? '' : this.#bodyText());
    if (this.#status < 300) return noAnswer(this.#provider, reported, compressed);
    return refusedCall(this.#provider, this.#status, reported, readRetryHint(this.#headers, Date.now()));
  }

  /** If the body cannot be read, for example because it is nested too deeply, only the status decides. */
  #read(body: string): ReportedFailure {
    try {
      return this.#adapter.readFailure(this.#status, body, this.#provider, this.#headers);
    } catch {
      return {};
    }
  }

  /** The body, or the first event of an event stream. */
  #bodyText(): string {
    const body = Buffer.concat(this.#chunks).subarray(0, maxBody);
    const text = body.toString();
    if (!beginsAsEvent.test(text)) return text;
    const events: string[] = [];
    const parser = new EventStreamParser(({ data }) => events.push(data), maxBody);
    parser.push([body]);
    parser.end();
    return events[0] ?? '';
  }
}
