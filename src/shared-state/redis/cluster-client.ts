import { createCluster, type RedisClusterType } from '@redis/client';
import type { RedisAddress } from '../../util/redis-address.ts';
import { bounded } from './bounded.ts';
import { makeClient } from './make-client.ts';
import { commonOptions, type RedisClient, socketOptions } from './redis-client.ts';

type NodeAddress = RedisAddress['nodes'][number];

/** Milliseconds for which a node must be gone before the cluster is asked who has its slots now. */
const refreshDelay = 1_000;
/** Milliseconds for other nodes to answer after the first one did; silent nodes are not used. */
const stragglers = 20;

/**
 * Discovers the cluster through those of the given nodes that answer; connections to nodes are made on demand.
 */
export async function openCluster(address: RedisAddress, patience: number): Promise<RedisClient> {
  const roots = await answeringNodes(address, patience);
  const cluster = createCluster({
    rootNodes: roots.map((socket) => ({ socket })),
    defaults: { ...commonOptions(address), socket: socketOptions(address, patience) },
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: refreshDelay,
  });
  // Nodes come and go; probes check whether the cluster answers.
  cluster.on('error', () => {});
  try {
    await bounded(cluster.connect(), patience, 'connecting to the Redis cluster');
  } catch (reason) {
    cluster.destroy();
    throw reason;
  }
  return {
    several: true,
    send: (key, args) => cluster.sendCommand(key, false, [...args]),
    publish: (channel, message) => cluster.publish(channel, message),
    subscribe: (channel, listener) => cluster.subscribe(channel, (message) => listener(message)),
    probe: probeOf(cluster, patience),
    // Lets healthy nodes answer their outstanding commands first.
    destroy: () => void setTimeout(() => cluster.destroy(), patience).unref(),
  };
}

/** Probes the nodes used so far. A node may come back; one that is silent for long may have a successor. */
function probeOf(cluster: RedisClusterType, patience: number): () => Promise<boolean> {
  let silentSince: number | undefined;
  return async () => {
    const nodes = cluster.masters.flatMap(({ client }) => client ?? []);
    if (nodes.length === 0) {
      await cluster.sendCommand('hg:probe', false, ['EXISTS', 'hg:probe']);
      return true;
    }
    const probes = nodes.map((node) =>
      bounded(node.sendCommand(['PING']), patience * 0.8, 'a probe of a node').then(
        () => true,
        () => false,
      ),
    );
    const answers = await Promise.all(probes);
    if (!answers.includes(true)) throw new Error('no node of the Redis cluster answers');
    if (!answers.includes(false)) silentSince = undefined;
    else silentSince ??= performance.now();
    return silentSince === undefined || performance.now() - silentSince < patience;
  };
}

/**
 * The nodes that answer immediately, because the client would wait for a silent one before it tries the next.
 * @throws AggregateError when none does.
 */
async function answeringNodes(address: RedisAddress, patience: number): Promise<readonly NodeAddress[]> {
  const answering: NodeAddress[] = [];
  const probes = address.nodes.map(async (node) => {
    await ask(address, node, patience);
    answering.push(node);
  });
  await Promise.any(probes);
  await Promise.race([Promise.allSettled(probes), new Promise((resolve) => setTimeout(resolve, stragglers))]);
  return [...answering];
}

async function ask(address: RedisAddress, node: NodeAddress, patience: number): Promise<void> {
  const socket = { ...node, ...socketOptions(address, patience), reconnectStrategy: false } as const;
  const client = makeClient({ ...commonOptions(address), socket });
  client.on('error', () => {});
  try {
    await bounded(client.connect(), patience, 'connecting to a node of the Redis cluster');
  } finally {
    client.destroy();
  }
}
