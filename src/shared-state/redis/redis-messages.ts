import { randomUUID } from 'node:crypto';
import type { Change, Invalidation } from '../../ports/invalidation.ts';
import type { ProcessMessages } from '../../ports/process-messages.ts';
import { readChange } from '../../ports/read-change.ts';
import { ProcessChannel } from './process-channel.ts';
import type { RedisConnection } from './redis-connection.ts';

/** The channel of all processes; each has one of its own besides. The number is that of the form of messages. */
const channel = 'hg:processes:1';

/** Messages between processes through Redis. Create it before the connection starts. */
export class RedisProcessMessages implements ProcessMessages {
  readonly address = randomUUID();
  readonly #all: ProcessChannel;
  readonly #own: ProcessChannel;
  readonly #listeners: ((message: unknown) => void)[] = [];

  constructor(connection: Pick<RedisConnection, 'publish' | 'subscribe'>) {
    this.#all = new ProcessChannel(connection, channel);
    this.#own = new ProcessChannel(connection, ownChannel(this.address));
    for (const one of [this.#all, this.#own]) one.listen((message) => this.#hear(message));
  }

  broadcast(message: unknown): void {
    this.#all.publish(message);
  }

  send(address: string, message: unknown): void {
    this.#own.publish(message, ownChannel(address));
  }

  listen(listener: (message: unknown) => void): void {
    this.#listeners.push(listener);
  }

  #hear(message: unknown): void {
    for (const listener of this.#listeners) listener(message);
  }
}

function ownChannel(address: string): string {
  return `${channel}:${address}`;
}

/** Notifies other processes of changes through Redis. */
export class RedisInvalidation implements Invalidation {
  readonly #channel: ProcessChannel;
  readonly #listeners: ((change: Change) => void)[] = [];

  constructor(channel: ProcessChannel) {
    this.#channel = channel;
    channel.listen((news) => this.#hear(readChange(news)));
  }

  publish(change: Change): void {
    this.#channel.publish(change);
  }

  subscribe(listener: (change: Change) => void): void {
    this.#listeners.push(listener);
  }

  /** Reports that messages may have been missed. */
  missed(): void {
    this.#hear({ kind: 'everything' });
  }

  #hear(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}
