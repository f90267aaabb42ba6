import type { ServerResponse } from 'node:http';
import { wellFormedJson } from '../util/well-formed-json.ts';
import { endBeforeBody, isBodyDue, isTooMuchToDrain } from './drain-rest.ts';
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

  /** Sends a whole answer of JSON; nothing where the client has gone. */
  sendJson(status: number, text: string): void {
    this.sendText(status, 'application/json; charset=utf-8', wellFormedJson(text));
  }

  /** Sends a whole answer of a media type; nothing where the client has gone. */
  sendText(status: number, type: string, text: string): void {
    this.#send(status, { 'content-type': type, 'content-length': Buffer.byteLength(text) }, text);
  }

  /** Sends a whole answer of bytes; nothing where the client has gone. */
  sendBytes(status: number, type: string, bytes: Uint8Array): void {
    this.#send(status, { 'content-type': type, 'content-length': bytes.byteLength }, bytes);
  }

  /** Sends an answer that is its headers alone. */
  sendEmpty(status: number): void {
    this.#send(status, {}, '');
  }

  #send(status: number, headers: Readonly<Record<string, string | number>>, text: string | Uint8Array): void {
    const { raw } = this;
    const isDue = isBodyDue(raw.req);
    const closes = isDue && (this.#headers.connection === 'close' || isTooMuchToDrain(raw.req));
    const all = { ...this.#headers, ...headers };
    raw.writeHead(status, closes ? { ...all, connection: 'close' } : all);
    if (isDue) endBeforeBody(raw, text, closes);
    else raw.end(text);
    limitStall(raw, this.#sendTimeout);
  }
}
