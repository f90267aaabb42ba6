import { randomBytes } from 'node:crypto';
import { after } from 'node:test';
import { createClient } from '@redis/client';
import { type PostgresServer, startPostgres } from '../../support/start-postgres.ts';
import { startRedis, type TestRedis } from '../../support/start-redis.ts';
import type { Engines, StoredText } from './engines.ts';

interface Servers {
  readonly postgres: PostgresServer;
  readonly redis: TestRedis;
  readonly redisPassword: string;
}

/** A folder needs one of them; no test file has as many folders. */
const redisDatabases = 128;

let servers: Promise<Servers> | undefined;
let folders = 0;

// At the root, where it runs once all tests of the file are over.
after(async () => {
  if (servers === undefined) return;
  const { postgres, redis } = await servers;
  await Promise.all([postgres.stop(), redis.stop()]);
});

/** A new PostgreSQL database and a new Redis database on servers this process starts once and stops at its end. */
export async function makeServerEngines(): Promise<Engines> {
  servers ??= startServers();
  const { postgres, redis, redisPassword } = await servers;
  const database = await postgres.createDatabase();
  folders += 1;
  const databaseUrl = postgres.url(database);
  const redisUrl = `redis://:${redisPassword}@127.0.0.1:${redis.port}/${folders}`;
  const { password } = new URL(databaseUrl);
  return {
    env: { HEADGATE_DATABASE_URL: databaseUrl, HEADGATE_REDIS_URL: redisUrl },
    secrets: [password, decodeURIComponent(password), redisPassword],
    rows: (statement) => postgres.run(statement, database),
    stored: async () => [...(await readTables(postgres, database)), ...(await readKeys(redisUrl))],
  };
}

async function startServers(): Promise<Servers> {
  const redisPassword = randomBytes(12).toString('hex');
  const [postgres, redis] = await Promise.all([
    startPostgres(),
    // Uncompressed, so that what is looked for is found.
    startRedis(
      '--databases',
      String(redisDatabases),
      '--requirepass',
      redisPassword,
      '--rdbcompression',
      'no',
    ),
  ]);
  return { postgres, redis, redisPassword };
}

async function readTables(postgres: PostgresServer, database: string): Promise<readonly StoredText[]> {
  const tables = await postgres.run(
    `select table_name from information_schema.tables where table_schema = 'public' order by table_name`,
    database,
  );
  const texts: StoredText[] = [];
  for (const { table_name: name } of tables) {
    const rows = await postgres.run(`select t::text as line from ${name} t`, database);
    texts.push({ name: `table ${name}`, text: rows.map(({ line }) => line).join('\n') });
  }
  return texts;
}

async function readKeys(url: string): Promise<readonly StoredText[]> {
  const client = createClient({ url });
  await client.connect();
  try {
    const texts: StoredText[] = [];
    for await (const keys of client.scanIterator()) {
      for (const key of keys) texts.push({ name: `key ${key}`, text: `${key} ${await client.dump(key)}` });
    }
    return texts;
  } finally {
    client.destroy();
  }
}
