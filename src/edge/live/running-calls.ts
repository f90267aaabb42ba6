import type { CallProgress } from '../../pipeline/call-progress.ts';
import type { CallFacts } from '../../settlement/call-settlement.ts';
import { type Enrolled, UnorderedSet } from '../../util/unordered-set.ts';

/** A client's request while it is answered. */
export interface LiveCall {
  readonly facts: CallFacts;
  readonly progress: CallProgress;
  /** Ends it as if its client had left. */
  cancel(): void;
}

/** Hears of a request that ended, with the moment in Unix milliseconds. */
export type OnEnd = (call: LiveCall, at: number) => void;

/** Running requests for each of which an order of all is used a millisecond longer, and the longest use. */
const [perMillisecond, longestUse] = [50, 200];

/**
 * The requests of clients that this process answers at the moment. While nobody watches, a request costs it an entry and
 * a removal; each watcher hears when a request ends.
 */
export class RunningCalls {
  readonly #calls = new UnorderedSet<LiveCall>();
  readonly #watchers = new Set<OnEnd>();
  #ordered: readonly Enrolled<LiveCall>[] = [];
  #orderedAt = Number.NEGATIVE_INFINITY;

  enter(call: LiveCall): Enrolled<LiveCall> {
    return this.#calls.enter(call);
  }

  /** @param now Unix milliseconds, asked only while somebody watches. */
  leave(entered: Enrolled<LiveCall>, now: () => number): void {
    if (!this.#calls.leave(entered) || this.#watchers.size === 0) return;
    const at = now();
    for (const onEnd of this.#watchers) onEnd(entered.member, at);
  }

  /** What runs, in no order. */
  get running(): readonly LiveCall[] {
    return this.#calls.members();
  }

  /**
   * What runs, the longest-running first. All who watch share the order for up to a fifth of a second, the longer the more there are:
   * of thousands, the newest may come a moment later.
   */
  *oldestFirst(): Generator<LiveCall> {
    const now = performance.now();
    if (now - this.#orderedAt >= Math.min(longestUse, this.#ordered.length / perMillisecond)) {
      this.#ordered = this.#calls
        .entries()
        .sort((one, other) => one.member.facts.receivedAt - other.member.facts.receivedAt);
      this.#orderedAt = now;
    }
    for (const entered of this.#ordered) if (entered.place >= 0) yield entered.member;
  }

  /** Calls `onEnd` for each request that ends, until the returned function is called. */
  watch(onEnd: OnEnd): () => void {
    this.#watchers.add(onEnd);
    return () => {
      this.#watchers.delete(onEnd);
      if (this.#watchers.size === 0) this.#ordered = [];
    };
  }
}
