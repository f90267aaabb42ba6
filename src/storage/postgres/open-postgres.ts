import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Client } from 'pg';
import { type Clock, systemClock } from '../../ports/clock.ts';
import type { Change } from '../../ports/invalidation.ts';
import { readChange } from '../../ports/read-change.ts';
import type { ConnectionRoom, DiskUse, Storage } from '../../ports/storage.ts';
import { rootMessageOf } from '../../util/message-of.ts';
import { Booking } from '../charges/booking.ts';
import { QueuedCharges } from '../charges/queue.ts';
import { Spool } from '../charges/spool.ts';
import { bytesInside, bytesOf, freeBytes } from '../disk-use.ts';
import { Outage } from '../outage.ts';
import { CaughtUpDatabase, throwUnavailable, unbookable } from '../sql/database.ts';
import { migrate, migrationStatus } from '../sql/migrations.ts';
import type { SchemaDialect } from '../sql/schema-dialect.ts';
import { createSqlStores } from '../sql/sql-stores.ts';
import { rawSql, sql } from '../sql/statement.ts';
import { postgresDetails } from '../sql/usage-conditions.ts';
import { createBookCharges } from './book-charges.ts';
import { Connections } from './connections.ts';
import { PostgresChargeWriter } from './postgres-charge-writer.ts';
import { type DatabaseTimeouts, PostgresDatabase } from './postgres-database.ts';
import { Retention, type RetentionOptions } from './retention.ts';

/** The channel of `NOTIFY` on which processes of one database report changes. */
const changeChannel = 'headgate_changes';

const keepAliveDelay = 10_000;

/** How to listen. */
interface ChangeChannelSettings {
  readonly url: string;
  /** Milliseconds until a lost connection is made anew. */
  readonly retryDelay: number;
}

/**
 * Listens for changes on a connection of its own, which it makes anew when it is lost; then everything may have changed.
 * A pooler in transaction mode delivers no notifications: caches then only expire.
 */
class ChangeChannel {
  readonly #settings: ChangeChannelSettings;
  readonly #listener: (change: Change) => void;
  #socket: Socket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isClosed = false;
  #wasConnected = false;

  constructor(settings: ChangeChannelSettings, listener: (change: Change) => void) {
    this.#settings = settings;
    this.#listener = listener;
    void this.#connect();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#retry);
    this.#socket?.destroy();
  }

