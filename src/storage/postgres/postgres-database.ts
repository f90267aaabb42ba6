import type { PoolClient } from 'pg';
import { type SqlConnection, type SqlDatabase, statementError } from '../sql/database.ts';
import { type SqlStatement, statementRenderer } from '../sql/statement.ts';
import { BrokenConnection, type Connections, runStatement } from './connections.ts';
import { PostgresFailure } from './postgres-failure.ts';

const render = statementRenderer((number) => `$${number}`);

/** How often a transaction is tried that others get in the way of. */
const tries = 4;

/** How long things may take, in milliseconds. */
export interface DatabaseTimeouts {
  /** One statement. */
  readonly statement: number;
  /** Waiting for a row somebody else holds. */
  readonly lock: number;
}

/** PostgreSQL as the stores see it. What another transaction got in the way of is tried again, as a whole. */
export class PostgresDatabase implements SqlDatabase {
  readonly #connections: Connections;
  readonly #timeouts: DatabaseTimeouts;

  constructor(connections: Connections, timeouts: DatabaseTimeouts) {
    this.#connections = connections;
    this.#timeouts = timeouts;
  }

  async rows<Row>(statement: SqlStatement): Promise<readonly Row[]> {
    return (await this.#run<Row>(statement)).rows;
  }

  async change(statement: SqlStatement): Promise<number> {
    return (await this.#run(statement)).changes;
  }

  transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    return this.#transaction('read committed', work);
  }

  snapshot<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    return this.#transaction('repeatable read read only', work);
  }

  #run<Row = never>(statement: SqlStatement) {
    return this.#retrying((client) => this.#send<Row>(client, statement));
  }

  #transaction<Result>(mode: string, work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    return this.#retrying((client) => this.#once(client, mode, work));
  }

  async #retrying<Result>(run: (client: PoolClient) => Promise<Result>): Promise<Result> {
    for (let left = tries - 1; ; left -= 1) {
      try {
        return await this.#connections.use(run);
      } catch (error) {
        if (left > 0 && error instanceof PostgresFailure && error.isConflict) continue;
        throw statementError(error);
      }
    }
  }

  async #once<Result>(
    client: PoolClient,
    mode: string,
    work: (connection: SqlConnection) => Promise<Result>,
  ): Promise<Result> {
    const { statement, lock } = this.#timeouts;
    // Set for this transaction alone. The last one lets go of the rows of a process that went away without a word.
    await runStatement(
      client,
      {
        text: `begin isolation level ${mode}; set local statement_timeout = ${statement};
          set local lock_timeout = ${lock}; set local idle_in_transaction_session_timeout = ${statement * 2}`,
      },
      statement,
    );
    try {
      const result = await work({
        rows: async <Row>(one: SqlStatement) => (await this.#send<Row>(client, one)).rows,
        change: async (one) => (await this.#send(client, one)).changes,
      });
      await runStatement(client, { text: 'commit' }, statement);
      return result;
    } catch (error) {
      if (error instanceof BrokenConnection) throw error;
      await runStatement(client, { text: 'rollback' }, statement);
      throw error;
    }
  }

  #send<Row = never>(client: PoolClient, statement: SqlStatement) {
    return runStatement<Row>(
      client,
      { text: render(statement), values: statement.values },
      this.#timeouts.statement,
    );
  }
}
