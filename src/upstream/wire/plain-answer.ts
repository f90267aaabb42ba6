import type { Provider } from '../../core/catalogue.ts';
import type { HeadgateError } from '../../core/errors.ts';
import type { Adapter, ReportedFailure } from '../adapter.ts';
import { isCompressed } from './answer-body.ts';
import { EventStreamParser } from './event-stream-parser.ts';
import { noAnswer, refusedCall } from './failure.ts';
import { type ResponseHeaders, readRetryHint } from './retry-hint.ts';

const maxBody = 64 * 1024;
const beginsAsEvent = /^\s*(event|data|id|retry)?:/;

/** What is no answer of the model: a refusal, or something that should not be there. */
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

  /** Keeps a piece of the body; false when 64 KiB were read and no more is wanted. */
  add(chunk: Buffer): boolean {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
    return this.#size < maxBody;
  }

  /** The error this answer stands for, from as much of it as was read. */
  failure(): HeadgateError {
    const compressed = isCompressed(this.#headers);
    const reported = this.#read(compressed ? '' : this.#said());
    if (this.#status < 300) return noAnswer(this.#provider, reported, compressed);
    return refusedCall(this.#provider, this.#status, reported, readRetryHint(this.#headers, Date.now()));
  }

  /** A body that cannot be read, as one nested without end, leaves what the status says. */
  #read(body: string): ReportedFailure {
    try {
      return this.#adapter.readFailure(this.#status, body, this.#provider, this.#headers);
    } catch {
      return {};
    }
  }

  /** The body, or the first event of one that is an event stream. */
  #said(): string {
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
