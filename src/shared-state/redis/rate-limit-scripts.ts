import type { RateSubject } from '../../ports/rate-limits.ts';
import { readClock, Script } from './script.ts';

/**
 * The keys of one subject, in the cluster slot of its home: two hashes of counts by second (requests, tokens) and a
 * sorted set of running requests by the end of their lease.
 */
export function rateKeys(home: string, { kind, id }: RateSubject): readonly string[] {
  const name = `hg:{${home}}:rate:${kind}:${id}`;
  return [`${name}:r`, `${name}:t`, `${name}:p`];
}

const begin = `
${readClock}
local second = math.floor(now / 1000)
local lifetime = 62000

local function counted(key)
  local kept, seconds, total = redis.call('HGETALL', key), {}, 0
  for index = 1, #kept, 2 do
    local at, count = tonumber(kept[index]), tonumber(kept[index + 1])
    if at <= second - 61 then redis.call('HDEL', key, kept[index])
    else
      total = total + count
      seconds[#seconds + 1] = {at, count}
    end
  end
  table.sort(seconds, function(one, other) return one[1] < other[1] end)
  return total, seconds
end

local function add(key, at, amount)
  if at <= second - 61 then return end
  if redis.call('HINCRBY', key, at, amount) < 0 then redis.call('HSET', key, at, 0) end
  redis.call('PEXPIRE', key, lifetime)
end
`;

const judge = `${begin}
local request, tokens, lease = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
local worst
local function refuse(subject, metric, limit, used, fits)
  local last = fits == -1 and math.huge or fits
  if not worst or last > worst.last then
    worst = {last = last, reply = {'full', subject, metric, limit, used, fits}}
  end
end
local function check(subject, metric, key, amount, limit)
  if not limit then return end
  local total, seconds = counted(key)
  if total + amount <= limit then return end
  if amount > limit then return refuse(subject, metric, limit, total, -1) end
  local rest, fits = total, now
  for _, entry in ipairs(seconds) do
    if rest + amount <= limit then break end
    rest = rest - entry[2]
    fits = (entry[1] + 61) * 1000
  end
  refuse(subject, metric, limit, total, math.max(fits, now))
end
local subjects = (#ARGV - 4) / 3
for subject = 0, subjects - 1 do
  local key, arg = subject * 3, 4 + subject * 3
  check(subject, 'requests', KEYS[key + 1], 1, tonumber(ARGV[arg + 1]))
  check(subject, 'tokens', KEYS[key + 2], tokens, tonumber(ARGV[arg + 2]))
  local parallel = tonumber(ARGV[arg + 3])
  if parallel then
    redis.call('ZREMRANGEBYSCORE', KEYS[key + 3], '-inf', string.format('%.0f', now))
    local used = redis.call('ZCARD', KEYS[key + 3])
    if used >= parallel then refuse(subject, 'parallel', parallel, used, now + 1000) end
  end
end
if worst then return worst.reply end
`;

/**
 * Arguments: request, tokens, lease, then for each subject the limits of requests, tokens and parallel requests, or
 * nothing. Replies `{'admitted', second}` or `{'full', subject, metric, limit, used, milliseconds}`; subjects count from
 * 0, and -1 milliseconds mean never.
 */
export const claimScript = new Script(`${judge}
for subject = 0, subjects - 1 do
  local key, arg = subject * 3, 4 + subject * 3
  add(KEYS[key + 1], second, 1)
  if tokens > 0 then add(KEYS[key + 2], second, tokens) end
  if ARGV[arg + 3] ~= '' then
    redis.call('ZADD', KEYS[key + 3], string.format('%.0f', now + lease), request)
    redis.call('PEXPIRE', KEYS[key + 3], lease + lifetime)
  end
end
return {'admitted', second}
`);

/** Arguments and reply are those of `claimScript`. Counts nothing. */
export const lookScript = new Script(`${judge}
return {'admitted', second}
`);

/** Arguments: request, its reserved tokens, the second of the claim. */
export const withdrawScript = new Script(`${begin}
local request, tokens, at = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
for key = 1, #KEYS, 3 do
  redis.call('ZREM', KEYS[key + 2], request)
  if redis.call('HEXISTS', KEYS[key], at) == 1 then add(KEYS[key], at, -1) end
  if redis.call('HEXISTS', KEYS[key + 1], at) == 1 then add(KEYS[key + 1], at, -tokens) end
end
`);

/** Arguments: request, tokens beyond the reserved ones, the second of the claim. */
export const settleRatesScript = new Script(`${begin}
local request, rest, at = ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
for key = 1, #KEYS, 3 do
  redis.call('ZREM', KEYS[key + 2], request)
  if rest > 0 then add(KEYS[key + 1], second, rest) end
  if rest < 0 and redis.call('HEXISTS', KEYS[key + 1], at) == 1 then add(KEYS[key + 1], at, rest) end
end
`);

/** Arguments: lease, then one request for each set of running requests. A request that is not there is not added. */
export const renewRatesScript = new Script(`${readClock}
local lease = tonumber(ARGV[2])
for index, key in ipairs(KEYS) do
  redis.call('ZADD', key, 'XX', string.format('%.0f', now + lease), ARGV[2 + index])
  redis.call('PEXPIRE', key, lease + 62000)
end
`);
