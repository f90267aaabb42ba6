import { readClock, Script } from './script.ts';

/**
 * What an account has in flight, in Redis. All keys of an account are in one cluster slot.
 *
 * - `amounts`, a hash: `r<request>` the hold of a running request, `s<request>` the charge of a settling one, `total`
 * the sum; decimal nano-USD. Redis adds them as 64-bit integers, which is exact. `n<request>` is the note of a
 * running request.
 * - `leases`, a sorted set: running requests by the expiry of their lease, in Unix milliseconds.
 * - `releases`, a sorted set: settling requests by the release of their charge.
 * - `lapsed`, a list: requests whose lease has expired, each followed by its note, until a sweep returns them.
 */
export function inFlightKeys(accountId: string): readonly string[] {
  const home = `hg:{${accountId}}`;
  return [`${home}:amounts`, `${home}:leases`, `${home}:releases`, `${home}:lapsed`];
}

/**
 * Lua numbers are doubles, so amounts are compared in two halves, billions and the rest; both are exact, and so are
 * sums of a few. Keys outlive their contents by at least half an hour, so that a sweep still finds expired holds.
 */
const begin = `
local amounts, leases, releases, lapsed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local grace, unit = 3600000, 1000000000
${readClock}
local function whole(number) return string.format('%.0f', number) end

local function drop(field)
  local amount = redis.call('HGET', amounts, field)
  if amount then
    redis.call('HINCRBY', amounts, 'total', '-' .. amount)
    redis.call('HDEL', amounts, field)
  end
end

local function letGo(request)
  drop('r' .. request)
  redis.call('HDEL', amounts, 'n' .. request)
  redis.call('ZREM', leases, request)
end

local released = redis.call('ZRANGEBYSCORE', releases, '-inf', whole(now))
for _, request in ipairs(released) do
  drop('s' .. request)
  redis.call('ZREM', releases, request)
end
local dead = redis.call('ZRANGEBYSCORE', leases, '-inf', whole(now))
for _, request in ipairs(dead) do
  redis.call('RPUSH', lapsed, request, redis.call('HGET', amounts, 'n' .. request) or '')
  redis.call('PEXPIRE', lapsed, grace)
  letGo(request)
end

local function add(high, low, sign, amount)
  local head = tonumber(string.sub(amount, 1, -10)) or 0
  return high + sign * head, low + sign * tonumber(string.sub(amount, -9))
end

local function positive(high, low)
  high = high + math.floor(low / unit)
  return high > 0 or (high == 0 and low % unit > 0)
end

local function amountOf(field) return redis.call('HGET', amounts, field) or '0' end

local function keep(list, duration)
  for _, key in ipairs({list, amounts}) do
    if redis.call('PTTL', key) < duration + grace / 2 then redis.call('PEXPIRE', key, duration + grace) end
  end
end

local function set(request, amount, lease, note)
  if amount == '0' then return letGo(request) end
  redis.call('HINCRBY', amounts, 'total', amount)
  local field = 'r' .. request
  drop(field)
  redis.call('HSET', amounts, field, amount)
  if note ~= '' then redis.call('HSETNX', amounts, 'n' .. request, note) end
  redis.call('ZADD', leases, whole(now + lease), request)
  keep(leases, lease)
end
`;

/** Arguments: request, amount, budget, lease, settlement window, note. Replies 0 when it fits, else the seconds to wait. */
export const holdScript = new Script(`${begin}
local request, amount, budget = ARGV[2], ARGV[3], ARGV[4]
local lease, window = tonumber(ARGV[5]), tonumber(ARGV[6])
local current = amountOf('r' .. request)
local high, low = add(0, 0, 1, amountOf('total'))
high, low = add(high, low, -1, current)
high, low = add(high, low, 1, amount)
high, low = add(high, low, -1, budget)
local moreHigh, moreLow = add(0, 0, 1, amount)
moreHigh, moreLow = add(moreHigh, moreLow, -1, current)
local grows = positive(moreHigh, moreLow)
if not (grows and positive(high, low)) then
  set(request, amount, lease, ARGV[7])
  return 0
end
local longest = math.max(1, math.ceil(window / 1000))
local from, step = 0, 100
while true do
  local some = redis.call('ZRANGE', releases, from, from + step - 1, 'WITHSCORES')
  for index = 1, #some, 2 do
    high, low = add(high, low, -1, amountOf('s' .. some[index]))
    if not positive(high, low) then
      local wait = math.ceil((tonumber(some[index + 1]) - now) / 1000)
      return math.min(longest, math.max(1, wait))
    end
  end
  if #some < 2 * step then return longest end
  from = from + step
end
`);

/** Arguments: lease, then request, amount and note of each. */
export const raiseScript = new Script(`${begin}
for index = 3, #ARGV, 3 do set(ARGV[index], ARGV[index + 1], tonumber(ARGV[2]), ARGV[index + 2]) end
`);

/** Arguments: request, charge, settlement window. */
export const settleScript = new Script(`${begin}
local request, charge, window = ARGV[2], ARGV[3], tonumber(ARGV[4])
if charge == '0' or redis.call('HEXISTS', amounts, 's' .. request) == 1 then
  letGo(request)
else
  redis.call('HINCRBY', amounts, 'total', charge)
  letGo(request)
  redis.call('HSET', amounts, 's' .. request, charge)
  redis.call('ZADD', releases, whole(now + window), request)
  keep(releases, window)
end
`);

/** Arguments: lease, then requests. Replies those of them without a hold. */
export const renewScript = new Script(`${begin}
local missing = {}
for index = 3, #ARGV do
  if redis.call('ZSCORE', leases, ARGV[index]) then
    redis.call('ZADD', leases, whole(now + tonumber(ARGV[2])), ARGV[index])
    keep(leases, tonumber(ARGV[2]))
  else
    table.insert(missing, ARGV[index])
  end
end
return missing
`);

/**
 * Replies the requests that have expired since the last sweep, each followed by its note or an empty text.
 */
export const sweepScript = new Script(`${begin}
local requests = redis.call('LRANGE', lapsed, 0, -1)
redis.call('DEL', lapsed)
return requests
`);

/** Replies the total as text, because a number would not be exact. */
export const inFlightScript = new Script(`${begin}
return amountOf('total')
`);

/**
 * Argument: how many holds to name. Replies the total, how many requests run, and of each: request, milliseconds until
 * its lease expires, amount, note or an empty text.
 */
export const lookScript = new Script(`${begin}
local reply = {amountOf('total'), redis.call('ZCARD', leases)}
local some = redis.call('ZRANGE', leases, 0, tonumber(ARGV[2]) - 1, 'WITHSCORES')
for index = 1, #some, 2 do
  local request = some[index]
  table.insert(reply, request)
  table.insert(reply, whole(tonumber(some[index + 1]) - now))
  table.insert(reply, amountOf('r' .. request))
  table.insert(reply, redis.call('HGET', amounts, 'n' .. request) or '')
end
return reply
`);

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
