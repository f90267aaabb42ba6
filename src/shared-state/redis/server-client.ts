import type { RedisAddress } from '../../util/redis-address.ts';
import { bounded } from './bounded.ts';
import { makeClient } from './make-client.ts';
import { commonOptions, type OnLost, type RedisClient, socketOptions } from './redis-client.ts';

/** Connects to the first of the nodes. */
export async function openServer(
  address: RedisAddress,
  patience: number,
  onLost: OnLost,
): Promise<RedisClient> {
  const [node] = address.nodes;
  const client = makeClient({
    ...commonOptions(address),
    database: address.database,
    socket: { ...node, ...socketOptions(address, patience), reconnectStrategy: false },
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
