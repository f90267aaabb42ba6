import { randomBytes } from 'node:crypto';
import { LiveChanges, type LiveEvent } from './live-changes.ts';
import type { LivePeers, RemoteCall, Watched } from './live-peers.ts';
import { filterName, type LiveFilter } from './live-rows.ts';
import type { RunningCalls } from './running-calls.ts';
import { ViewerPlaces } from './viewer-places.ts';

/** Milliseconds between two batches. */
const batchEvery = 250;

/** Feeds that wait for a viewer to come back; the one that waits for longest goes first. */
export const mostWaiting = 20;

/** What changed since the batch before, as server-sent events, for everybody who sees the same. */
export interface LiveBatch {
  /** Empty where nothing changed. */
  readonly text: string;
  /** Everything, as it is after this batch; made for who asks. */
  snapshot(): string;
}

/** What one viewer joined. */
export interface JoinedFeed {
  /** Everything until now, or what a viewer that comes back has missed. */
  readonly first: string;
  /** Ends the batches of this viewer. */
  leave(): void;
}

/** Gets the batches of a feed. */
type OnBatch = (batch: LiveBatch) => void;

/**
 * Batches of changes for viewers of running requests: made once for all viewers with the same filter, while there are any. For a
 * minute after the last one has left, a feed notes ends of requests that were shown and does nothing else, so that a viewer whose
 * connection broke goes on without a gap.
 */
export class LiveFeeds {
  readonly places: ViewerPlaces = new ViewerPlaces();
  readonly #calls: RunningCalls;
  readonly #peers: LivePeers | undefined;
  /** By filter; those that wait for a viewer are in the order of their waits. */
  readonly #feeds = new Map<string, Feed>();

  /** @param peers Other processes; undefined where there are none. */
  constructor(calls: RunningCalls, peers?: LivePeers) {
    this.#calls = calls;
    this.#peers = peers;
  }

  /** Looks for a request in other processes. */
  async findElsewhere(id: string): Promise<RemoteCall | undefined> {
    return this.#peers?.find(id);
  }

