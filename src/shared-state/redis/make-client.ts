import { RedisClient } from '@redis/client';

/**
 * Makes a client of one server. The library's `createClient` does the same but builds its class anew for each address,
 * some 40 ms in which nobody else is served.
 */
export const makeClient = RedisClient.factory();
