import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startRedis, type TestRedis } from './start-redis.ts';

/** A Redis Cluster of a test's own. */
export interface TestCluster {
  readonly url: string;
  /** Makes every node forget everything. */
  flush(): Promise<void>;
  /** Which slot a key lies in. */
  slotOf(key: string): Promise<number>;
  /** The node that has a key's slot. */
  primaryOf(key: string): Promise<TestRedis>;
  stop(): Promise<void>;
}

/** Starts three primaries, each with so many replicas, and makes them a cluster. */
export async function startRedisCluster(replicas = 0): Promise<TestCluster> {
  const node = () =>
    startRedis(
      '--cluster-enabled',
      'yes',
      '--cluster-node-timeout',
      // Where nobody can take over, a node that a busy machine keeps waiting must not count as gone.
      replicas > 0 ? '1500' : '30000',
      '--repl-diskless-sync-delay',
      '0',
    );
  const nodes: TestRedis[] = [];
  while (nodes.length < 3 * (1 + replicas)) nodes.push(await node());
  const hosts = nodes.map(({ port }) => `127.0.0.1:${port}`);
  const how = ['--cluster-replicas', String(replicas), '--cluster-yes'];
  await promisify(execFile)('redis-cli', ['--cluster', 'create', ...hosts, ...how]);
  const [first] = nodes;
  assert.ok(first);
  for (const { ask } of nodes) {
    while (!(await ask('CLUSTER', 'INFO')).includes('cluster_state:ok')) await setTimeout(50);
    while (/state=(?!online)|master_link_status:down/.test(await ask('INFO', 'replication')))
      await setTimeout(50);
  }
  return {
    url: `redis-cluster://${hosts.join(',')}`,
    flush: async () => void (await Promise.all(nodes.map(({ ask }) => ask('FLUSHALL')))),
    slotOf: async (key) => Number((await first.ask('CLUSTER', 'KEYSLOT', key)).slice(1)),
    primaryOf: async (key) => {
      for (const one of nodes) {
        if (/^:[01]/.test(await one.ask('EXISTS', key)) && (await one.ask('ROLE')).includes('master'))
          return one;
      }
      throw new Error(`nobody has the slot of ${key}`);
    },
    stop: async () => void (await Promise.all(nodes.map((one) => one.stop()))),
  };
}
