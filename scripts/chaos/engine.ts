import { startPostgres } from '../../test/support/start-postgres.ts';
import { startRedis } from '../../test/support/start-redis.ts';

/** Servers that every process of a run needs: one, or several that act as one. */
export interface Engine {
  readonly name: 'PostgreSQL' | 'Redis';
  /** Of all its servers. */
  readonly ports: readonly number[];
  /** Whether its servers announce each other's ports, so that a proxy between must rewrite them. */
  readonly namesPorts: boolean;
  /** Its address, directly or through the proxies' ports. */
  readonly url: (portFor?: (port: number) => number) => string;
  /** The faults that can be injected. */
  readonly engineFaults: readonly EngineFault[];
  /** The servers that a network may cut off together. */
  readonly parts: readonly Part[];
  /** Stops it for good and removes its files. */
  readonly close: () => Promise<void>;
}

/** A fault of an engine, until it is repaired. */
export interface EngineFault {
  /** Such as `Redis killed`. */
  readonly name: string;
  /** The longest time between begin and end, in milliseconds. */
  readonly longest: number;
  readonly begin: () => Promise<void>;
  /** Repairs it and waits until every server answers. */
  readonly end: () => Promise<void>;
}

/** Servers of an engine. */
export interface Part {
  readonly name: string;
  readonly ports: readonly number[];
}

const longestRestart = 4_000;

/** Starts a scratch PostgreSQL with an empty database, and a client for it. */
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
    engineFaults: [
      { name: `${name} killed`, longest: longestRestart, begin: () => server.kill('SIGKILL'), end: start },
      { name: `${name} stopped`, longest: longestRestart, begin: () => server.kill('SIGINT'), end: start },
    ],
    parts: [{ name, ports: [server.port] }],
    close: () => server.stop(),
  };
  return { engine, ask: (statement: string) => server.run(statement, database) };
}

/** Starts a scratch Redis without persistence: a restart loses all data. */
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
    engineFaults: [
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
