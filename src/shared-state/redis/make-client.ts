import { RedisClient } from '@redis/client';

/**
 * Creates a client of one server. The library's `createClient` does the same but builds its class again for each
 * address, which blocks the process for about 40 ms.
 */
export const makeClient = RedisClient.factory();
