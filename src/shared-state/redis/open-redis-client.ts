import { bounded } from './bounded.ts';
import type { RedisAddress } from './redis-address.ts';
import { commonOptions, type OnLost, type RedisClient } from './redis-client.ts';

/**
 * Connects within so many milliseconds.
 * @throws Error when nobody answers, or the credentials are refused.
 */
export async function openRedisClient(
  address: RedisAddress,
  patience: number,
  onLost: OnLost,
): Promise<RedisClient> {
  return address.cluster
    ? (await import('./cluster-client.ts')).openCluster(address, patience)
    : openServer(address, patience, onLost);
}

async function openServer(address: RedisAddress, patience: number, onLost: OnLost): Promise<RedisClient> {
  const { createClient } = await import('@redis/client');
  const [node] = address.nodes;
  const common = { ...node, connectTimeout: patience, reconnectStrategy: false } as const;
  const client = createClient({
    ...commonOptions(address),
    database: address.database,
    socket: address.tls ? { ...common, tls: true } : common,
  });
  client.on('error', onLost);
  try {
    await bounded(client.connect(), patience, 'connecting to Redis');
  } catch (reason) {
    client.destroy();
    throw reason;
  }
  return {
    several: false,
    send: (_key, args) => client.sendCommand(args),
    publish: (channel, message) => client.sendCommand(['PUBLISH', channel, message]),
    subscribe: (channel, listener) => client.subscribe(channel, (message) => listener(message)),
    probe: async () => {
      await client.sendCommand(['PING']);
      return true;
    },
    destroy: () => client.destroy(),
  };
}
