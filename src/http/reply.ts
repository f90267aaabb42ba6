import type { IncomingMessage, ServerResponse } from 'node:http';
import { wellFormedJson } from '../util/json.ts';
import { fairScheduler } from '../waiting/fair-scheduler.ts';
import { isStopped, releaseBody } from './body.ts';

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

  /** Whether the client takes nothing at the moment. */
  get writableNeedDrain(): boolean {
    return this.raw.socket?.writableNeedDrain === true;
  }

  /** Breaks the answer off. */
  destroy(): void {
    this.raw.destroy();
  }

  /** Calls back when the answer is sent or its connection has ended. */
  once(event: 'close', listener: () => void): void {
    this.raw.once(event, listener);
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
    startStallTimeout(raw, this.#sendTimeout);
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

/**
 * Ends the connection of a client that takes nothing for a while of what was sent to it: nothing else ever would, and
 * until then its answer stays in memory, its provider waits and its money is held.
 * @param limit Milliseconds; each byte it takes begins them anew.
 */
export function startStallTimeout(response: ServerResponse, limit: number): void {
  // The server destroys a socket whose time is up, and sets another limit once an answer is sent.
  if (response.writableLength > 0) response.socket?.setTimeout(limit);
}

/** The client has taken everything. */
export function endStallTimeout(response: ServerResponse): void {
  response.socket?.setTimeout(0);
}

/**
 * Resolves when the client has taken what was sent to it, or has gone.
 * @param sendTimeout Milliseconds it may take nothing.
 */
export async function waitForDrain(response: ServerResponse, sendTimeout: number): Promise<void> {
  startStallTimeout(response, sendTimeout);
  const { socket } = response;
  await new Promise<void>((resolve) => {
    const done = () => {
      socket?.off('drain', done);
      response.off('close', done);
      resolve();
    };
    // Event streams write to it themselves, so the response does not notice.
    socket?.on('drain', done);
    response.on('close', done);
  });
  endStallTimeout(response);
}

/**
 * Sends a whole answer of JSON. One of megabytes is encoded and sent in pieces, so that others have their turn.
 * @param sendTimeout Milliseconds a client may take nothing.
 */
export async function sendAnswer(
  reply: HttpReply,
  {
    status,
    body,
    sendTimeout,
  }: { readonly status: number; readonly body: string | Iterable<string>; readonly sendTimeout: number },
): Promise<void> {
  if (typeof body === 'string') {
    reply.sendJson(status, body);
    return;
  }
  const { raw } = reply;
  const pieces: Buffer[] = [];
  let length = 0;
  for (const piece of body) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.length;
    await fairScheduler.join();
    if (raw.destroyed) return;
  }
  const type = 'application/json; charset=utf-8';
  raw.writeHead(status, { ...reply.headers, 'content-type': type, 'content-length': length });
  for (const piece of pieces) {
    if (raw.destroyed) return;
    if (!raw.write(piece)) await waitForDrain(raw, sendTimeout);
  }
  raw.end();
  startStallTimeout(raw, sendTimeout);
}

/** A file that is sent while it is made. */
interface SentFile {
  /** The media type, with its character set. */
  readonly type: string;
  readonly name: string;
  readonly pieces: AsyncGenerator<string>;
}

/**
 * Sends a file piece by piece. Asks for the next piece when the client has taken the last one, and for no more once it has
 * gone. A failure of the first piece can still be answered; after a later one the connection ends without the last chunk, so
 * that half a file does not look whole.
 * @param sendTimeout Milliseconds the client may take nothing.
 * @throws What `pieces` throws.
 */
export async function sendPieces(
  { raw, headers }: HttpReply,
  { type, name, pieces }: SentFile,
  sendTimeout: number,
): Promise<void> {
  try {
    let piece = await pieces.next();
    raw.writeHead(200, {
      ...headers,
      'content-type': type,
      'content-disposition': `attachment; filename="${name}"`,
      'cache-control': 'no-store',
    });
    while (piece.done !== true && !raw.destroyed) {
      if (!raw.write(piece.value)) await waitForDrain(raw, sendTimeout);
      piece = await pieces.next();
    }
    raw.end();
  } finally {
    await pieces.return(undefined);
  }
}
