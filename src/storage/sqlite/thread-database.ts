import type { SqlConnection, SqlDatabase } from '../sql/database.ts';
import { statementError } from '../sql/database-error.ts';
import { type SqlStatement, statementRenderer } from '../sql/statement.ts';
import type { ThreadAnswer, ThreadRequest } from './protocol.ts';
import type { ThreadClient } from './thread-client.ts';

type Send = (request: ThreadRequest) => Promise<ThreadAnswer>;

const render = statementRenderer(() => '?');

/** SQLite as the stores see it: statements carried out by a database thread. */
export class ThreadDatabase implements SqlDatabase {
  readonly #client: ThreadClient;
  readonly #connection: SqlConnection;

  constructor(client: ThreadClient) {
    this.#client = client;
    this.#connection = connectionOver((request) => client.send(request));
  }

  rows<Row>(statement: SqlStatement): Promise<readonly Row[]> {
    return this.#connection.rows(statement);
  }

  change(statement: SqlStatement): Promise<number> {
    return this.#connection.change(statement);
  }

  async transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    const transaction = await this.#client.begin().catch(rethrow);
    try {
      const result = await work(connectionOver(transaction.send));
      await transaction.send({ kind: 'commit' }).catch(rethrow);
      return result;
    } catch (error) {
      // A thread that is gone has rolled back already; the caller must learn the failure that led here.
      await transaction.send({ kind: 'rollback' }).catch(() => undefined);
      throw error;
    } finally {
      transaction.release();
    }
  }

  /** A transaction of SQLite sees one moment anyway. */
  snapshot<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    return this.transaction(work);
  }
}

function connectionOver(send: Send): SqlConnection {
  const carryOut = (kind: 'rows' | 'change', statement: SqlStatement) =>
    send({ kind, sql: render(statement), values: statement.values }).catch(rethrow);
  return {
    // The thread answers each kind of request with its own shape, and the caller knows its columns.
    rows: async <Row>(statement: SqlStatement) => (await carryOut('rows', statement)) as readonly Row[],
    change: async (statement) => (await carryOut('change', statement)) as number,
  };
}

function rethrow(error: unknown): never {
  throw statementError(error);
}
