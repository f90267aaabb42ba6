import type { RunningGateway } from './gateways.ts';
import { type HeadgateSettings, headgateWith } from './headgate.ts';
import { beforeExit } from './processes.ts';
import { progress, type Workbench } from './workbench.ts';

/** Database and shared-state servers for gateways, on this machine. */
export interface Engines {
  /** A database and a shared state for several gateways. */
  readonly urls: Pick<HeadgateSettings, 'databaseUrl' | 'redisUrl'>;
  /** One Headgate process on them, started on first use. */
  oneProcess(): Promise<RunningGateway>;
}

/** The name of the gateway of `oneProcess`. */
const onServers = 'PostgreSQL + Redis';

/**
 * Starts PostgreSQL and Redis with files in temporary directories, until `stopAll`. PostgreSQL waits for the disk at
 * each commit.
 * @throws Error that says what to install.
 */
export async function startEngines(bench: Workbench): Promise<Engines> {
  // They belong to the tests and load a client library, which other runs do not need.
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
