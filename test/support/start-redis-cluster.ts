import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startRedis } from './start-redis.ts';

/** A Redis Cluster of a test's own. */
export interface TestCluster {
  readonly url: string;
  /** Makes every node forget everything. */
  flush(): Promise<void>;
  /** Which slot a key lies in. */
  slotOf(key: string): Promise<number>;
  stop(): Promise<void>;
}

/** Starts three nodes without replicas and makes them a cluster. */
export async function startRedisCluster(): Promise<TestCluster> {
  const node = () => startRedis('--cluster-enabled', 'yes');
  const nodes = [await node(), await node(), await node()] as const;
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-yes']);
  for (const { ask } of nodes) {
    while (!(await ask('CLUSTER', 'INFO')).includes('cluster_state:ok')) await setTimeout(50);
  }
  return {
    url: `redis-cluster://${hosts.join(',')}`,
    flush: async () => void (await Promise.all(nodes.map(({ ask }) => ask('FLUSHALL')))),
    slotOf: async (key) => Number((await nodes[0].ask('CLUSTER', 'KEYSLOT', key)).slice(1)),
    stop: async () => void (await Promise.all(nodes.map((one) => one.stop()))),
  };
}
