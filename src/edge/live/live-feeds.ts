import { LiveChanges, type LiveEvent } from './live-changes.ts';
import type { LiveFilter } from './live-rows.ts';
import type { RunningCalls } from './running-calls.ts';

/** Milliseconds between two batches. */
const batchEvery = 250;

/** What changed since the batch before, as server-sent events, for everybody who sees the same. */
export interface LiveBatch {
  /** Empty where nothing changed. */
  readonly text: string;
  /** Everything, as it is after this batch; made for who asks. */
  snapshot(): string;
}

/** What one viewer joined. */
export interface JoinedFeed {
  /** Everything until now. */
  readonly first: string;
  /** Ends the batches of this viewer. */
  leave(): void;
}

interface Feed {
  readonly changes: LiveChanges;
  readonly viewers: Set<(batch: LiveBatch) => void>;
  readonly timer: NodeJS.Timeout;
  readonly render: (events: readonly LiveEvent[]) => string;
}

/** Batches of changes for viewers of running requests: made once for all viewers with the same filter, while there are any. */
export class LiveFeeds {
  readonly #calls: RunningCalls;
  readonly #feeds = new Map<string, Feed>();

  constructor(calls: RunningCalls) {
    this.#calls = calls;
  }

  /** The viewers of all filters. */
  get viewers(): number {
    return [...this.#feeds.values()].reduce((sum, { viewers }) => sum + viewers.size, 0);
  }

  /** @param onBatch Called four times a second. @param now Unix milliseconds. */
  join(filter: LiveFilter, onBatch: (batch: LiveBatch) => void, now: () => number): JoinedFeed {
    const name = JSON.stringify(filter);
    const feed = this.#feeds.get(name) ?? this.#open(name, filter, now);
    feed.viewers.add(onBatch);
    return {
      first: feed.render([feed.changes.snapshot(now())]),
      leave: () => {
        feed.viewers.delete(onBatch);
        if (feed.viewers.size === 0) this.#close(name, feed);
      },
    };
  }

  #open(name: string, filter: LiveFilter, now: () => number): Feed {
    const changes = new LiveChanges(this.#calls, filter, now());
    const viewers: Feed['viewers'] = new Set();
    const render = renderer();
    const timer = setInterval(() => {
      const text = render(changes.take(now()));
      let snapshot: string | undefined;
      const batch = {
        text,
        snapshot: () => {
          snapshot ??= render([changes.snapshot(now())]);
          return snapshot;
        },
      };
      for (const onBatch of viewers) onBatch(batch);
    }, batchEvery);
    const feed = { changes, viewers, timer, render };
    this.#feeds.set(name, feed);
    return feed;
  }

  #close(name: string, feed: Feed): void {
    clearInterval(feed.timer);
    feed.changes.stop();
    if (this.#feeds.get(name) === feed) this.#feeds.delete(name);
  }
}

function renderer(): Feed['render'] {
  let number = 0;
  return (events) => {
    const texts = events.map(({ name, data }) => {
      number += 1;
      return `id: ${number}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
    });
    return texts.join('');
  };
}
