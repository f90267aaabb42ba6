import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';

/** Something that is kept, as text that can be searched. */
export interface StoredText {
  readonly name: string;
  readonly text: string;
}

/** What the gateways and commands of one folder keep their books in and share their state over. */
export interface Engines {
  /** What names them. */
  readonly env: Readonly<Record<string, string>>;
  /** Passwords in it. */
  readonly secrets: readonly string[];
  /** Asks the database directly, as an auditor would. */
  rows(statement: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /** Everything they keep outside of the folder. */
  stored(): Promise<readonly StoredText[]>;
}

/** Tests of something only SQLite has, and why; they are left out on PostgreSQL and Redis. */
const onlyOnSqlite: Readonly<Record<string, string>> = {
  'while files cannot be written paid work is refused before the provider is asked, then it goes on by itself':
    "it takes the disk of the database file away; test/servers/postgres-outages.test.ts takes PostgreSQL's place",
  'a stop that comes while the first keys are made waits until they are told':
    'it holds the lock of the database file while they are made',
};

const onServers = choose(process.env.HEADGATE_E2E_ENGINES);
// Here, since what it does at the end of all tests must be said before the first of them.
const servers = onServers ? await import('./servers.ts') : undefined;
const byFolder = new Map<string, Promise<Engines>>();

/**
 * The engines of a folder, the same ones for as long as the process lives: SQLite in the folder and the memory of its
 * server, or, when HEADGATE_E2E_ENGINES is `servers`, databases of its own on PostgreSQL and Redis.
 */
export function enginesOf(folder: string): Promise<Engines> {
  const known = byFolder.get(folder) ?? servers?.makeServerEngines() ?? Promise.resolve(sqliteIn(folder));
  byFolder.set(folder, known);
  return known;
}

/** A test of `onlyOnSqlite`: on other engines one line tells that it is left out. */
export function testOnSqlite(name: string, run: () => Promise<void>): void {
  const reason = onlyOnSqlite[name];
  if (reason === undefined) throw new Error(`not in the list of tests for SQLite only: ${name}`);
  if (onServers) process.stdout.write(`left out on PostgreSQL and Redis: "${name}": ${reason}\n`);
  else test(name, run);
}

function choose(name: string | undefined): boolean {
  if (name === undefined || name === 'servers') return name !== undefined;
  throw new Error(`HEADGATE_E2E_ENGINES is "servers" or not set, not "${name}"`);
}

/** Milliseconds after which an auditor reads what is booked although something waits: no process may be left to book it. */
const patience = 2_000;

/** Resolves when no charge waits to be booked, which takes a running server some milliseconds. */
async function bookingsDone(database: DatabaseSync): Promise<void> {
  const waiting = database.prepare('select 1 from pending_charges limit 1');
  const end = performance.now() + patience;
  while (waiting.get() !== undefined && performance.now() < end) await sleep(10);
}

function sqliteIn(folder: string): Engines {
  return {
    env: {},
    secrets: [],
    rows: async (statement) => {
      const database = new DatabaseSync(join(folder, '.headgate/headgate.db'), { readOnly: true });
      try {
        await bookingsDone(database);
        return database.prepare(statement).all();
      } finally {
        database.close();
      }
    },
    stored: async () => [],
  };
}
