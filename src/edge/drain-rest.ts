import type { IncomingMessage, ServerResponse } from 'node:http';
import { isStopped, releaseBody } from './held-body.ts';

/** Bytes of a refused body that are read and dropped at most. */
const mostBytes = 1024 * 1024;
/** Milliseconds they may take. */
const longestTime = 1000;
/** What each piece counts at least, in bytes: reading many tiny ones takes longer than a large one. */
const leastPiece = 1024;

/** Whether some of a request's body may still come. */
export function isBodyDue({ complete, headers }: IncomingMessage): boolean {
  if (complete) return false;
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Whether so much of a body may still come that its connection ends instead. */
export function isTooMuchToDrain(request: IncomingMessage): boolean {
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
export function endBeforeBody(response: ServerResponse, text: string | Uint8Array, closes: boolean): void {
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
