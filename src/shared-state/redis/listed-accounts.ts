import { readClock, Script } from './script.ts';

/**
 * Accounts that may have expired holds, in a few sorted sets with known slots: the member is the account, the score
 * the Unix milliseconds until which a sweep must visit it.
 */
const bucketCount = 16;

/** The set in which an account is listed. */
export function indexKey(accountId: string): string {
  let sum = 0;
  for (let at = 0; at < accountId.length; at += 1) sum = (sum * 31 + accountId.charCodeAt(at)) % bucketCount;
  return indexKeys[sum] ?? '';
}

/** All sets. */
export const indexKeys: readonly string[] = Array.from({ length: bucketCount }, (_, at) => `hg:{held-${at}}`);

/** Arguments: duration, then accounts. */
export const listAccountsScript = new Script(`${readClock}
local ends = string.format('%.0f', now + tonumber(ARGV[2]))
for index = 3, #ARGV do redis.call('ZADD', KEYS[1], 'GT', ends, ARGV[index]) end
redis.call('PEXPIRE', KEYS[1], ARGV[2])
`);

/** Replies the listed accounts; removes those whose time is over. */
export const listedAccountsScript = new Script(`${readClock}
local accounts = redis.call('ZRANGE', KEYS[1], 0, -1)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
return accounts
`);
