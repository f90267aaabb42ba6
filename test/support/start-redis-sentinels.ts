import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { startRedis, startSentinel, type TestRedis } from './start-redis.ts';

/** A primary, its replicas, and the sentinels that watch them. */
export interface TestSentinels {
  readonly url: string;
  readonly sentinels: readonly TestRedis[];
  /** The one that began as the primary first. */
  readonly servers: readonly TestRedis[];
  /** The server that most sentinels that answer name as the primary. */
  primary(): Promise<TestRedis>;
  /** Has sentinels take a server for gone that is silent for so many milliseconds. */
  goneAfter(milliseconds: number): Promise<void>;
  /** Makes the primary and its replicas forget everything. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

/** What of them is unlike the usual. */
export interface SentinelOptions {
  readonly replicas?: number;
  readonly sentinels?: number;
  /** Of the servers. */
  readonly options?: readonly string[];
  /** In the files of sentinels; with any it is not waited until they know each other. */
  readonly lines?: readonly string[];
}

/** Under which name the primary is watched. */
export const primaryName = 'headgate-test.primary_1';

/** Starts them, without passwords, and waits until all know each other. Nothing counts as gone yet: see `goneAfter`. */
export async function startRedisSentinels(unlike: SentinelOptions = {}): Promise<TestSentinels> {
  const { replicas = 1, sentinels: count = 3, options = [], lines = [] } = unlike;
  const usual = ['--repl-diskless-sync-delay', '0', ...options];
  const first = await startRedis(...usual);
  const servers = [first];
  while (servers.length <= replicas) servers.push(await startRedis(...usual));
  for (const { ask } of servers.slice(1)) {
    await ask('REPLICAOF', '127.0.0.1', String(first.port));
    await ask('CONFIG', 'REWRITE');
    while (!(await ask('INFO', 'replication')).includes('master_link_status:up')) await setTimeout(20);
  }
  const watched = [
    `sentinel monitor ${primaryName} 127.0.0.1 ${first.port} ${Math.ceil((count + 1) / 2)}`,
    `sentinel down-after-milliseconds ${primaryName} 60000`,
    `sentinel failover-timeout ${primaryName} 10000`,
  ];
  const sentinels: TestRedis[] = [];
  while (sentinels.length < count) sentinels.push(await startSentinel(...watched, ...lines));
  if (lines.length === 0) await untilAcquainted(sentinels, replicas);
  const primary = () => primaryOf(sentinels, servers);
  return {
    url: `redis-sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/${primaryName}`,
    sentinels,
    servers,
    primary,
    goneAfter: async (milliseconds) => {
      const set = ['SENTINEL', 'SET', primaryName, 'down-after-milliseconds', String(milliseconds)];
      for (const { ask } of sentinels) assert.equal(await ask(...set), '+OK\r\n');
    },
    flush: async () => void (await (await primary()).ask('FLUSHALL')),
    stop: async () => void (await Promise.all([...sentinels, ...servers].map((one) => one.stop()))),
  };
}

async function untilAcquainted(sentinels: readonly TestRedis[], replicas: number): Promise<void> {
  for (const { ask } of sentinels) {
    const knowsAll = async () => {
      const about = (await ask('SENTINEL', 'MASTER', primaryName)).split('\r\n');
      const numberOf = (name: string) => Number(about[about.indexOf(name) + 2]);
      return numberOf('num-other-sentinels') === sentinels.length - 1 && numberOf('num-slaves') === replicas;
    };
    while (!(await knowsAll())) await setTimeout(50);
  }
}

async function primaryOf(sentinels: readonly TestRedis[], servers: readonly TestRedis[]): Promise<TestRedis> {
  const replies = await Promise.allSettled(
    sentinels.map(({ ask }) => ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', primaryName)),
  );
  const ports = replies.flatMap((one) =>
    one.status === 'fulfilled' ? [Number(one.value.split('\r\n')[4])] : [],
  );
  const named = [...Map.groupBy(ports, (port) => port).values()].sort((a, b) => b.length - a.length);
  const server = servers.find(({ port }) => port === named[0]?.[0]);
  assert.ok(server);
  return server;
}
