import type { IncomingMessage, ServerResponse } from 'node:http';
import { wellFormedJson } from '../util/well-formed-json.ts';
import { isStopped, releaseBody } from './held-body.ts';
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

/** Bytes of a refused body that are read and dropped at most. */
const mostBytes = 1024 * 1024;
/** Milliseconds they may take. */
const longestTime = 1000;
/** What each piece counts at least, in bytes: reading many tiny ones takes longer than a large one. */
const leastPiece = 1024;

/** Whether some of a request's body may still come. */
function isBodyDue({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether so much of a body may still come that its connection ends instead. */
function isTooMuchToDrain(request: IncomingMessage): boolean {
  const { headers } = request;
  return (
    isStopped(request) || headers.expect !== undefined || Number(headers['content-length'] ?? 0) > mostBytes
  );
}

/**
 * Sends the body of an answer to a request whose own body has not come whole. Many clients read no answer before they have
 * sent everything, so a little more is read and dropped; a client that sends more loses its connection.
 * @param closes Whether the answer says that its connection ends.
 */
function endBeforeBody(response: ServerResponse, text: string | Uint8Array, closes: boolean): void {
  const { req: request } = response;
  if (!closes) {
    drain(request, (isWhole) => {
      if (!isWhole) request.socket.destroySoon();
    });
    response.end(text);
    return;
  }
  // Sent now and ended later: the end closes the connection, and what the client then sends would cost it the answer.
  response.write(text);
  drain(request, () => response.end());
}

function drain(request: IncomingMessage, onOver: (isWhole: boolean) => void): void {
  let counted = 0;
  const finish = () => {
    clearTimeout(timer);
    request.off('data', count).off('end', finish).off('close', finish);
    if (!request.complete) request.pause();
    onOver(request.complete);
  };
  const count = (piece: Buffer) => {
    counted += Math.max(piece.length, leastPiece);
    if (counted > mostBytes) finish();
  };
  const timer = setTimeout(finish, longestTime);
  request.on('end', finish).on('close', finish);
  if (isStopped(request)) return;
  releaseBody(request);
  request.on('data', count);
}
