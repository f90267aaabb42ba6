import type { ProcessMessages } from '../../ports/process-messages.ts';
import { LiveChanges } from './live-changes.ts';
import { filterName, type LiveFilter } from './live-rows.ts';
import type { RunningCalls } from './running-calls.ts';

/** Milliseconds for which another process is told after it asked, and between two messages to it. */
export const lease = 30_000;
const messageEvery = 250;
/** Filters of accounts that other processes are told of, of one account, of one key; further ones are not. */
const mostPublished = 40;
const mostOfAccount = 8;
const mostOfKey = 4;

interface Watcher {
  /** By a clock that only goes on. */
  until: number;
  needsAll: boolean;
}

interface Published {
  readonly filter: LiveFilter;
  readonly changes: LiveChanges;
  /** By their addresses. */
  readonly watchers: Map<string, Watcher>;
  readonly timer: NodeJS.Timeout;
  number: number;
}

/** Tells other processes what this one runs, while somebody watches there: made once for each filter. */
export class PublishedFeeds {
  readonly #calls: RunningCalls;
  readonly #messages: ProcessMessages;
  readonly #now: () => number;
  readonly #published = new Map<string, Published>();

  /** @param now Unix milliseconds. */
  constructor(calls: RunningCalls, messages: ProcessMessages, now: () => number) {
    this.#calls = calls;
    this.#messages = messages;
    this.#now = now;
  }

  /** Filters that somebody else watches. */
  get size(): number {
    return this.#published.size;
  }

  /** @param needsAll Whether the process knows nothing yet. */
  watch(address: string, filter: LiveFilter, needsAll: boolean): void {
    const name = filterName(filter);
    const published = this.#published.get(name) ?? this.#open(name, filter);
    if (published === undefined) return;
    const known = published.watchers.get(address);
    const until = performance.now() + lease;
    published.watchers.set(address, { until, needsAll: needsAll || known?.needsAll !== false });
  }

  unwatch(address: string, filter: LiveFilter): void {
    const name = filterName(filter);
    const published = this.#published.get(name);
    if (published?.watchers.delete(address) && published.watchers.size === 0) this.#close(name, published);
  }

  close(): void {
    for (const [name, published] of this.#published) this.#close(name, published);
  }

  #open(name: string, filter: LiveFilter): Published | undefined {
    if (!this.#hasRoom(filter)) return undefined;
    const published: Published = {
      filter,
      changes: new LiveChanges(this.#calls, filter, this.#now()),
      watchers: new Map(),
      timer: setInterval(() => this.#send(name, filter, published), messageEvery).unref(),
      number: 0,
    };
    this.#published.set(name, published);
    return published;
  }

  /** Only operators have filters of no account: those do not wait for room that accounts have taken. */
  #hasRoom({ accountId, keyHash }: LiveFilter): boolean {
    const filters = [...this.#published.values()].map(({ filter }) => filter);
    const ofAccount = filters.filter((one) => one.accountId === accountId);
    const ofKey = ofAccount.filter((one) => keyHash !== undefined && one.keyHash === keyHash);
    if (ofAccount.length >= mostOfAccount || ofKey.length >= mostOfKey) return false;
    return accountId === undefined || filters.filter((one) => one.accountId).length < mostPublished;
  }

  #send(name: string, filter: LiveFilter, published: Published): void {
    const { changes, watchers } = published;
    for (const [address, { until }] of watchers) if (until < performance.now()) watchers.delete(address);
    if (watchers.size === 0) {
      this.#close(name, published);
      return;
    }
    const now = this.#now();
    const events = changes.take(now);
    if (events.length > 0) published.number += 1;
    const message = { kind: 'rows', from: this.#messages.address, filter, number: published.number };
    for (const [address, watcher] of watchers) {
      if (watcher.needsAll)
        this.#messages.send(address, { ...message, snapshot: changes.snapshot(now).data });
      else if (events.length > 0) this.#messages.send(address, { ...message, events });
      watcher.needsAll = false;
    }
  }

  #close(name: string, { changes, timer }: Published): void {
    clearInterval(timer);
    changes.stop();
    this.#published.delete(name);
  }
}
