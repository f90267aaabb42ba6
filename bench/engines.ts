import type { RunningGateway } from './gateways.ts';
import { type HeadgateSettings, headgateWith } from './headgate.ts';
import { beforeExit } from './processes.ts';
import { progress, type Workbench } from './workbench.ts';

/** Servers that hold the records and the shared state of gateways, on this machine. */
export interface Engines {
  /** A database and a shared state that several gateways may use together. */
  readonly urls: Pick<HeadgateSettings, 'databaseUrl' | 'redisUrl'>;
  /** One Headgate process on them, started when first asked for. */
  oneProcess(): Promise<RunningGateway>;
}

/** How the gateway of `oneProcess` is called. */
const onServers = 'PostgreSQL + Redis';

/**
 * Starts PostgreSQL and Redis with files in temporary directories, until `stopAll`. PostgreSQL waits for the disk at each commit.
 * @throws Error that says what to install.
 */
export async function startEngines(bench: Workbench): Promise<Engines> {
  // They belong to the tests and load a client library: runs without them need neither.
  const { startPostgres } = await import('../test/support/start-postgres.ts');
  const { startRedis } = await import('../test/support/start-redis.ts');
  const postgres = await startPostgres();
  beforeExit(() => postgres.stop());
  const redis = await startRedis();
  beforeExit(() => redis.stop());
  progress('PostgreSQL and Redis started');
  const urls = { databaseUrl: postgres.url(await postgres.createDatabase()), redisUrl: redis.url };
  let gateway: Promise<RunningGateway> | undefined;
  return {
    urls,
    oneProcess() {
      gateway ??= bench.start(headgateWith({ name: onServers, isPrepaid: true, ...urls }));
      return gateway;
    },
  };
}
