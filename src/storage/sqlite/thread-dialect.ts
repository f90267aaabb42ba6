import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type Kysely,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqlValue } from '../sql/values.ts';
import { statementError } from './database-error.ts';
import type { ThreadRequest } from './protocol.ts';
import type { ThreadClient, ThreadTransaction } from './thread-client.ts';

/** Kysely's SQLite dialect, its queries carried out by a database thread. */
export function threadDialect(client: ThreadClient): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new ThreadDriver(client),
    createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** SQLite changes schemas inside transactions, so that pending migrations are applied all or none. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

class ThreadDriver implements Driver {
  readonly #client: ThreadClient;

  constructor(client: ThreadClient) {
    this.#client = client;
  }

  async init(): Promise<void> {}

  async acquireConnection(): Promise<ThreadConnection> {
    return new ThreadConnection(this.#client);
  }

  beginTransaction(connection: ThreadConnection): Promise<void> {
    return connection.begin();
  }

  async commitTransaction(connection: ThreadConnection): Promise<void> {
    await connection.send({ kind: 'commit' });
  }

  async rollbackTransaction(connection: ThreadConnection): Promise<void> {
    // A thread that is gone has rolled back already; the caller must learn the failure that led here.
    await connection.send({ kind: 'rollback' }).catch(() => undefined);
  }

  async releaseConnection(connection: ThreadConnection): Promise<void> {
    connection.release();
  }

  destroy(): Promise<void> {
    return this.#client.close();
  }
}

/** What Kysely takes for a connection: the client itself until a transaction begins, then that transaction. */
class ThreadConnection implements DatabaseConnection {
  readonly #client: ThreadClient;
  #transaction: ThreadTransaction | undefined;

  constructor(client: ThreadClient) {
    this.#client = client;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters as readonly SqlValue[];
    const { rows, changes } = await this.send({ kind: 'query', sql: query.sql, parameters });
    return { rows: (rows ?? []) as R[], numAffectedRows: changes };
  }

  streamQuery(): never {
    throw new Error('Queries are not streamed from the database thread.');
  }

  async send(request: ThreadRequest) {
    try {
      return await (this.#transaction ?? this.#client).send(request);
    } catch (error) {
      throw statementError(error);
    }
  }

  async begin(): Promise<void> {
    try {
      this.#transaction = await this.#client.begin();
    } catch (error) {
      throw statementError(error);
    }
  }

  release(): void {
    this.#transaction?.release();
    this.#transaction = undefined;
  }
}
