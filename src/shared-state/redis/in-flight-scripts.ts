import { limitMemory } from '../../ports/in-flight-budget.ts';
import { readClock, Script } from './script.ts';

/**
 * Parts of the scripts of in-flight-scripts.ts that concern limits. They use what stands at the beginning of these.
 */

/** What holding limits needs beside: sums of them are exact, as pairs of billions and the rest. */
const fitLimits = `
local function written(high, low)
  high, low = high + math.floor(low / unit), low % unit
  return high > 0 and string.format('%.0f%09.0f', high, low) or string.format('%.0f', low)
end

local function forgetIdle()
  for _, limit in ipairs(redis.call('ZRANGEBYSCORE', idle, '-inf', whole(now), 'LIMIT', 0, 20)) do
    if (redis.call('HGET', limits, 'h' .. limit) or '0') == '0' then
      redis.call('HDEL', limits, 'h' .. limit, 's' .. limit, 'w' .. limit)
      redis.call('ZREM', idle, limit)
    else
      touch(limit)
    end
  end
end

local function spentOf(limit, window, said, held, ours)
  local known, of = redis.call('HGET', limits, 's' .. limit), redis.call('HGET', limits, 'w' .. limit)
  if not known or (held == '0' and isOver(limit)) then return said end
  if tonumber(window) > tonumber(of) then known = '0' end
  if tonumber(window) < tonumber(of) then return known end
  local high, low = add(0, 0, 1, said)
  local theirsHigh, theirsLow = add(0, 0, 1, held)
  theirsHigh, theirsLow = add(theirsHigh, theirsLow, -1, ours)
  if positive(theirsHigh, theirsLow) then high, low = high - theirsHigh, low - theirsLow end
  local moreHigh, moreLow = add(high, low, -1, known)
  return positive(moreHigh, moreLow) and written(high, low) or known
end
`;

/** Counts a charge of a limit that is known, if it is of its window or a later one. */
const chargeLimits = `
local function charge(limit, window, amount)
  local of = redis.call('HGET', limits, 'w' .. limit)
  if not of or redis.call('HEXISTS', limits, 's' .. limit) == 0 or tonumber(window) < tonumber(of) then return end
  if tonumber(window) > tonumber(of) then redis.call('HSET', limits, 'w' .. limit, window, 's' .. limit, '0') end
  if (redis.call('HGET', limits, 'h' .. limit) or '0') == '0' and isOver(limit) then return end
  redis.call('HINCRBY', limits, 's' .. limit, amount)
  touch(limit)
end
`;

/**
 * What an account has in flight, in Redis. All keys of an account are in one cluster slot.
 *
 * - `amounts`, a hash: `r<request>` the hold of a running request, `s<request>` the charge of a settling one, `total`
 * the sum; decimal nano-USD. Redis adds them as 64-bit integers, which is exact. `n<request>` is the note of a
 * running request.
 * - `leases`, a sorted set: running requests by the expiry of their lease, in Unix milliseconds.
 * - `releases`, a sorted set: settling requests by the release of their charge.
 * - `lapsed`, a list: requests whose lease has expired, each followed by its note, until a sweep returns them.
 * - `limits`, a hash: of each limit that requests count in `h<limit>` what running ones hold, `s<limit>` what was spent of it,
 * once a hold has said that, and `w<limit>` its window; `r<request>` what a running request holds, as a JSON list of limit,
 * amount, limit, amount and so on.
 * - `idle`, a sorted set: limits by the time until which they are remembered.
 */
export function inFlightKeys(accountId: string): readonly string[] {
  const home = `hg:{${accountId}}`;
  return ['amounts', 'leases', 'releases', 'lapsed', 'limits', 'idle'].map((name) => `${home}:${name}`);
}

/**
 * Lua numbers are doubles, so amounts are compared in two halves, billions and the rest; both are exact, and so are
 * sums of a few. Keys outlive their contents by at least half an hour, so that a sweep still finds expired holds.
 */
const begin = `
local amounts, leases, releases, lapsed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local limits, idle = KEYS[5], KEYS[6]
local grace, unit = 3600000, 1000000000
${readClock}
local function whole(number) return string.format('%.0f', number) end

local function drop(field)
  local amount = redis.call('HGET', amounts, field)
  if not amount then return end
  if amount ~= '0' then redis.call('HINCRBY', amounts, 'total', '-' .. amount) end
  redis.call('HDEL', amounts, field)
end

local function touch(limit)
  redis.call('ZADD', idle, whole(now + ${limitMemory}), limit)
end

local function isOver(limit)
  local till = redis.call('ZSCORE', idle, limit)
  return not till or tonumber(till) <= now
end

local function sharesOf(request)
  local text = redis.call('HGET', limits, 'r' .. request)
  return text and cjson.decode(text)
end

local function letGo(request)
  local shares = sharesOf(request)
  if shares then
    for index = 1, #shares, 2 do
      local amount = shares[index + 1]
      if amount ~= '0' then redis.call('HINCRBY', limits, 'h' .. shares[index], '-' .. amount) end
      touch(shares[index])
    end
    redis.call('HDEL', limits, 'r' .. request)
  end
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

local function holdShares(request, shares, lease)
  for index = 1, #shares, 2 do
    redis.call('HINCRBY', limits, 'h' .. shares[index], shares[index + 1])
    touch(shares[index])
  end
  redis.call('HSET', limits, 'r' .. request, cjson.encode(shares))
  keep(limits, lease)
  keep(idle, lease)
end

local function set(request, amount, lease, note, shares)
  local held = shares and #shares > 0
  if amount == '0' and not held then return letGo(request) end
  -- First what needs memory: a server that is full refuses that only where nothing was written yet.
  redis.call('HINCRBY', amounts, 'total', amount)
  note = redis.call('HGET', amounts, 'n' .. request) or note
  letGo(request)
  if held then holdShares(request, shares, lease) end
  local field = 'r' .. request
  redis.call('HSET', amounts, field, amount)
  if note ~= '' then redis.call('HSETNX', amounts, 'n' .. request, note) end
  redis.call('ZADD', leases, whole(now + lease), request)
  keep(leases, lease)
end
`;

