import type { ServerResponse } from 'node:http';
import { wellFormedJson } from '../util/well-formed-json.ts';
import { limitStall } from './limit-stall.ts';

type Headers = Readonly<Record<string, string>>;

/** The answer to one request, as long as nothing of it is sent. */
export class HttpReply {
  readonly raw: ServerResponse;
  readonly #sendTimeout: number;
  #headers: Headers;

  /** @param sendTimeout Milliseconds a client may take nothing of what is sent to it. */
  constructor(raw: ServerResponse, headers: Headers, sendTimeout: number) {
    this.raw = raw;
    this.#headers = headers;
    this.#sendTimeout = sendTimeout;
  }

  /** What is sent with whatever is answered. */
  get headers(): Headers {
    return this.#headers;
  }

  /** Whether the status was sent: from then on nothing else can be answered. */
  get committed(): boolean {
    return this.raw.headersSent;
  }

  addHeaders(headers: Headers): void {
    this.#headers = { ...this.#headers, ...headers };
  }

  /** Sends a whole answer; nothing where the client has gone. */
  sendJson(status: number, text: string): void {
    const json = wellFormedJson(text);
    this.raw.writeHead(status, {
      ...this.#headers,
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(json),
    });
    this.raw.end(json);
    limitStall(this.raw, this.#sendTimeout);
  }
}
