import type { RedisAddress } from '../../util/redis-address.ts';
import type { OnLost, RedisClient } from './redis-client.ts';

/**
 * Connects; no step takes longer than `patience` milliseconds.
 * @throws Error when no server answers, or the credentials are refused.
 */
export async function openRedisClient(
  address: RedisAddress,
  patience: number,
  onLost: OnLost,
): Promise<RedisClient> {
  // Each loads the client library on demand.
  const { cluster, sentinel } = address;
  if (cluster) return (await import('./cluster-client.ts')).openCluster(address, patience);
  if (sentinel !== undefined)
    return (await import('./sentinel-client.ts')).openBehindSentinels(address, sentinel, patience, onLost);
  return (await import('./server-client.ts')).openServer(address, patience, onLost);
}
