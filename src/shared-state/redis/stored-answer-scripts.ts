import { hash } from 'node:crypto';
import { Script } from './script.ts';

/** The channel that notifies other processes of a grown answer: each message is the key of its list. */
export const answersChannel = 'hg:answers';

/**
 * Keys of one attempt to answer under an idempotency key, all in one slot.
 *
 * - the claim, a hash: `fingerprint`, `attempt`, `followed` once another process reads, and `gone` once the answer is kept no more.
 * - the pieces of the attempt's answer, a list in wire form.
 *
 * While the answer is made both have the expiry of a lease that its maker renews.
 */
export function storedAnswerKeys(key: string, attempt: string): readonly [string, string] {
  // Keys are chosen by callers: of any length and with any characters.
  const home = `hg:{${hash('sha256', key, 'base64url')}}`;
  return [`${home}:claim`, `${home}:${attempt}`];
}

/** Arguments: fingerprint, attempt, lease. Replies `{'first'}`, `{'conflict'}`, `{'gone'}` or `{'known', attempt}`. */
export const claimScript = new Script(`
local kept = redis.call('HMGET', KEYS[1], 'fingerprint', 'attempt', 'gone')
if not kept[1] then
  redis.call('HSET', KEYS[1], 'fingerprint', ARGV[1], 'attempt', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ARGV[3])
  return {'first'}
end
if kept[1] ~= ARGV[1] then return {'conflict'} end
if kept[3] then return {'gone'} end
return {'known', kept[2]}
`);

/**
 * Arguments: fingerprint, attempt, lease, lifetime of the claim and of the pieces if the answer is complete (0 for
 * the claim drops it; empty if the answer is incomplete), number of earlier pieces, pieces. Replies the new number of
 * pieces: an unexpected number says where to continue; -1 means that the key belongs to another attempt, or that the answer is kept no more. A claim that
 * is gone, after Redis lost its data, is created again. While pieces are missing nothing outlives the lease, so that
 * late packets of a dead maker keep nobody waiting.
 */
export const appendScript = new Script(`
local claim, pieces = KEYS[1], KEYS[2]
local owner = redis.call('HGET', claim, 'attempt')
if owner and owner ~= ARGV[2] or redis.call('HEXISTS', claim, 'gone') == 1 then return -1 end
if not owner then redis.call('HSET', claim, 'fingerprint', ARGV[1], 'attempt', ARGV[2]) end
local length = redis.call('LLEN', pieces)
local expected = length == tonumber(ARGV[6])
if expected then
  for index = 7, #ARGV do length = redis.call('RPUSH', pieces, ARGV[index]) end
end
local followed = redis.call('HGET', claim, 'followed')
local whole = expected and ARGV[4] ~= ''
redis.call('PEXPIRE', pieces, whole and ARGV[5] or ARGV[3])
if whole and ARGV[4] == '0' then redis.call('DEL', claim)
else redis.call('PEXPIRE', claim, whole and ARGV[4] or ARGV[3]) end
if followed then redis.call('PUBLISH', '${answersChannel}', pieces) end
return length
`);

/**
 * Arguments: attempt, number of known pieces, number of wanted pieces. Replies whether the attempt has the key, then
 * pieces.
 */
export const readScript = new Script(`
local claim, pieces = KEYS[1], KEYS[2]
local from = tonumber(ARGV[2])
local found = redis.call('LRANGE', pieces, from, from + tonumber(ARGV[3]) - 1)
local alive = redis.call('HGET', claim, 'attempt') == ARGV[1] and redis.call('HEXISTS', claim, 'gone') == 0
if alive and #found == 0 then redis.call('HSET', claim, 'followed', '1') end
return {alive and 1 or 0, found}
`);

/**
 * Arguments: attempt, fingerprint, milliseconds. Drops the answer of the attempt and remembers for so long that the key was
 * used.
 */
export const goneScript = new Script(`
local claim = KEYS[1]
local owner = redis.call('HGET', claim, 'attempt')
if owner and owner ~= ARGV[1] then return 0 end
redis.call('HSET', claim, 'fingerprint', ARGV[2], 'attempt', ARGV[1], 'gone', '1')
redis.call('PEXPIRE', claim, ARGV[3])
redis.call('DEL', KEYS[2])
return 1
`);

/** Arguments: attempt. Deletes it, if it has the key. */
export const forgetScript = new Script(`
if redis.call('HGET', KEYS[1], 'attempt') == ARGV[1] then redis.call('DEL', KEYS[1]) end
redis.call('DEL', KEYS[2])
`);