  /** Never fails: it is tried again. */
  async #connect(): Promise<void> {
    try {
      const client = await this.#newClient();
      if (this.#isClosed) return;
      let isLost = false;
      const lose = () => {
        if (isLost) return;
        isLost = true;
        this.#connectLater();
      };
      client.on('error', lose).on('end', lose);
      client.on('notification', ({ payload }) => this.#listener(parseChange(payload)));
      await client.connect().catch(lose);
      if (isLost) return;
      await client.query(`listen ${changeChannel}`);
      if (this.#wasConnected) this.#listener({ kind: 'everything' });
      this.#wasConnected = true;
    } catch {
      this.#connectLater();
    }
  }

  async #newClient(): Promise<Client> {
    const { Client } = await import('pg');
    const socket = new Socket();
    this.#socket = socket;
    return new Client({
      connectionString: this.#settings.url,
      application_name: 'headgate',
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveDelay,
      stream: () => socket,
    });
  }

  #connectLater(): void {
    this.#socket?.destroy();
    if (this.#isClosed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.#connect(), this.#settings.retryDelay).unref();
  }
}

function parseChange(payload: string | undefined): Change {
  try {
    return readChange(JSON.parse(payload ?? ''));
  } catch {
    return { kind: 'everything' };
  }
}

/** The tables a charge may be written to, each with a column of its key. */
const booked = {
  generations: 'id',
  byok_months: 'month',
  account_totals: 'account_id',
  key_spend: 'day',
  key_spend_quarters: 'quarter',
  key_totals: 'key_hash',
  daily_usage: 'day',
  held_charges: 'id',
};

/** The tables that are read before a request is let in, besides those. */
const read = [
  'accounts',
  'workspaces',
  'api_keys',
  'provider_credentials',
  'master_key',
  'ledger_entries',
  'limit_calendar',
];

const writes = Object.entries(booked).flatMap(([table, column]) => [
  `into_${table} as (insert into ${table} select * from ${table} where false)`,
  `of_${table} as (update ${table} set ${column} = ${column} where false)`,
]);

/**
 * Changes nothing and finds nothing, and is refused or held up by all that would refuse or hold up a request: a server that
 * has become read-only, as an old primary has after a failover, a privilege or a table that is gone, a table that is locked.
 */
const probe = rawSql(
  `with ${writes.join(', ')} ${read.map((table) => `select 1 from ${table} where false`).join(' union all ')}`,
);

/** Options for a PostgreSQL database; the defaults suit a server. */
export interface PostgresOptions {
  /** Connections this process opens at most; 4 at least. */
  readonly poolSize?: number;
  /** Milliseconds to wait for a free or a new connection. */
  readonly acquireTimeout?: number;
  /** Milliseconds a statement of a request may take. */
  readonly statementTimeout?: number;
  /** Deletes records of calls after a while; undefined keeps them. */
  readonly retention?: RetentionOptions;
  /** The directory under which charges wait while the database is away; undefined: none is accepted then. */
  readonly dataDirectory?: string | undefined;
  /** Milliseconds between two checks whether charges can be booked again. */
  readonly retryDelay?: number;
  /** Whether room on the disk is reserved for charges that wait. */
  readonly reserveRoom?: boolean;
  /** Decides when credit expires. */
  readonly clock?: Clock;
}

const defaultPoolSize = 8;
const smallestPoolSize = 4;

/** Milliseconds a report, a check of the books or a change of the schema may take. */
const longTimeout = 600_000;

/** Numbers nobody else uses: they keep processes apart that migrate together, or must be alone. */
const migrationLock = 4_841_730_951;
const aloneLock = 4_841_730_952;

/** How the migrations are written for PostgreSQL. */
export const schemaDialect: SchemaDialect = {
  integer: 'bigint',
  // Ids are compared often and sorted by nobody: no language, and no index that an update of the system spoils.
  text: 'text collate "C"',
  tableEnd: '',
  keepsDailyUsage: true,
  findMigrations: sql`select 1 as found where to_regclass('migrations') is not null`,
  functions: [createBookCharges],
  lockMigrations: rawSql(`select pg_advisory_xact_lock(${migrationLock})`),
};

/**
 * Opens a PostgreSQL database that exists, of version 13 or newer.
 * @param url `postgres://USER:PASSWORD@HOST:PORT/DATABASE`; never shown in an error.
 * @throws Error for the operator, saying why it cannot be reached.
 */
export async function openPostgres(url: string, options: PostgresOptions = {}): Promise<Storage> {
  const { clock = systemClock, acquireTimeout = 2_000, statementTimeout = 3_000 } = options;
  const database = databaseName(url);
  const size = Math.max(smallestPoolSize, options.poolSize ?? defaultPoolSize);
  const open = (connections: number) => Connections.open({ url, size: connections, acquireTimeout });
  // Neither reports nor a crowd of readers may keep charges waiting.
  const [charges, reports, requests] = await Promise.all([open(2), open(1), open(size - 3)]);
  const parts: Parts = {
    url,
    connections: [charges, reports, requests],
    charges,
    reports,
    requests,
    size: size + 1,
    timeouts: { statement: statementTimeout, lock: Math.ceil(statementTimeout / 2) },
    directory: spoolDirectory(options, database),
    retryDelay: options.retryDelay ?? 1000,
    reserveRoom: options.reserveRoom ?? false,
    clock,
    retention: options.retention,
  };
  try {
    await new PostgresDatabase(requests, parts.timeouts).rows(sql`select 1`);
  } catch (error) {
    await Promise.all(parts.connections.map((one) => one.close()));
    throw new Error(
      `The PostgreSQL database "${database}" cannot be reached (${rootMessageOf(error)}). Check host, user, password and database of its URL, and that the server runs.`,
    );
  }
  return assemble(parts);
}

interface Parts {
  readonly url: string;
  readonly connections: readonly Connections[];
  readonly charges: Connections;
  readonly reports: Connections;
  readonly requests: Connections;
  /** Connections of this process at most, that for news of changes included. */
  readonly size: number;
  readonly timeouts: DatabaseTimeouts;
  readonly directory: string | undefined;
  readonly retryDelay: number;
  readonly reserveRoom: boolean;
  readonly clock: Clock;
  readonly retention: RetentionOptions | undefined;
}

/** Where charges wait during an outage; undefined without a directory. */
function openSpool(
  { directory, retryDelay, reserveRoom }: Parts,
  book: (lines: readonly string[]) => Promise<void>,
): Spool | undefined {
  return directory === undefined ? undefined : new Spool({ directory, book, retryDelay, reserveRoom });
}

const databaseSize = sql`select pg_database_size(current_database()) as bytes`;

function assemble(parts: Parts): Storage {
  const { connections, timeouts, directory, retryDelay, clock } = parts;
  const db = new PostgresDatabase(parts.requests, timeouts);
  const long = new PostgresDatabase(parts.reports, { statement: longTimeout, lock: longTimeout });
  const writer = new PostgresChargeWriter(parts.charges, timeouts);
  const outage = new Outage(() => db.rows(probe), retryDelay);
  const spool = openSpool(parts, (lines) => booking.bookWaiting(lines));
  const booking: Booking = new Booking({ writer, db, outage, spool });
  const queued = new QueuedCharges(booking);
  const catchUp = async () => spool?.catchUp().catch(throwUnavailable);
  const databases = {
    db,
    books: new CaughtUpDatabase(db, catchUp),
    reports: new CaughtUpDatabase(long, catchUp),
    keepsDailyUsage: true,
    details: postgresDetails,
    holdsFiles: true,
  };
  const stores = createSqlStores(databases, queued, clock);
  const retention = parts.retention && new Retention({ db, clock, ledger: stores.ledger }, parts.retention);
  const channels: ChangeChannel[] = [];
  const close = async () => {
    for (const channel of channels) channel.close();
    retention?.close();
    await queued.close();
    booking.close();
    await spool?.close();
    await Promise.all(connections.map((one) => one.close()));
  };
  let closing: Promise<void> | undefined;
  return {
    ...stores,
    get writable() {
      return booking.writable;
    },
    get failure() {
      return booking.failure;
    },
    get roomFailure() {
      return spool?.roomFailure;
    },
    get waitingCharges() {
      return spool?.waiting ?? 0;
    },
    migrate: async () => {
      const applied = await migrate(long, schemaDialect);
      await catchUp();
      await booking.retryHeld().catch(throwUnavailable);
      return applied;
    },
    migrationStatus: () => migrationStatus(long, schemaDialect),
    watchChanges: (listener) => {
      channels.push(new ChangeChannel({ url: parts.url, retryDelay }, listener));
    },
    announce: async (change) => {
      const news = sql`select pg_notify(${changeChannel}, ${JSON.stringify(change)})`;
      // Who misses it reads the database again within seconds.
      await db.rows(news).catch(() => undefined);
    },
    alone: (work) =>
      long.transaction(async (transaction) => {
        await transaction.rows(rawSql(`select pg_advisory_xact_lock(${aloneLock})`));
        return work();
      }),
    ping: async () => {
      await askBoth(db, parts);
      if (!booking.writable || spool?.failure !== undefined) throw unbookable(booking.failure);
    },
    diskUse: () => diskUse(directory, long),
    connectionRoom: () => connectionRoom(db, parts.size),
    close: () => (closing ??= close()),
  };
}

/** Asks a connection that is there, which says nothing of requests that need another: those who got none do. */
async function askBoth(db: PostgresDatabase, { requests, charges }: Parts): Promise<void> {
  await db.rows(probe);
  const want = requests.want ?? charges.want;
  if (want !== undefined) throw want;
}

/** What the server lets a user that is no superuser open: of all, by this user, and to this database; -1 is no limit. */
const allowedConnections = sql`select
  current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint as everybody,
  (select rolconnlimit::bigint from pg_roles where rolname = current_user) as role,
  (select datconnlimit::bigint from pg_database where datname = current_database()) as database`;

async function connectionRoom(db: PostgresDatabase, wanted: number): Promise<ConnectionRoom> {
  const [limits] = await db.rows<Record<string, bigint | null>>(allowedConnections);
  const known = Object.values(limits ?? {}).filter((limit) => limit !== null && limit >= 0n);
  return { wanted, allowed: Math.min(...known.map(Number)) };
}

async function diskUse(directory: string | undefined, db: PostgresDatabase): Promise<DiskUse> {
  const use = await bytesOf(db, databaseSize);
  if (directory === undefined) return use;
  return { ...use, spool: await bytesInside(directory), free: await freeBytes(directory) };
}

/** Where charges wait for a database. It has the database's name, because those of one must not go to another. */
function spoolDirectory({ dataDirectory }: PostgresOptions, database: string): string | undefined {
  return dataDirectory && join(dataDirectory, `${encodeURIComponent(database)}-charges`);
}

/** @throws Error for the operator that does not show the URL, which may hold a password. */
function databaseName(url: string): string {
  if (!URL.canParse(url))
    throw new Error('The database URL has not the form postgres://USER:PASSWORD@HOST/DATABASE.');
  const { pathname, username } = new URL(url);
  return decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username) || 'postgres';
}
