import { createCluster } from '@redis/client';
import { bounded } from './bounded.ts';
import type { RedisAddress } from './redis-address.ts';
import { commonOptions, type RedisClient } from './redis-client.ts';

/** Learns the cluster's nodes from any of those named; connections to nodes are made as they are needed. */
export async function openCluster(address: RedisAddress, patience: number): Promise<RedisClient> {
  const common = { connectTimeout: patience };
  const cluster = createCluster({
    rootNodes: address.nodes.map((socket) => ({ socket })),
    defaults: {
      ...commonOptions(address),
      socket: address.tls ? { ...common, tls: true } : common,
    },
    minimizeConnections: true,
  });
  // Nodes come and go; whether it answers is asked by probes.
  cluster.on('error', () => {});
  try {
    await bounded(cluster.connect(), patience, 'connecting to the Redis cluster');
  } catch (reason) {
    cluster.destroy();
    throw reason;
  }
  return {
    send: (key, args) => cluster.sendCommand(key, false, [...args]),
    publish: (channel, message) => cluster.publish(channel, message),
    subscribe: (channel, listener) => cluster.subscribe(channel, (message) => listener(message)),
    probe: async () => {
      const nodes = cluster.masters.flatMap(({ client }) => (client?.isReady === true ? [client] : []));
      if (nodes.length === 0) return cluster.sendCommand('hg:probe', false, ['EXISTS', 'hg:probe']);
      return Promise.all(nodes.map((node) => node.sendCommand(['PING'])));
    },
    // What healthy nodes were asked is answered in a moment.
    destroy: () => void setTimeout(() => cluster.destroy(), patience).unref(),
  };
}
