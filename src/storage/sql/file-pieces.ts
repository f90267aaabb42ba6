import type { SqlConnection } from './database.ts';
import { sql } from './statement.ts';

/** Bytes of a piece: every statement stays small, whatever the file. A multiple of three, so that pieces of base64 join. */
const pieceSize = 768 * 1024;

interface PieceRow {
  readonly base64: string;
}

/** Stores contents in pieces, unless the scope has them already. */
export async function addPieces(
  transaction: SqlConnection,
  scope: string,
  hash: string,
  contents: Uint8Array,
): Promise<void> {
  const known = await transaction.rows(
    sql`select piece from file_pieces where scope = ${scope} and hash = ${hash} limit 1`,
  );
  if (known.length > 0) return;
  const bytes = Buffer.from(contents.buffer, contents.byteOffset, contents.byteLength);
  // Of an empty file one piece is stored, which says that it is there.
  for (let start = 0, piece = 0; start === 0 || start < bytes.length; start += pieceSize, piece += 1) {
    const base64 = bytes.toString('base64', start, Math.min(start + pieceSize, bytes.length));
    await transaction.change(sql`
      insert into file_pieces (scope, hash, piece, base64) values (${scope}, ${hash}, ${piece}, ${base64})`);
  }
}

/** Contents by their hash, read piece by piece; undefined when they are not there. */
export async function readPieces(
  db: SqlConnection,
  scope: string,
  hash: string,
): Promise<Uint8Array | undefined> {
  const pieces: Buffer[] = [];
  for (;;) {
    const [row] = await db.rows<PieceRow>(sql`
      select base64 from file_pieces where scope = ${scope} and hash = ${hash} and piece = ${pieces.length}`);
    if (row === undefined) return pieces.length === 0 ? undefined : Buffer.concat(pieces);
    const piece = Buffer.from(row.base64, 'base64');
    pieces.push(piece);
    if (piece.length < pieceSize) return Buffer.concat(pieces);
  }
}
