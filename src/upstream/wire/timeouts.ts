import type { Timeouts } from '../../core/catalogue.ts';
import { mayThink, whileThinking } from '../../core/thinking-time.ts';
import type { AnyCall } from '../../ports/upstream.ts';

/** The limits of one attempt. @param streamed Whether an event stream was requested. */
export function limitsOf({ endpoint, model, request }: AnyCall, streamed: boolean): Timeouts {
  const { timeouts } = endpoint.provider;
  const limits = mayThink(request, [model]) ? whileThinking(timeouts) : timeouts;
  // A provider finishes an unstreamed answer before it sends the first byte, however long that takes.
  return streamed ? limits : { ...limits, firstEvent: Number.POSITIVE_INFINITY };
}

/** Names the time limit of an attempt that has passed. */
export type TimeLimit = keyof Timeouts;

type Phase = 'connecting' | 'waiting' | 'streaming' | 'ending';

/**
 * How long to wait for usage after the finish reason: most providers send both together, some never send usage.
 */
const endingTimeout = 5_000;

const maxDelay = 2 ** 31 - 1;

/**
 * Enforces the four time limits of one attempt with a single timer. Activity only updates a time stamp; when the
 * timer fires, it compares and sleeps again for the remainder.
 */
export class AttemptTimer {
  readonly limits: Timeouts;
  readonly #onExpired: (limit: TimeLimit) => void;
  readonly #started = performance.now();
  #phase: Phase = 'connecting';
  /** Start of the current phase, or the last activity while streaming. */
  #since = this.#started;
  #held = false;
  #timer: NodeJS.Timeout | undefined;
  #firesAt = 0;

  /** @param onExpired called at most once, with the limit that has passed. */
  constructor(limits: Timeouts, onExpired: (limit: TimeLimit) => void) {
    this.limits = limits;
    this.#onExpired = onExpired;
    this.#arm(this.#started);
  }

  /** The request was sent: from now on the timer waits for the first event. */
  sent(): void {
    this.#enter('waiting');
  }

  /** The answer has begun: from now on only the idle limit counts. */
  begun(): void {
    if (this.#phase === 'ending') this.#since = performance.now();
    else if (this.#phase !== 'streaming') this.#enter('streaming');
  }

  /** The answer is complete except for usage: from now on only events count as activity. */
  ending(): void {
    if (this.#phase !== 'ending') this.#enter('ending');
  }

  /** Records a sign of life: any byte, such as a comment while the model thinks. */
  active(): void {
    if (this.#phase === 'streaming' || this.#phase === 'waiting') this.#since = performance.now();
  }

  /** Pauses the idle limit while the gateway itself does not read. */
  hold(): void {
    this.#held = true;
  }

  /** Resumes the idle limit. */
  release(): void {
    this.#held = false;
    if (this.#phase === 'ending') this.#since = performance.now();
    else this.active();
  }

  /** Stops the timer. */
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
    const total = this.#started + this.limits.total;
    const phase = this.#phaseDue();
    return phase.at < total ? phase : { limit: 'total', at: total };
  }

  #phaseDue(): { readonly limit: TimeLimit; readonly at: number } {
    if (this.#phase === 'connecting') return { limit: 'connect', at: this.#since + this.limits.connect };
    if (this.#phase === 'waiting') return { limit: 'firstEvent', at: this.#since + this.limits.firstEvent };
    const since = this.#held ? performance.now() : this.#since;
    const { idle } = this.limits;
    return { limit: 'idle', at: since + (this.#phase === 'ending' ? Math.min(idle, endingTimeout) : idle) };
  }

  #arm(now: number): void {
    clearTimeout(this.#timer);
    this.#firesAt = this.#due().at;
    // One millisecond more, because a timer may fire a fraction early and would have to be set again.
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
