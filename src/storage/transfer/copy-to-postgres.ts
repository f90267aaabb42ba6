import { DatabaseSync } from 'node:sqlite';
import type { DatabaseCopy, RowCounts } from '../../ports/database-copies.ts';
import type { LedgerDifference } from '../../ports/ledger.ts';
import type { Storage } from '../../ports/storage.ts';
import { Connections } from '../postgres/connections.ts';
import { addToDailyUsage, countedColumns } from '../postgres/daily-usage.ts';
import { openPostgres } from '../postgres/open-postgres.ts';
import { PostgresDatabase } from '../postgres/postgres-database.ts';
import type { SqlConnection } from '../sql/database.ts';
import { addPieces } from '../sql/file-store.ts';
import { rawSql, type SqlValue, sql } from '../sql/statement.ts';
import { addToSums } from '../sql/usage-sums.ts';
import { openSqlite } from '../sqlite/open-sqlite.ts';
import { backupSqlite, removeDatabase, tablesOf } from './sqlite-backup.ts';

/** What is copied, and where to. */
export interface CopyOrder {
  /** The SQLite file, which others may go on using. */
  readonly file: string;
  /** `postgres://…`: a database that exists and holds nothing of Headgate. */
  readonly url: string;
  /** Contents of a stored file; undefined where they are lost. */
  readonly readContents: (scope: string, hash: string) => Promise<Uint8Array | undefined>;
}

/** Tables that are of an engine or of a running process, and sums that the new database makes of its calls. */
const notCopied: ReadonlySet<string> = new Set([
  ...['migrations', 'pending_charges', 'usage_folded', 'usage_late', 'usage_sums', 'processes'],
]);

/** Rows of one statement at most, and about as many characters. */
const rowsAtOnce = 2_000;
const charactersAtOnce = 2_000_000;
/** Milliseconds that one statement may take. */
const patience = 1_800_000;

/**
 * Copies a SQLite database as it is at one moment into an empty PostgreSQL database, with the contents of files
 * (docs/spec/operations.md#backups). What the server books later is not in the copy.
 * @throws Error for the operator: the target is not empty or cannot be reached, or no copy can be made beside the file.
 */
export async function copyToPostgres({ file, url, readContents }: CopyOrder): Promise<DatabaseCopy> {
  const moment = `${file}.copying`;
  await removeDatabase(moment);
  try {
    await backupSqlite(file, moment);
    const from = await bookEverything(moment);
    const target = await openPostgres(url);
    try {
      await target.migrate();
      const { tables, lostFiles } = await fill(moment, url, readContents);
      return { tables, lostFiles, differences: { from, to: await target.ledger.verify() } };
    } finally {
      await target.close();
    }
  } finally {
    for (const end of ['', '.lock', '-room']) await removeDatabase(`${moment}${end}`);
  }
}

/** Books the charges that waited at the moment of the copy, and verifies the ledger. */
async function bookEverything(file: string): Promise<readonly LedgerDifference[]> {
  const storage: Storage = await openSqlite(file);
  try {
    await storage.migrate();
    return await storage.ledger.verify();
  } finally {
    await storage.close();
  }
}

/** Fills the tables of the new database in one transaction. */
async function fill(
  file: string,
  url: string,
  readContents: CopyOrder['readContents'],
): Promise<Pick<DatabaseCopy, 'tables' | 'lostFiles'>> {
  const source = new DatabaseSync(file, { readOnly: true });
  const connections = await Connections.open({ url, size: 1, acquireTimeout: 10_000 });
  try {
    const target = new PostgresDatabase(connections, { statement: patience, lock: patience });
    return await target.transaction(async (transaction) => {
      const tables = tablesOf(source).filter((table) => !notCopied.has(table));
      const counts = new Map<string, number>();
      // Most tables name accounts.
      for (const table of ['accounts', ...tables.filter((one) => one !== 'accounts')]) {
        await copyTable(table, source, transaction);
        counts.set(table, Number(source.prepare(`select count(*) as rows from "${table}"`).get()?.rows));
      }
      await transaction.change(
        rawSql(addToDailyUsage(`from (select ${countedColumns} from generations) as call where not lapsed`)),
      );
      await transaction.change(rawSql(addToSums('from generations')));
      const lostFiles = await copyContents(transaction, readContents);
      return { tables: await compare(counts, transaction), lostFiles };
    });
  } finally {
    source.close();
    await connections.close();
  }
}

async function copyTable(table: string, source: DatabaseSync, target: SqlConnection): Promise<void> {
  const columns = await columnsOf(table, target);
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const read = source.prepare(`select ${names} from "${table}"`);
  read.setReadBigInts(true);
  read.setReturnArrays(true);
  const arrays = columns
    .map(({ type }) => `cast(? as ${type}[])`)
    .join(', ')
    .split('?');
  // Each value is a whole column, as the text of an array.
  const insert = (values: readonly string[]) =>
    values.reduce(
      (statement, value, index) => sql`${statement}${value}${rawSql(arrays[index + 1] ?? '')}`,
      rawSql(`insert into "${table}" (${names}) select * from unnest(${arrays[0]}`),
    );
  let rows: SqlValue[][] = [];
  let characters = 0;
  const send = async () => {
    if (rows.length === 0) return;
    const values = columns.map((_, index) => arrayText(rows.map((row) => row[index] ?? null)));
    await target.change(sql`${insert(values)})`);
    rows = [];
    characters = 0;
  };
  // The statement gives arrays, which its types do not know.
  for (const row of read.iterate() as unknown as Iterable<SqlValue[]>) {
    rows.push(row);
    for (const value of row) characters += typeof value === 'string' ? value.length : 8;
    if (rows.length >= rowsAtOnce || characters >= charactersAtOnce) await send();
  }
  await send();
}

/** The columns of a table of the new database. @throws Error for the operator when the table is not empty. */
async function columnsOf(table: string, target: SqlConnection) {
  const used = await target.rows(rawSql(`select 1 from "${table}" limit 1`));
  if (used.length > 0)
    throw new Error(`The target is not empty: there are ${table} in it. Name a new database.`);
  return target.rows<{ readonly name: string; readonly type: string }>(sql`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} order by ordinal_position`);
}

/** An array as PostgreSQL reads it from text. */
function arrayText(values: readonly SqlValue[]): string {
  const texts = values.map((value) => {
    if (value === null) return 'NULL';
    return typeof value === 'string' ? `"${value.replace(/[\\"]/g, '\\$&')}"` : String(value);
  });
  return `{${texts.join(',')}}`;
}

/** Brings contents of files into the database, where every process reaches them; returns the files whose are not there. */
async function copyContents(
  target: SqlConnection,
  readContents: CopyOrder['readContents'],
): Promise<readonly string[]> {
  const lost: string[] = [];
  const files = await target.rows<{ readonly id: string; readonly scope: string; readonly hash: string }>(
    sql`select id, scope, hash from files order by id`,
  );
  for (const { id, scope, hash } of files) {
    const contents = await readContents(scope, hash);
    if (contents === undefined) lost.push(id);
    else await addPieces(target, scope, hash, contents);
  }
  return lost;
}

async function compare(copied: RowCounts, target: SqlConnection): Promise<DatabaseCopy['tables']> {
  const tables: { table: string; from: number; to: number }[] = [];
  for (const [table, from] of copied) {
    // Contents that were in a directory are in this table now.
    if (table === 'file_pieces') continue;
    const [row] = await target.rows<{ readonly count: bigint }>(
      rawSql(`select count(*) as count from "${table}"`),
    );
    tables.push({ table, from, to: Number(row?.count) });
  }
  return tables;
}
