import type { AnswerText } from '../dialects/public-dialect.ts';
import { busyTurns } from '../util/shared-turns.ts';
import { drained } from './drained.ts';
import type { HttpReply } from './http-reply.ts';
import { limitStall } from './limit-stall.ts';

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
  }: { readonly status: number; readonly body: AnswerText; readonly sendTimeout: number },
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
    await busyTurns.join();
    if (raw.destroyed) return;
  }
  const type = 'application/json; charset=utf-8';
  raw.writeHead(status, { ...reply.headers, 'content-type': type, 'content-length': length });
  for (const piece of pieces) {
    if (raw.destroyed) return;
    if (!raw.write(piece)) await drained(raw, sendTimeout);
  }
  raw.end();
  limitStall(raw, sendTimeout);
}
