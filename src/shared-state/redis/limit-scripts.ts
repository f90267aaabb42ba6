/**
 * Parts of the scripts of in-flight-scripts.ts that concern limits. They use what stands at the beginning of these.
 */

/** What holding limits needs beside: sums of them are exact, as pairs of billions and the rest. */
export const fitLimits = `
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
export const chargeLimits = `
local function charge(limit, window, amount)
  local of = redis.call('HGET', limits, 'w' .. limit)
  if not of or redis.call('HEXISTS', limits, 's' .. limit) == 0 or tonumber(window) < tonumber(of) then return end
  if tonumber(window) > tonumber(of) then redis.call('HSET', limits, 'w' .. limit, window, 's' .. limit, '0') end
  if (redis.call('HGET', limits, 'h' .. limit) or '0') == '0' and isOver(limit) then return end
  redis.call('HINCRBY', limits, 's' .. limit, amount)
  touch(limit)
end
`;
