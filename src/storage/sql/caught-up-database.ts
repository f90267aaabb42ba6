import type { SqlConnection, SqlDatabase } from './database.ts';
import type { SqlStatement } from './statement.ts';

/**
 * A database for reads that must include every promised charge: what still waits is booked before each call.
 * Rejects as the database does if that fails.
 */
export class CaughtUpDatabase implements SqlDatabase {
  readonly #db: SqlDatabase;
  readonly #catchUp: () => Promise<void>;

  constructor(db: SqlDatabase, catchUp: () => Promise<void>) {
    this.#db = db;
    this.#catchUp = catchUp;
  }

  async rows<Row>(statement: SqlStatement): Promise<readonly Row[]> {
    await this.#catchUp();
    return this.#db.rows<Row>(statement);
  }

  async change(statement: SqlStatement): Promise<number> {
    await this.#catchUp();
    return this.#db.change(statement);
  }

  async transaction<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    await this.#catchUp();
    return this.#db.transaction(work);
  }

  async snapshot<Result>(work: (connection: SqlConnection) => Promise<Result>): Promise<Result> {
    await this.#catchUp();
    return this.#db.snapshot(work);
  }
}
