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
      if (this.#viewers === 0) this.#ended.length = 0;
    };
  }
}
