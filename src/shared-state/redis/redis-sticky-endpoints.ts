import type { CredentialClass, StickyEndpoint, StickyEndpoints } from '../../ports/stickiness.ts';
import type { RedisConnection } from './redis-connection.ts';

/**
 * Milliseconds that a request waits for its conversation's endpoint: longer would cost more than a cache saves.
 */
const patience = 100;

/**
 * Remembers in Redis, and also in this process, which endpoint served a conversation. The local entry is used when
 * Redis does not answer immediately.
 */
export class RedisStickyEndpoints implements StickyEndpoints {
  readonly #connection: Pick<RedisConnection, 'reachable' | 'send'>;
  readonly #local: StickyEndpoints;

  constructor(connection: Pick<RedisConnection, 'reachable' | 'send'>, local: StickyEndpoints) {
    this.#connection = connection;
    this.#local = local;
  }

  find(keys: readonly string[]): ReturnType<StickyEndpoints['find']> {
    return this.#connection.reachable ? this.#find(keys) : this.#local.find(keys);
  }

  remember(key: string, endpoint: StickyEndpoint, lifetime: number): void {
    void this.#local.remember(key, endpoint, lifetime);
    const value = `${endpoint.credentialClass}${endpoint.tag}`;
    this.#connection.send(keyOf(key), ['SET', keyOf(key), value, 'PX', String(lifetime)]).catch(() => {});
  }

  async #find(keys: readonly string[]): Promise<readonly (StickyEndpoint | undefined)[]> {
    try {
      // Separate commands, because the keys are in many slots; they are sent together.
      return await Promise.all(keys.map((key) => this.#read(key)));
    } catch {
      return this.#local.find(keys);
    }
  }

  async #read(key: string): Promise<StickyEndpoint | undefined> {
    const found = await this.#connection.send(keyOf(key), ['GET', keyOf(key)], patience);
    if (typeof found !== 'string') return undefined;
    const credentialClass = credentialClasses.find((one) => String(one) === found[0]);
    return credentialClass === undefined ? undefined : { tag: found.slice(1), credentialClass };
  }
}

const credentialClasses: readonly CredentialClass[] = [0, 1, 2];

function keyOf(key: string): string {
  return `hg:sticky:${key}`;
}
