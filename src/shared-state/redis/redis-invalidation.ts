import type { Change, Invalidation } from '../../ports/invalidation.ts';
import { type ProcessChannel, textMember } from './process-channel.ts';

/** Tells other processes over Redis what has changed. */
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

  /** Says that news may have been missed. */
  missed(): void {
    this.#hear({ kind: 'everything' });
  }

  #hear(change: Change): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** What another process says; everything, if another version has a word this one does not know. */
function readChange(news: unknown): Change {
  const kind = textMember(news, 'kind');
  const id = textMember(news, 'id');
  if (kind === 'callers') return { kind, keyHash: textMember(news, 'keyHash') };
  return kind === 'credential' && id !== undefined ? { kind, id } : { kind: 'everything' };
}
