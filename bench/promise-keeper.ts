import { constants, open } from 'node:fs/promises';
import { createClient } from '@redis/client';
import { Client } from 'pg';

/**
 * Headgate's promises for every answer, which a bare proxy does not make, implemented in the simplest way.
 */
export interface PromiseKeeper {
  /** Before the provider is called: reserves what the request may cost where all processes see it. */
  before(): Promise<void> | undefined;
  /** Before an answer is sent: makes it durable, together with others that wait. */
  after(record: string): Promise<void>;
}

/**
 * The keeper selected by the environment: KEEP_FILE writes a file and waits for the disk; KEEP_DATABASE_URL and
 * KEEP_REDIS_URL use a commit of the one and a counter of the other. Without them it does nothing.
 */
export async function startKeeper(env: NodeJS.ProcessEnv): Promise<PromiseKeeper | undefined> {
  const { KEEP_FILE: file, KEEP_DATABASE_URL: databaseUrl, KEEP_REDIS_URL: redisUrl } = env;
  if (file !== undefined) return keepInFile(file);
  if (databaseUrl !== undefined && redisUrl !== undefined) return keepOnServers(databaseUrl, redisUrl);
  return undefined;
}

const room = 64 * 1024 * 1024;

async function keepInFile(path: string): Promise<PromiseKeeper> {
  // A write waits for the disk and, with the room set aside, changes no metadata.
  const file = await open(path, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_DSYNC);
  await file.write(Buffer.alloc(room), 0, room, 0);
  let position = 0;
  const after = together(async (records) => {
    const bytes = Buffer.from(records.join(''));
    if (position + bytes.length > room) position = 0;
    await file.write(bytes, 0, bytes.length, position);
    position += bytes.length;
  });
  return { before: () => undefined, after };
}

async function keepOnServers(databaseUrl: string, redisUrl: string): Promise<PromiseKeeper> {
  const database = new Client({ connectionString: databaseUrl });
  await database.connect();
  await database.query('create table if not exists kept (record text not null)');
  const shared = createClient({ url: redisUrl });
  await shared.connect();
  const text = 'insert into kept select unnest($1::text[])';
  const book = together(async (records) => {
    await database.query({ name: 'keep', text, values: [records] });
  });
  return {
    async before() {
      await shared.incrBy('held', 1);
    },
    async after(record) {
      await book(record);
      shared.decrBy('held', 1).catch(reportAndExit);
    },
  };
}

function reportAndExit(error: unknown): void {
  console.error(error);
  process.exit(1);
}

/** Records that come during a write are written together after it. */
function together(write: (records: readonly string[]) => Promise<void>): (record: string) => Promise<void> {
  let waiting: { readonly records: string[]; readonly written: Promise<void> } | undefined;
  let running: Promise<void> = Promise.resolve();
  return (record) => {
    if (waiting === undefined) {
      const records: string[] = [];
      const written = running.then(() => {
        waiting = undefined;
        return write(records);
      });
      waiting = { records, written };
      running = written;
    }
    waiting.records.push(record);
    return waiting.written;
  };
}
