import { startPostgres } from '../../test/support/start-postgres.ts';
import { startRedis } from '../../test/support/start-redis.ts';

/** A server that can be ended and comes back on its port. */
export interface Engine {
  readonly name: 'PostgreSQL' | 'Redis';
  readonly port: number;
  /** Where it is when nothing stands between, or behind a proxy on another port. */
  readonly url: (port?: number) => string;
  /** Ends it, at once as a crash does or in its own way. */
  readonly end: (how: 'killed' | 'stopped') => Promise<void>;
  /** Starts it again and waits until it answers. */
  readonly start: () => Promise<void>;
  /** Ends it for good and removes its files. */
  readonly close: () => Promise<void>;
}

/** A scratch PostgreSQL with an empty database, and a way to ask it. */
export async function startPostgresEngine() {
  const server = await startPostgres();
  const database = await server.createDatabase();
  const engine: Engine = {
    name: 'PostgreSQL',
    port: server.port,
    url: (port = server.port) => server.urlWith(database, { port }),
    end: (how) => server.kill(how === 'killed' ? 'SIGKILL' : 'SIGINT'),
    start: () => server.start(),
    close: () => server.stop(),
  };
  return { engine, ask: (statement: string) => server.run(statement, database) };
}

/** A scratch Redis that keeps nothing on disk: a restart loses all it knew. */
export async function startRedisEngine(): Promise<Engine> {
  const server = await startRedis();
  return {
    name: 'Redis',
    port: server.port,
    url: (port = server.port) => `redis://127.0.0.1:${port}/0`,
    end: async (how) => {
      if (how === 'stopped') await server.ask('SHUTDOWN', 'NOSAVE').catch(() => undefined);
      await server.kill();
    },
    start: () => server.restart(),
    close: () => server.stop(),
  };
}
