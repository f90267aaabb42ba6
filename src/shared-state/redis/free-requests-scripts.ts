import { readClock, Script } from './script.ts';

/** A hash: the UTC day and minute of the counts, as numbers since 1970, and the count of each. */
export function freeRequestsKey(accountId: string): string {
  return `hg:{${accountId}}:free`;
}

/**
 * Finds the account's current counters. Without any, or with ones from the future, the earlier count is unknown; with
 * ones of an earlier day it is zero. A clock set back a little restarts nothing. Kept for two days, so that a day
 * starts from the counters of the day before.
 */
const begin = `
local key, minuteLength, dayLength = KEYS[1], 60000, 86400000
${readClock}
local day, minute = math.floor(now / dayLength), math.floor(now / minuteLength)
local kept = redis.call('HMGET', key, 'day', 'minute', 'inDay', 'inMinute')
local keptDay, keptMinute = tonumber(kept[1]), tonumber(kept[2])
local inDay, inMinute = tonumber(kept[3]), tonumber(kept[4])
local known = keptDay and day >= keptDay - 1
if known and day <= keptDay then day = keptDay elseif known then inDay = 0 end
if known and (minute > keptMinute or minute < keptMinute - 1) then inMinute = 0
elseif known then minute = keptMinute end

local function keep()
  redis.call('HSET', key, 'day', day, 'minute', minute, 'inDay', inDay, 'inMinute', inMinute)
  redis.call('PEXPIRE', key, 2 * dayLength)
end
`;

/**
 * Arguments: limits per minute and per day, or nothing; how many to count; the ledger's counts of the day and of the
 * minute, or nothing; `check` where these counters may be older than the ledger. Replies `{'counted'}`, `{'full',
 * window, Unix milliseconds of its end}`, `{'unknown', now}` when the ledger must be read first, or `{'unsure', now}`
 * when it should be. Counts of the ledger only ever raise a counter, because running requests are not in it yet.
 */
export const countScript = new Script(`${begin}
local perMinute, perDay, times = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local told = ARGV[5] ~= ''
if not told and not known then return {'unknown', now} end
if not told and ARGV[7] == 'check' then return {'unsure', now} end
if told then
  inDay = math.max(known and inDay or 0, tonumber(ARGV[5]))
  inMinute = math.max(known and inMinute or 0, tonumber(ARGV[6]))
end
if perDay and inDay >= perDay then
  if told then keep() end
  return {'full', 'day', (day + 1) * dayLength}
end
if perMinute and inMinute >= perMinute then
  if told then keep() end
  return {'full', 'minute', (minute + 1) * minuteLength}
end
inDay, inMinute = inDay + times, inMinute + times
keep()
return {'counted'}
`);

/** Arguments: none. Replies `{'counted', how many today}` or `{'unknown', now}`. */
export const countedTodayScript = new Script(`${begin}
if not known then return {'unknown', now} end
return {'counted', inDay}
`);