/**
 * Arguments: request, amount, budget, lease, settlement window, note, '1' for a request that has begun, '1' for a trial;
 * then of each limit its id, window, limit, what is said to be spent of it, the amount, and what the process itself holds. Replies 0, or the amounts held of
 * the limits, when it fits; the seconds to wait where the budget is full; and in a list 0, the limit and what was spent of
 * it where nothing is left of that.
 */
export const holdScript = new Script(`${begin}${fitLimits}
local request, amount, budget = ARGV[2], ARGV[3], ARGV[4]
local lease, window = tonumber(ARGV[5]), tonumber(ARGV[6])
local own, shares, taken = {}, {}, {}
if #ARGV > 9 then
  local before = sharesOf(request) or {}
  for index = 1, #before, 2 do own[before[index]] = before[index + 1] end
end
for index = 10, #ARGV, 6 do
  local limit, most, need = ARGV[index], ARGV[index + 2], ARGV[index + 4]
  local held, mine = redis.call('HGET', limits, 'h' .. limit) or '0', own[limit] or '0'
  local spent = spentOf(limit, ARGV[index + 1], ARGV[index + 3], held, ARGV[index + 5])
  local high, low = add(0, 0, 1, most)
  high, low = add(high, low, -1, spent)
  high, low = add(high, low, -1, held)
  high, low = add(high, low, 1, mine)
  local left = positive(high, low) and written(high, low) or '0'
  if left == '0' and mine == '0' and need ~= '0' and ARGV[8] ~= '1' then return {0, limit, spent} end
  local function less(one, other)
    local moreHigh, moreLow = add(0, 0, 1, other)
    return positive(add(moreHigh, moreLow, -1, one))
  end
  if less(left, mine) then left = mine end
  table.insert(shares, limit)
  table.insert(shares, less(left, need) and left or need)
  table.insert(taken, spent)
end
local current = amountOf('r' .. request)
local high, low = add(0, 0, 1, amountOf('total'))
high, low = add(high, low, -1, current)
high, low = add(high, low, 1, amount)
high, low = add(high, low, -1, budget)
local moreHigh, moreLow = add(0, 0, 1, amount)
moreHigh, moreLow = add(moreHigh, moreLow, -1, current)
local grows = positive(moreHigh, moreLow)
if not (grows and positive(high, low)) then
  if ARGV[9] ~= '1' then
    for index = 10, #ARGV, 6 do
      local limit, of = ARGV[index], ARGV[index + 1]
      local known = redis.call('HGET', limits, 'w' .. limit)
      redis.call('HSET', limits, 's' .. limit, taken[(index - 4) / 6])
      if not known or tonumber(of) > tonumber(known) then redis.call('HSET', limits, 'w' .. limit, of) end
    end
    set(request, amount, lease, ARGV[7], shares)
    if #shares > 0 then forgetIdle() end
  end
  if #shares == 0 then return 0 end
  local reply = {1}
  for index = 2, #shares, 2 do table.insert(reply, shares[index]) end
  return reply
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

/**
 * Arguments: lease, then request, amount, note and shares of each: an empty text leaves what it holds of limits, a JSON list
 * of limit, amount and window of each replaces it.
 */
export const raiseScript = new Script(`${begin}
for index = 3, #ARGV, 4 do
  local shares = {}
  if ARGV[index + 3] == '' then
    shares = sharesOf(ARGV[index]) or shares
  else
    local given = cjson.decode(ARGV[index + 3])
    for at = 1, #given, 3 do
      table.insert(shares, given[at])
      table.insert(shares, given[at + 1])
      redis.call('HSETNX', limits, 'w' .. given[at], given[at + 2])
    end
  end
  set(ARGV[index], ARGV[index + 1], tonumber(ARGV[2]), ARGV[index + 2], shares)
end
`);

/** Arguments: request, charge, settlement window; then limit, window and amount of each share. */
export const settleScript = new Script(`${begin}${chargeLimits}
local request, total, window = ARGV[2], ARGV[3], tonumber(ARGV[4])
local held = {}
local shares = sharesOf(request) or {}
for index = 1, #shares, 2 do held[shares[index]] = true end
if total == '0' or redis.call('HEXISTS', amounts, 's' .. request) == 1 then
  letGo(request)
else
  redis.call('HINCRBY', amounts, 'total', total)
  letGo(request)
  redis.call('HSET', amounts, 's' .. request, total)
  redis.call('ZADD', releases, whole(now + window), request)
  keep(releases, window)
end
for index = 5, #ARGV, 3 do
  if held[ARGV[index]] then charge(ARGV[index], ARGV[index + 1], ARGV[index + 2]) end
end
`);

/** Arguments: limit, window and amount of each share. */
export const chargeScript = new Script(`${begin}${chargeLimits}
for index = 2, #ARGV, 3 do charge(ARGV[index], ARGV[index + 1], ARGV[index + 2]) end
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
