import { totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import { utcDay } from '../../src/util/utc-windows.ts';
import { type PostgresServer, startPostgres } from '../../test/support/start-postgres.ts';
import { forgetFiles } from './forget-files.ts';
import { load } from './load.ts';
import { type Figures, measure } from './measure.ts';
import type { LargeDatabaseOptions } from './options.ts';
import { type Question, questions, verification } from './questions.ts';
import type { LargeDatabaseReport, RelationSize } from './report.ts';

const database = 'large';

/** As much as is commonly configured; little of it is used where there are few calls. */
const buffers = `shared_buffers=${Math.floor(totalmem() / 6e6)}MB`;

/** For filling; none of these apply during the queries. */
const loadSettings = [
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
  'wal_level=minimal',
  'max_wal_senders=0',
  'max_wal_size=20GB',
  'checkpoint_timeout=1h',
  buffers,
  'maintenance_work_mem=2GB',
  'autovacuum=off',
  'jit=off',
];

/** Like a production server: durable, and default settings except for the buffers. */
const servingSettings = [buffers, 'max_wal_size=4GB'];

/**
 * Fills a separate PostgreSQL with calls, and measures every query of Headgate through its own stores.
 * @param report Called with progress.
 * @throws Error when `ledger verify` finds a difference, after everything was measured.
 */
export async function runLargeDatabase(
  options: LargeDatabaseOptions,
  report: (line: string) => void,
): Promise<LargeDatabaseReport> {
  const { directory, keep } = options;
  const server = await startPostgres({
    ...(directory !== undefined && { directory }),
    settings: loadSettings,
  });
  try {
    const found = await server.run(`select 1 from pg_database where datname = '${database}'`);
    if (found.length === 0) {
      await server.run(`create database ${database}`);
      await load({ url: server.url(database), rows: options.rows, details: options.details, report });
    }
    await bringUpToDate(server);
    return await measureAll(server, options, report);
  } finally {
    if (keep) await server.kill('SIGINT');
    else await server.stop();
  }
}

/** A database of an earlier run may lack a migration. */
async function bringUpToDate(server: PostgresServer): Promise<void> {
  const storage = await openStorage(server.url(database));
  const applied = await storage.migrate();
  await storage.close();
  if (applied.length > 0) await server.run('analyze daily_usage', database);
}

async function measureAll(
  server: PostgresServer,
  options: LargeDatabaseOptions,
  report: (line: string) => void,
): Promise<LargeDatabaseReport> {
  const { samples, only } = options;
  const { calls, dailyRows, bytes, sizes, ids } = await describe(server, samples);
  const figures: Figures[] = [];
  const note = (one: Figures) => {
    report(JSON.stringify(one));
    figures.push(one);
  };
  const anew = (storageOptions: StorageOptions, work: (storage: Storage) => Promise<Figures>) =>
    withStorage(server, { ...storageOptions, forgetsFiles: options.forgetsFiles }, work);
  const asked = ({ name }: Question | { name: string }) => only === undefined || name.includes(only);
  for (const question of questions(samples, ids).filter(asked)) {
    note(await anew({}, (storage) => measure(question, samples, storage)));
  }
  if (asked(retention)) note(await timeRetention(server, options.forgetsFiles));
  if (asked(verification)) note(await anew({}, (storage) => measure(verification, samples, storage)));
  return { calls, dailyRows, bytes, sizes, figures };
}

/** Restarts the server with an empty cache and provides a storage. */
async function withStorage(
  server: PostgresServer,
  { forgetsFiles, ...options }: StorageOptions & Pick<LargeDatabaseOptions, 'forgetsFiles'>,
  work: (storage: Storage) => Promise<Figures>,
): Promise<Figures> {
  await server.kill('SIGINT');
  if (forgetsFiles) await forgetFiles();
  await server.start(servingSettings);
  const storage = await openStorage(server.url(database), options);
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

const retention = { name: 'retention of the oldest day (96 statements)' };

/** How long a storage takes from its opening until it has deleted the oldest day. */
async function timeRetention(server: PostgresServer, forgetsFiles: boolean): Promise<Figures> {
  const { name } = retention;
  const [row] = await server.run(
    `select coalesce((select first_day from kept_calls where slot = 2), (select min(day) from daily_usage)) as day`,
    database,
  );
  const first = Number(row?.day);
  const options = { forgetsFiles, retention: { days: utcDay(Date.now()) - first - 1, every: 1 } };
  return withStorage(server, options, async () => {
    const start = performance.now();
    for (let tries = 0; tries < 3000; tries += 1) {
      const done = await server.run(
        `select 1 from kept_calls where slot = 2 and first_day > ${first}`,
        database,
      );
      const duration = performance.now() - start;
      if (done.length > 0) return { name, cold: { p50: duration, longest: duration }, warm: undefined };
      await sleep(40);
    }
    return { name, cold: undefined, warm: undefined, failure: 'not done' };
  });
}

async function describe(server: PostgresServer, samples: number) {
  const number = async (expression: string, from = '') =>
    Number((await server.run(`select ${expression} as value ${from}`, database))[0]?.value);
  const calls = await number('count(*)', 'from generations');
  const percent = Math.min(100, (100 * 200 * samples) / calls);
  const rows = await server.run(
    `select id from generations tablesample system (${percent}) order by md5(id) limit ${samples}`,
    database,
  );
  const sizes = await server.run(
    `select relname as name, pg_table_size(oid) as bytes from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'i') order by 2 desc limit 10`,
    database,
  );
  return {
    calls,
    dailyRows: await number('count(*)', 'from daily_usage'),
    bytes: await number(`pg_database_size('${database}')`),
    sizes: sizes.map(({ name, bytes }): RelationSize => ({ name: String(name), bytes: Number(bytes) })),
    ids: rows.map(({ id }) => String(id)),
  };
}
