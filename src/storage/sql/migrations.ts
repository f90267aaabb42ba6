import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import type { MigrationStatus } from '../../ports/storage.ts';
import { initialSchema } from './migrations/0001-initial.ts';
import type { Schema } from './schema.ts';

/** How an engine spells what the migrations need. */
export interface ColumnTypes {
  /** A signed 64-bit integer. */
  readonly integer: 'integer' | 'bigint';
  /** What follows the closing parenthesis of a new table. */
  readonly tableEnd: 'strict' | '';
}

/** Every migration ever published, in order. A published one is never edited: a change is a new one. */
const migrations: Readonly<Record<string, (types: ColumnTypes) => readonly string[]>> = {
  '0001-initial': initialSchema,
};

/** Brings a database's schema up to date; `migrate` and `migrationStatus` of ports/storage.ts. */
export class SchemaMigrations {
  readonly #migrator: Migrator;

  constructor(db: Kysely<Schema>, types: ColumnTypes) {
    this.#migrator = new Migrator({ db, provider: { getMigrations: async () => asKysely(types) } });
  }

  /** Applies what is pending in one transaction and returns the names; safe when several processes start at once. */
  async migrate(): Promise<readonly string[]> {
    const { error, results } = await this.#migrator.migrateToLatest();
    if (error !== undefined) throw error;
    return (results ?? []).map((result) => result.migrationName);
  }

  /** Reads only; a database without any table has everything pending. */
  async status(): Promise<MigrationStatus> {
    const all = await this.#migrator.getMigrations();
    return {
      applied: all.filter((one) => one.executedAt !== undefined).map((one) => one.name),
      pending: all.filter((one) => one.executedAt === undefined).map((one) => one.name),
    };
  }
}

function asKysely(types: ColumnTypes): Record<string, Migration> {
  const byName: Record<string, Migration> = {};
  for (const [name, statements] of Object.entries(migrations)) {
    byName[name] = {
      up: async (db) => {
        for (const statement of statements(types)) await sql.raw(statement).execute(db);
      },
    };
  }
  return byName;
}
