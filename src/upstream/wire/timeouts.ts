import type { Timeouts } from '../../core/catalogue.ts';

/** Which of an attempt's time limits was passed. */
export type TimeLimit = keyof Timeouts;

type Phase = 'connecting' | 'waiting' | 'streaming' | 'ending';

/** How long counts may be waited for once a model has said why it ended: most come with it, some never. */
const endingTimeout = 5_000;

const maxDelay = 2 ** 31 - 1;

/**
 * Watches the four time limits of one attempt with a single timer. Activity only moves a time stamp; the
 * timer looks at it when it fires and goes to sleep again for what is left.
 */
export class AttemptTimer {
  readonly #limits: Timeouts;
  readonly #onExpired: (limit: TimeLimit) => void;
  readonly #started = performance.now();
  #phase: Phase = 'connecting';
  /** Start of the running phase, or the last sign of life while streaming. */
  #since = this.#started;
  #held = false;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = 0;

  /** @param onExpired called at most once, with the limit that was passed. */
  constructor(limits: Timeouts, onExpired: (limit: TimeLimit) => void) {
    this.#limits = limits;
    this.#onExpired = onExpired;
    this.#arm(this.#started);
  }

  /** The request is on its way: from now on the first event is waited for. */
  sent(): void {
    this.#enter('waiting');
  }

  /** The answer has begun: from now on only silence counts. */
  begun(): void {
    if (this.#phase === 'ending') this.#since = performance.now();
    else if (this.#phase !== 'streaming') this.#enter('streaming');
  }

  /** The answer is whole but for what may be counted: from now on only events are signs of life. */
  ending(): void {
    if (this.#phase !== 'ending') this.#enter('ending');
  }

  /** Something arrived. */
  active(): void {
    if (this.#phase === 'streaming') this.#since = performance.now();
  }

  /** Nobody listens to the provider for now, so its silence means nothing. */
  hold(): void {
    this.#held = true;
  }

  /** The provider is listened to again. */
  release(): void {
    this.#held = false;
    if (this.#phase === 'ending') this.#since = performance.now();
    else this.active();
  }

  /** Ends the watch. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #enter(phase: Phase): void {
    this.#phase = phase;
    this.#since = performance.now();
    if (this.#timer !== undefined && this.#due().at < this.#firesAt) this.#arm(this.#since);
  }

  #due(): { readonly limit: TimeLimit; readonly at: number } {
    const total = this.#started + this.#limits.total;
    const phase = this.#phaseDue();
    return phase.at < total ? phase : { limit: 'total', at: total };
  }

  #phaseDue(): { readonly limit: TimeLimit; readonly at: number } {
    if (this.#phase === 'connecting') return { limit: 'connect', at: this.#since + this.#limits.connect };
    if (this.#phase === 'waiting') return { limit: 'firstEvent', at: this.#since + this.#limits.firstEvent };
    const since = this.#held ? performance.now() : this.#since;
    const { idle } = this.#limits;
    return { limit: 'idle', at: since + (this.#phase === 'ending' ? Math.min(idle, endingTimeout) : idle) };
  }

  #arm(now: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = this.#due().at;
    // One millisecond more: a timer may fire a fraction early and would then have to be set again.
    const delay = Math.min(Math.max(this.#firesAt - now, 0) + 1, maxDelay);
    this.#timer = setTimeout(() => this.#check(), delay);
  }

  #check(): void {
    const now = performance.now();
    const due = this.#due();
    if (due.at > now) {
      this.#arm(now);
      return;
    }
    this.stop();
    this.#onExpired(due.limit);
  }
}
