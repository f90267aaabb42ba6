import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Storage } from '../../src/ports/storage.ts';
import { openStorage, type StorageOptions } from '../../src/storage/open-storage.ts';
import { type PostgresServer, startPostgres } from './start-postgres.ts';

/** Longer than any wait of the storage, with room for a busy machine. */
export const bounded = 12_000;
const quick: StorageOptions = { acquireTimeout: 500, statementTimeout: 1000, retryDelay: 50 };

/** For what must not fail however slow the machine is. */
export const patient: StorageOptions = { acquireTimeout: 30_000, statementTimeout: 30_000 };

/** A storage on a database of its own. */
export interface Opened {
  readonly storage: Storage;
  readonly name: string;
  /** Where charges wait while it is away. */
  readonly spool: string;
  /** Opens it once more, by another URL if one is given. */
  reopen(options?: StorageOptions, url?: string): Promise<Storage>;
}

/** A PostgreSQL of the tests of one file, and what can happen to it. */
export class TroubledPostgres {
  #server: PostgresServer | undefined;

  constructor() {
    before(async () => {
      this.#server = await startPostgres();
    });
    after(() => this.#server?.stop());
  }

  get server(): PostgresServer {
    assert.ok(this.#server);
    return this.#server;
  }

  /** Kills the server; it runs again when the test is over. */
  async kill(t: TestContext): Promise<void> {
    t.after(() => this.server.start());
    await this.server.kill();
  }

  /** A storage with a spool on a new database; closed when the test is over. */
  async open(
    t: TestContext,
    options: StorageOptions = {},
    urlOf = (name: string) => this.server.url(name),
  ): Promise<Opened> {
    const name = await this.server.createDatabase();
    const dataDirectory = await mkdtemp(join(tmpdir(), 'headgate-'));
    const opened: Storage[] = [];
    t.after(async () => {
      await Promise.all(opened.map((storage) => storage.close()));
      await rm(dataDirectory, { recursive: true, force: true });
    });
    const reopen = async (change: StorageOptions = {}, url = urlOf(name)) => {
      const storage = await openStorage(url, { dataDirectory, ...quick, ...options, ...change });
      opened.push(storage);
      await storage.migrate();
      return storage;
    };
    return { storage: await reopen(), name, spool: join(dataDirectory, `${name}-charges`), reopen };
  }

  /** A way to the server that can be slow, or lose everything sent over it. */
  async startProxy(t: TestContext) {
    const sockets = new Set<Socket>();
    const proxy = { port: 0, silent: false, delay: 0 };
    const pass = async (bytes: Buffer, to: Socket) => {
      if (proxy.delay > 0) await sleep(proxy.delay);
      if (!proxy.silent && !to.destroyed) to.write(bytes);
    };
    const listener = createServer((near) => {
      const far = createConnection(this.server.port, '127.0.0.1');
      for (const [from, to] of [
        [near, far],
        [far, near],
      ] as const) {
        sockets.add(from);
        from.on('data', (bytes: Buffer) => void pass(bytes, to));
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      }
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    const address = listener.address();
    if (typeof address === 'object' && address !== null) proxy.port = address.port;
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      listener.close();
    });
    return proxy;
  }
}

/** What nobody may wait for longer than this. */
export async function within<Result>(milliseconds: number, work: Promise<Result>): Promise<Result> {
  const late = sleep(milliseconds, undefined, { ref: false }).then(() =>
    assert.fail(`not within ${milliseconds} ms`),
  );
  return Promise.race([work, late]);
}

const unavailable = { code: 'service_unavailable' };

/** That a caller learns in time that it cannot be done now. */
export function isTold(work: Promise<unknown>): Promise<void> {
  return within(bounded, assert.rejects(work, unavailable));
}

/** Runs a statement in a transaction that stays open until it is ended. */
export async function hold(on: PostgresServer, database: string, statement: string) {
  const { Client } = await import('pg');
  const client = new Client({ connectionString: on.url(database) });
  await client.connect();
  await client.query(`begin; ${statement}`);
  return client;
}
