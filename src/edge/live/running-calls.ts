import type { CallProgress } from '../../pipeline/call-progress.ts';
import type { CallFacts } from '../../settlement/bracket.ts';
import { type Enrolled, Roster } from '../../util/roster.ts';

/** A client's request while it is answered. */
export interface LiveCall {
  readonly facts: CallFacts;
  readonly progress: CallProgress;
  /** Ends it as if its client had left. */
  cancel(): void;
}

/** Ended requests that are kept for viewers that look a moment later. */
const keptEnds = 1_000;
/** Seconds whose ends are counted. */
const countedSeconds = 60;

interface Second {
  second: number;
  done: number;
  failed: number;
}

/** A request that ended while somebody watched. */
export interface EndedCall {
  readonly call: LiveCall;
  /** Unix milliseconds. */
  readonly at: number;
  /** Grows by one from end to end. */
  readonly number: number;
}

/**
 * The requests of clients that this process answers at the moment. While nobody watches, a request costs it an entry and
 * a removal; ends are noted only for viewers.
 */
export class RunningCalls {
  readonly #roster = new Roster<LiveCall>();
  readonly #ended: EndedCall[] = [];
  readonly #seconds: Second[] = [];
  #viewers = 0;
  #ends = 0;

  enter(call: LiveCall): Enrolled<LiveCall> {
    return this.#roster.enter(call);
  }

  /** @param now Unix milliseconds, asked only while somebody watches. */
  leave(entered: Enrolled<LiveCall>, now: () => number): void {
    if (!this.#roster.leave(entered) || this.#viewers === 0) return;
    const at = now();
    this.#ends += 1;
    this.#ended.push({ call: entered.member, at, number: this.#ends });
    if (this.#ended.length > keptEnds) this.#ended.splice(0, keptEnds / 2);
    this.#count(entered.member, Math.floor(at / 1000));
  }

  /** What runs, in no order. */
  get running(): readonly LiveCall[] {
    return this.#roster.members();
  }

  /** The number of the last end. */
  get lastEnd(): number {
    return this.#ends;
  }

  /** The ends after one of this number, as far as they are kept. */
  endedAfter(number: number): readonly EndedCall[] {
    return this.#ended.filter((one) => one.number > number);
  }

  /** How many of all accounts ended within the last minute, as far as somebody watched. */
  lastMinute(now: number): { readonly done: number; readonly failed: number } {
    const since = Math.floor(now / 1000) - countedSeconds;
    const recent = this.#seconds.filter(({ second }) => second > since);
    return {
      done: recent.reduce((sum, { done }) => sum + done, 0),
      failed: recent.reduce((sum, { failed }) => sum + failed, 0),
    };
  }

  get viewers(): number {
    return this.#viewers;
  }

  /** Notes a viewer until the returned function is called. */
  watch(): () => void {
    this.#viewers += 1;
    let isWatching = true;
    return () => {
      if (!isWatching) return;
      isWatching = false;
      this.#viewers -= 1;
      if (this.#viewers > 0) return;
      this.#ended.length = 0;
      this.#seconds.length = 0;
    };
  }

  #count({ progress }: LiveCall, second: number): void {
    let last = this.#seconds.at(-1);
    if (last?.second !== second) {
      last = { second, done: 0, failed: 0 };
      this.#seconds.push(last);
      if (this.#seconds.length > countedSeconds) this.#seconds.shift();
    }
    if (progress.outcome === 'ok') last.done += 1;
    else last.failed += 1;
  }
}
