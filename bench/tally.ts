import type { Answer } from './load-connection.ts';

/** The result of an order. */
export interface LoadResult {
  readonly answers: number;
  readonly failures: number;
  readonly firstFailure?: string;
  /** From the order to the last answer. */
  readonly seconds: number;
  /** Server-sent events received. */
  readonly events: number;
  /** Answers after which the server closed the connection. */
  readonly closed: number;
  /** Milliseconds, one for each answer, when the order asked for times. */
  readonly firstTextTimes: readonly number[];
  readonly wholeTimes: readonly number[];
  /** Milliseconds from a stamped word's sending to its arrival, one for each word, when the order asked for them. */
  readonly wordTimes: readonly number[];
}

/** Counts the results of an order while it runs. */
export class Tally {
  readonly #startedAt = performance.now();
  answers = 0;
  failures = 0;
  events = 0;
  closed = 0;
  firstFailure: string | undefined;
  readonly firstTextTimes: number[] = [];
  readonly wholeTimes: number[] = [];

  count(answer: Answer): void {
    this.answers += 1;
    this.events += answer.events;
    if (answer.closed) this.closed += 1;
  }

  time(answer: Answer): void {
    this.firstTextTimes.push(answer.firstText);
    this.wholeTimes.push(answer.whole);
  }

  fail(reason: string): void {
    this.failures += 1;
    this.firstFailure ??= reason;
  }

  result(): LoadResult {
    return {
      answers: this.answers,
      failures: this.failures,
      ...(this.firstFailure === undefined ? {} : { firstFailure: this.firstFailure }),
      seconds: (performance.now() - this.#startedAt) / 1000,
      events: this.events,
      closed: this.closed,
      firstTextTimes: this.firstTextTimes,
      wholeTimes: this.wholeTimes,
      wordTimes: [],
    };
  }
}