  close(): void {
    for (const [name, feed] of this.#feeds) this.#close(name, feed);
    this.#peers?.close();
  }

  /** The viewers of all filters. */
  get viewers(): number {
    return [...this.#feeds.values()].reduce((sum, { viewers }) => sum + viewers, 0);
  }

  /**
   * @param onBatch Called four times a second.
   * @param now Unix milliseconds.
   * @param lastId The id of the last event that a viewer got who comes back.
   */
  join(filter: LiveFilter, onBatch: OnBatch, now: () => number, lastId?: string): JoinedFeed {
    const name = filterName(filter);
    const known = this.#feeds.get(name);
    const missed = lastId === undefined ? undefined : known?.resume(lastId);
    if (known !== undefined && known.viewers === 0 && missed === undefined) this.#close(name, known);
    const feed = this.#feeds.get(name) ?? new Feed(this.#calls, filter, now, this.#peers?.watch(filter));
    this.#feeds.set(name, feed);
    feed.enter(onBatch);
    return {
      first: missed ?? feed.snapshot(),
      leave: () => {
        feed.leave(onBatch, () => this.#close(name, feed));
        if (feed.viewers > 0 || this.#feeds.get(name) !== feed) return;
        // What other processes run would have to be told all the while.
        if (feed.hasPeers) return this.#close(name, feed);
        this.#feeds.delete(name);
        this.#feeds.set(name, feed);
        this.#limitWaiting();
      },
    };
  }

  #limitWaiting(): void {
    const waiting = [...this.#feeds].filter(([, { viewers }]) => viewers === 0);
    for (const [name, feed] of waiting.slice(0, -mostWaiting)) this.#close(name, feed);
  }

  #close(name: string, feed: Feed): void {
    feed.close();
    if (this.#feeds.get(name) === feed) this.#feeds.delete(name);
  }
}

/** The batches of one filter. */
class Feed {
  /** Distinguishes its ids from those of other feeds and processes. */
  readonly #tag = randomBytes(6).toString('base64url');
  readonly #changes: LiveChanges;
  readonly #now: () => number;
  readonly #others: Watched | undefined;
  readonly #viewers = new Set<OnBatch>();
  readonly #recent = new RecentBatches();
  #number = 0;
  #batches: NodeJS.Timeout | undefined;
  #waiting: NodeJS.Timeout | undefined;

  /** @param others What other processes tell of the filter until the feed is closed. */
  constructor(calls: RunningCalls, filter: LiveFilter, now: () => number, others: Watched | undefined) {
    this.#now = now;
    this.#others = others;
    this.#changes = new LiveChanges(calls, filter, now(), others?.rows);
  }

  get viewers(): number {
    return this.#viewers.size;
  }

  /** Whether another process tells what it runs. */
  get hasPeers(): boolean {
    return this.#others?.rows.hasPeers === true;
  }

  enter(onBatch: OnBatch): void {
    clearTimeout(this.#waiting);
    this.#viewers.add(onBatch);
    this.#batches ??= setInterval(() => this.#send(), batchEvery);
  }

  /** @param onForgotten Called once nobody has come back for a minute. */
  leave(onBatch: OnBatch, onForgotten: () => void): void {
    if (!this.#viewers.delete(onBatch) || this.viewers > 0) return;
    clearInterval(this.#batches);
    this.#batches = undefined;
    this.#waiting = setTimeout(onForgotten, keptFor).unref();
  }

  /** What a viewer has missed since an event; undefined where that is not known any more. */
  resume(lastId: string): string | undefined {
    const [tag, number] = lastId.split('.');
    if (tag !== this.#tag || number === undefined || !/^\d{1,15}$/.test(number)) return undefined;
    if (this.viewers === 0) this.#take();
    return this.#recent.after(Number(number));
  }

  /** Everything as of the last batch. */
  snapshot(): string {
    return this.#render([this.#changes.snapshot(this.#now())]);
  }

  close(): void {
    clearInterval(this.#batches);
    clearTimeout(this.#waiting);
    this.#others?.end();
    this.#changes.stop();
  }

  #send(): void {
    const text = this.#take();
    let snapshot: string | undefined;
    const batch = {
      text,
      snapshot: () => {
        snapshot ??= this.snapshot();
        return snapshot;
      },
    };
    for (const onBatch of this.#viewers) onBatch(batch);
  }

  #take(): string {
    const at = this.#now();
    const text = this.#render(this.#changes.take(at));
    this.#recent.add({ last: this.#number, at, text });
    return text;
  }

  #render(events: readonly LiveEvent[]): string {
    const texts = events.map(({ name, data }) => {
      this.#number += 1;
      return `id: ${this.#tag}.${this.#number}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    });
    return texts.join('');
  }
}

/** Milliseconds for which a viewer may come back, and characters that are kept for it. */
export const keptFor = 60_000;
const mostKept = 250_000;

interface Kept {
  /** The number of its last event. */
  readonly last: number;
  readonly at: number;
  readonly text: string;
}

/** The batches of a feed of the last minute, for viewers that come back. */
export class RecentBatches {
  readonly #kept: Kept[] = [];
  #size = 0;
  /** Everything after the event of this number is here. */
  #complete: number;

  /** @param number Of the last event before. */
  constructor(number = 0) {
    this.#complete = number;
  }

  add(batch: Kept): void {
    if (batch.text === '') return;
    this.#kept.push(batch);
    this.#size += batch.text.length;
    for (
      let [oldest] = this.#kept;
      oldest !== undefined && this.#isOver(oldest, batch.at);
      [oldest] = this.#kept
    ) {
      this.#kept.shift();
      this.#size -= oldest.text.length;
      this.#complete = oldest.last;
    }
  }

  /** The events after one, and perhaps some before it; undefined where not all of them are here any more. */
  after(number: number): string | undefined {
    if (number < this.#complete) return undefined;
    return this.#kept
      .filter(({ last }) => last > number)
      .map(({ text }) => text)
      .join('');
  }

  #isOver({ at }: Kept, now: number): boolean {
    return this.#size > mostKept || now - at > keptFor;
  }
}
