import { randomUUID } from 'node:crypto';
import type { ProcessMessages } from '../../ports/process-messages.ts';
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
