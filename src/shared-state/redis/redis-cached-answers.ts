import {
  type CachedAnswer,
  type CachedAnswerLimits,
  type CachedAnswers,
  cachedAnswerLimits,
} from '../../ports/cached-answers.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { RedisConnection } from './redis-connection.ts';
import { Script } from './script.ts';

/** Milliseconds that a request waits for a kept answer: longer, and it asks a model. */
const patience = 250;
/** All in one slot, so that one script keeps their sum. */
const home = 'hg:{cache}:';
const books = [`${home}ends`, `${home}sizes`, `${home}total`] as const;

/**
 * Keys: ends (by expiry), sizes, total, and the answer's own. Arguments: id, value, lifetime, now, limit, prefix. Makes
 * room by dropping what has expired, then what expires first.
 */
const keepScript = new Script(`
local ends, sizes, total = KEYS[1], KEYS[2], KEYS[3]
local id, value, lifetime, now, limit, prefix = ARGV[1], ARGV[2], ARGV[3], ARGV[4], tonumber(ARGV[5]), ARGV[6]
local function drop(one)
  local size = tonumber(redis.call('HGET', sizes, one) or '0')
  redis.call('DEL', prefix .. one)
  redis.call('HDEL', sizes, one)
  redis.call('ZREM', ends, one)
  redis.call('DECRBY', total, size)
end
if redis.call('HEXISTS', sizes, id) == 1 then drop(id) end
for _, one in ipairs(redis.call('ZRANGEBYSCORE', ends, '-inf', now, 'LIMIT', 0, 100)) do drop(one) end
while tonumber(redis.call('GET', total) or '0') + #value > limit do
  local first = redis.call('ZRANGE', ends, 0, 0)[1]
  if not first then break end
  drop(first)
end
redis.call('SET', prefix .. id, value, 'PX', lifetime)
redis.call('HSET', sizes, id, #value)
redis.call('ZADD', ends, now + lifetime, id)
redis.call('INCRBY', total, #value)
return 1
`);

/** Keeps answers in Redis for all processes. While it is away nothing is found and nothing is kept. */
export class RedisCachedAnswers implements CachedAnswers {
  readonly #connection: Pick<RedisConnection, 'reachable' | 'send' | 'run'>;
  readonly #limits: CachedAnswerLimits;

  constructor(
    connection: Pick<RedisConnection, 'reachable' | 'send' | 'run'>,
    limits: CachedAnswerLimits = cachedAnswerLimits,
  ) {
    this.#connection = connection;
    this.#limits = limits;
  }

  async find(key: string): Promise<CachedAnswer | undefined> {
    if (!this.#connection.reachable) return undefined;
    try {
      const found = await this.#connection.send(home + key, ['GET', home + key], patience);
      return typeof found === 'string' ? readAnswer(found) : undefined;
    } catch {
      return undefined;
    }
  }

  async keep(key: string, answer: CachedAnswer): Promise<void> {
    const { storedAt, expiresAt } = answer;
    if (!this.#connection.reachable || answer.sealed.length > this.#limits.entry) return;
    const lifetime = String(Math.max(1, expiresAt - storedAt));
    const args = [key, JSON.stringify(answer), lifetime, String(storedAt), String(this.#limits.total), home];
    await this.#connection.run(keepScript, [...books, home + key], args).catch(() => {});
  }

  async forget(key: string): Promise<void> {
    if (!this.#connection.reachable) return;
    // Its size stays in the sum until it would have expired.
    await this.#connection.send(home + key, ['DEL', home + key], patience).catch(() => {});
  }
}

function readAnswer(text: string): CachedAnswer | undefined {
  const value = parseJson(text);
  if (!isObject(value)) return undefined;
  const { sealed, storedAt, expiresAt } = value;
  if (typeof sealed !== 'string' || typeof storedAt !== 'number' || typeof expiresAt !== 'number')
    return undefined;
  return { sealed, storedAt, expiresAt };
}
