import { fileScope } from '../../core/file-scope.ts';
import {
  type FileOwner,
  type FileQuery,
  type FileRoom,
  type FileStore,
  leastFile,
  type RemovedFile,
  type StoredFile,
} from '../../ports/files.ts';
import type { SqlConnection, SqlDatabase } from './database.ts';
import { rawSql, type SqlStatement, sql } from './statement.ts';
import { numberOrNull } from './values.ts';

interface FileRow {
  readonly id: string;
  readonly account_id: string;
  readonly workspace_id: string | null;
  readonly filename: string;
  readonly mime_type: string;
  readonly size: bigint;
  readonly hash: string;
  readonly created_at: bigint;
  readonly expires_at: bigint | null;
}

/** Files in any SQL engine (docs/spec/files.md). */
export class SqlFileStore implements FileStore {
  readonly holdsContents: boolean;
  readonly #db: SqlDatabase;

  constructor(db: SqlDatabase, holdsContents: boolean) {
    this.#db = db;
    this.holdsContents = holdsContents;
  }

  add(owner: FileOwner, file: StoredFile, contents: Uint8Array | undefined, room: FileRoom) {
    const scope = fileScope(owner);
    return this.#db.transaction(async (transaction): Promise<'full' | 'too many' | undefined> => {
      await holdOwner(transaction, owner);
      const [row] = await transaction.rows<{ readonly total: bigint | null; readonly files: bigint }>(sql`
        select count(*) as files,
          cast(sum(case when size < ${leastFile} then ${leastFile} else size end) as ${rawSql('bigint')}) as total
        from files where scope = ${scope} and (expires_at is null or expires_at > ${file.createdAt})`);
      if (Number(row?.files ?? 0n) >= room.files) return 'too many';
      if (Number(row?.total ?? 0n) + Math.max(file.size, leastFile) > room.bytes) return 'full';
      if (contents !== undefined) await addPieces(transaction, scope, file.hash, contents);
      await transaction.change(sql`
        insert into files (id, scope, account_id, workspace_id, filename, mime_type, size, hash, created_at, expires_at)
        values (${file.id}, ${scope}, ${owner.accountId}, ${owner.workspaceId}, ${file.filename}, ${file.mimeType},
          ${file.size}, ${file.hash}, ${file.createdAt}, ${file.expiresAt})`);
      return undefined;
    });
  }

  find(owner: FileOwner, id: string, now: number): Promise<StoredFile | undefined> {
    return findIn(this.#db, fileScope(owner), id, now);
  }

  list(owner: FileOwner, query: FileQuery, now: number) {
    const scope = fileScope(owner);
    return this.#db.snapshot(async (snapshot) => {
      const { limit, order, after, before, name } = query;
      // The page before a file is the one behind it in the other order.
      const backwards = after === undefined && before !== undefined;
      const anchorId = after ?? before;
      const anchor = anchorId === undefined ? undefined : await findIn(snapshot, scope, anchorId, now);
      if (anchorId !== undefined && anchor === undefined) return undefined;
      const ascends = (order === 'asc') !== backwards;
      const rows = await snapshot.rows<FileRow>(sql`
        select * from files
        where scope = ${scope} and (expires_at is null or expires_at > ${now})
          ${anchor === undefined ? rawSql('') : beyond(anchor, ascends)}
          ${name === undefined ? rawSql('') : named(name)}
        order by created_at ${rawSql(ascends ? 'asc' : 'desc')}, id ${rawSql(ascends ? 'asc' : 'desc')}
        limit ${limit + 1}`);
      const page = rows.slice(0, limit).map(fileFromRow);
      return { files: backwards ? page.reverse() : page, hasMore: rows.length > limit };
    });
  }

  async findByName(owner: FileOwner, filename: string, now: number): Promise<StoredFile | undefined> {
    const [row] = await this.#db.rows<FileRow>(sql`
      select * from files
      where scope = ${fileScope(owner)} and filename = ${filename} and (expires_at is null or expires_at > ${now})
      order by created_at desc, id desc limit 1`);
    return row && fileFromRow(row);
  }

  contents(owner: FileOwner, hash: string): Promise<Uint8Array | undefined> {
    return readPieces(this.#db, fileScope(owner), hash);
  }

  remove(owner: FileOwner, id: string): Promise<RemovedFile | undefined> {
    const scope = fileScope(owner);
    return this.#db.transaction(async (transaction) => {
      await holdOwner(transaction, owner);
      const [row] = await transaction.rows<{ readonly hash: string }>(
        sql`delete from files where scope = ${scope} and id = ${id} returning hash`,
      );
      if (row === undefined) return undefined;
      const { hash } = row;
      const others = await transaction.rows(
        sql`select id from files where scope = ${scope} and hash = ${hash} limit 1`,
      );
      const isLast = others.length === 0;
      if (isLast) {
        await transaction.change(sql`delete from file_pieces where scope = ${scope} and hash = ${hash}`);
      }
      return { hash, isLast };
    });
  }

  async expired(now: number, limit: number) {
    const rows = await this.#db.rows<FileRow>(
      sql`select * from files where expires_at <= ${now} order by expires_at limit ${limit}`,
    );
    return rows.map(({ id, account_id: accountId, workspace_id: workspaceId }) => {
      return { id, accountId, workspaceId };
    });
  }

  async used(scope: string, hashes: readonly string[]): Promise<ReadonlySet<string>> {
    if (hashes.length === 0) return new Set();
    const list = hashes.reduce<SqlStatement>(
      (sum, hash, at) => sql`${sum}${rawSql(at === 0 ? '' : ', ')}${hash}`,
      sql``,
    );
    const rows = await this.#db.rows<{ readonly hash: string }>(
      sql`select distinct hash from files where scope = ${scope} and hash in (${list})`,
    );
    return new Set(rows.map(({ hash }) => hash));
  }
}

/** Deletes the files of a workspace that is deleted. */
export async function deleteFiles(transaction: SqlConnection, owner: FileOwner): Promise<void> {
  const scope = fileScope(owner);
  await transaction.change(sql`delete from files where scope = ${scope}`);
  await transaction.change(sql`delete from file_pieces where scope = ${scope}`);
}

/** Lets what changes files of one owner wait for each other, so that room and contents are counted once. */
async function holdOwner(transaction: SqlConnection, { accountId, workspaceId }: FileOwner): Promise<void> {
  await transaction.change(
    workspaceId === null
      ? sql`update accounts set id = id where id = ${accountId}`
      : sql`update workspaces set id = id where account_id = ${accountId} and id = ${workspaceId}`,
  );
}

async function findIn(db: SqlConnection, scope: string, id: string, now: number) {
  const [row] = await db.rows<FileRow>(sql`
    select * from files where scope = ${scope} and id = ${id} and (expires_at is null or expires_at > ${now})`);
  return row && fileFromRow(row);
}

function beyond({ createdAt, id }: StoredFile, ascends: boolean): SqlStatement {
  return ascends
    ? sql`and (created_at > ${createdAt} or (created_at = ${createdAt} and id > ${id}))`
    : sql`and (created_at < ${createdAt} or (created_at = ${createdAt} and id < ${id}))`;
}

function named(part: string): SqlStatement {
  const pattern = `%${part.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  return sql`and lower(filename) like ${pattern} escape '\\'`;
}

function fileFromRow(row: FileRow): StoredFile {
  return {
    id: row.id,
    filename: row.filename,
    mimeType: row.mime_type,
    size: Number(row.size),
    hash: row.hash,
    createdAt: Number(row.created_at),
    expiresAt: numberOrNull(row.expires_at),
  };
}

/** Bytes of a piece: every statement stays small, whatever the file. A multiple of three, so that pieces of base64 join. */
const pieceSize = 768 * 1024;

interface PieceRow {
  readonly base64: string;
}

/** Stores contents in pieces, unless the scope has them already. */
/** Keeps contents of a file in pieces; those that are there already stay. */
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
async function readPieces(db: SqlConnection, scope: string, hash: string): Promise<Uint8Array | undefined> {
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
