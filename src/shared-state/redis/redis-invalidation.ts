import type { Change, Invalidation } from '../../ports/invalidation.ts';
import { readChange } from '../../ports/read-change.ts';
import type { ProcessChannel } from './process-channel.ts';

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
