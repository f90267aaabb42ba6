import { startPostgres } from '../../test/support/start-postgres.ts';
import { startRedis } from '../../test/support/start-redis.ts';

/** The servers of a run that every process needs: one, or several that act as one. */
export interface Engine {
  readonly name: 'PostgreSQL' | 'Redis';
  /** Of all its servers. */
  readonly ports: readonly number[];
  /** Whether servers of it tell where others of it are, so that what stands between must change that. */
  readonly namesPorts: boolean;
  /** Where it is when nothing stands between, or behind the ports that stand for its own. */
  readonly url: (portFor?: (port: number) => number) => string;
  /** What may happen to it. */
  readonly mishaps: readonly Mishap[];
  /** What of it a network may cut off together. */
  readonly parts: readonly Part[];
  /** Ends it for good and removes its files. */
  readonly close: () => Promise<void>;
}

/** Something that happens to an engine until it is well again. */
export interface Mishap {
  /** Such as `Redis killed`. */
  readonly name: string;
  /** How many milliseconds there are between beginning and end at most. */
  readonly longest: number;
  readonly begin: () => Promise<void>;
  /** Mends it and waits until all of it answers. */
  readonly end: () => Promise<void>;
}

/** Servers of an engine. */
export interface Part {
  readonly name: string;
  readonly ports: readonly number[];
}

const longestRestart = 4_000;

/** A scratch PostgreSQL with an empty database, and a way to ask it. */
export async function startPostgresEngine() {
  const server = await startPostgres();
  const database = await server.createDatabase();
  const name = 'PostgreSQL';
  const start = () => server.start();
  const engine: Engine = {
    name,
    ports: [server.port],
    namesPorts: false,
    url: (portFor = same) => server.urlWith(database, { port: portFor(server.port) }),
    mishaps: [
      { name: `${name} killed`, longest: longestRestart, begin: () => server.kill('SIGKILL'), end: start },
      { name: `${name} stopped`, longest: longestRestart, begin: () => server.kill('SIGINT'), end: start },
    ],
    parts: [{ name, ports: [server.port] }],
    close: () => server.stop(),
  };
  return { engine, ask: (statement: string) => server.run(statement, database) };
}

/** A scratch Redis that keeps nothing on disk: a restart loses all it knew. */
export async function startRedisEngine(): Promise<Engine> {
  const server = await startRedis();
  const name = 'Redis';
  const end = () => server.restart();
  const stop = async () => {
    await server.ask('SHUTDOWN', 'NOSAVE').catch(() => undefined);
    await server.kill();
  };
  return {
    name,
    ports: [server.port],
    namesPorts: false,
    url: (portFor = same) => `redis://127.0.0.1:${portFor(server.port)}/0`,
    mishaps: [
      { name: `${name} killed`, longest: longestRestart, begin: () => server.kill(), end },
      { name: `${name} stopped`, longest: longestRestart, begin: stop, end },
    ],
    parts: [{ name, ports: [server.port] }],
    close: () => server.stop(),
  };
}

function same(port: number): number {
  return port;
}
