import { randomUUID } from 'node:crypto';
import { isObject, parseJson } from '../../util/json.ts';
import type { RedisConnection } from './redis-connection.ts';

/**
 * A channel on which processes send each other JSON; a process does not receive its own messages. Create it before
 * `start`.
 */
export class ProcessChannel {
  readonly #connection: Pick<RedisConnection, 'publish' | 'subscribe'>;
  readonly #name: string;
  readonly #sender = randomUUID();

  constructor(connection: Pick<RedisConnection, 'publish' | 'subscribe'>, name: string) {
    this.#connection = connection;
    this.#name = name;
  }

  /** @param name Of another channel, of which this process hears nothing. */
  publish(news: unknown, name = this.#name): void {
    this.#connection.publish(name, `${this.#sender}${JSON.stringify(news)}`);
  }

  listen(listener: (news: unknown) => void): void {
    this.#connection.subscribe(this.#name, (message) => {
      if (message.startsWith(this.#sender)) return;
      const news = parseJson(message.slice(this.#sender.length));
      // Other software may use the same channel name.
      if (news !== undefined) listener(news);
    });
  }
}

/** A text member of another process's message; undefined if it is not one. */
export function textMember(news: unknown, name: string): string | undefined {
  const value = memberOf(news, name);
  return typeof value === 'string' ? value : undefined;
}

/** A number member of another process's message; undefined if it is not one. */
export function numberMember(news: unknown, name: string): number | undefined {
  const value = memberOf(news, name);
  return typeof value === 'number' ? value : undefined;
}

function memberOf(news: unknown, name: string): unknown {
  return isObject(news) ? news[name] : undefined;
}
