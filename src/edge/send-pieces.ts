import { drained } from './drained.ts';
import type { HttpReply } from './http-reply.ts';

/** A file that is sent while it is made. */
export interface SentFile {
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
      if (!raw.write(piece.value)) await drained(raw, sendTimeout);
      piece = await pieces.next();
    }
    raw.end();
  } finally {
    await pieces.return(undefined);
  }
}
