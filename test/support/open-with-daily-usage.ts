import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Clock } from '../../src/ports/clock.ts';
import type { LedgerDifference } from '../../src/ports/ledger.ts';
import type { Storage } from '../../src/ports/storage.ts';
import type { SqlConnection, SqlDatabase } from '../../src/storage/sql/database.ts';
import { verifyBooks } from '../../src/storage/sql/ledger.ts';
import { startOfSchema } from '../../src/storage/sql/migrations/0001-start.ts';
import { type SqlStatement, sql, statementRenderer } from '../../src/storage/sql/statement.ts';
import { openSqlite } from '../../src/storage/sqlite/open-sqlite.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** A second connection to a SQLite file, as the stores see one. */
class OtherConnection implements SqlDatabase {
  readonly #database: DatabaseSync;
  readonly #render = statementRenderer(() => '?');

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  async rows<Row>(statement: SqlStatement): Promise<readonly Row[]> {
    const prepared = this.#database.prepare(this.#render(statement));
    prepared.setReadBigInts(true);
    const rows: unknown = prepared.all(...(statement.values as readonly SQLInputValue[]));
    return rows as readonly Row[];
  }

  async change(statement: SqlStatement): Promise<number> {
    await this.rows(statement);
    return 0;
  }

  transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    return work(this);
  }

  snapshot<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    return work(this);
  }
}

/** What PostgreSQL adds to `daily_usage` as it books, for all the calls there are. */
const sumsOfBookedCalls = `insert into daily_usage
  select account_id, settled_at / 86400000, key_hash, coalesce(workspace_id, ''), coalesce(model, ''),
    case when model is null then requested_model else '' end, coalesce(provider, ''), coalesce(endpoint_tag, ''),
    count(*), coalesce(sum(input_tokens), 0), coalesce(sum(cached_tokens), 0), coalesce(sum(output_tokens), 0),
    coalesce(sum(reasoning_tokens), 0), sum(cost), sum(case when is_byok = 1 then list_cost else 0 end)
  from generations where not details like '{"lapsed":true%' group by 1, 2, 3, 4, 5, 6, 7, 8`;

/** A storage in a file that another connection reads and changes as well. */
export interface StorageWithDailyUsage {
  readonly storage: Storage;
  /** Of that other connection. */
  readonly database: DatabaseSync;
  readonly connection: SqlDatabase;
  /** Makes the sums of what was settled before; later calls change nothing. */
  makeSums(): Promise<void>;
  /** Compares the books including the sums, which it makes when it is called first. */
  verify(): Promise<readonly LedgerDifference[]>;
}

/** Opens SQLite with the sums of calls by day that PostgreSQL keeps. */
export async function openWithDailyUsage(
  clock: Clock,
  t: { after: (cleanUp: () => Promise<void>) => void },
): Promise<StorageWithDailyUsage> {
  const file = join(temporaryFolder(), 'headgate.db');
  const storage = await openSqlite(file, { clock });
  await storage.migrate();
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const connection = new OtherConnection(database);
  t.after(async () => {
    database.close();
    await storage.close();
  });
  let made = false;
  const makeSums = async () => {
    // Brings the database up to what was settled.
    await storage.ledger.balance('org_a');
    // A report adds what was settled to the sums of charts.
    await storage.generations.usage(0, 'day');
    if (made) return;
    made = true;
    const statements = startOfSchema({
      integer: 'integer',
      text: 'text',
      tableEnd: '',
      keepsDailyUsage: true,
      findMigrations: sql`select 1`,
    });
    for (const statement of statements) {
      const table = /^create table (daily_usage|kept_calls) /.exec(statement);
      if (table !== null) database.exec(statement.replace(' with (fillfactor = 70)', ''));
    }
    database.exec(sumsOfBookedCalls);
  };
  const verify = async () => {
    await makeSums();
    return verifyBooks(connection, { keepsDailyUsage: true, now: Date.now() });
  };
  return { storage, database, connection, makeSums, verify };
}
