/** The time that tasks may take together, as a part of the time since they ran last. */
const share = 0.25;
/** Milliseconds they may take in a turn at least and at most. */
const [shortest, longest] = [0.2, 0.5];
/** Milliseconds of one task after which the others rest: a request needs several turns, and would wait for a task in each. */
const tiring = 10;
/** The time without anything to do that ends a rest, as a part of the time of the task, and at most so many milliseconds. */
const [idlePart, longestIdle] = [0.1, 3];

/**
 * Begins tasks in their order, for a part of each turn of the event loop, so that everything else has its turn in
 * between. A task that has more to do adds itself again and waits behind the others. After a long task the next one
 * begins when there is nothing else to do, or when others have had their share of the time.
 */
export class FairScheduler {
  #waiting: (() => void)[] = [];
  #next = 0;
  #until = 0;
  #beganAt = 0;
  #endedAt = 0;
  #isScheduled = false;
  readonly #onTurn = () => this.#begin();
  readonly #onTaskOver = () => this.#goOn();
  readonly #afterReactions = () => process.nextTick(this.#onTaskOver);

  /** Calls `begin` soon, which must not throw. */
  add(begin: () => void): void {
    this.#waiting.push(begin);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.#onTurn);
  }

  /** Resolves when it is the caller's turn. What the caller does next counts, until it waits for something else. */
  join(): Promise<void> {
    return new Promise((resolve) => this.add(resolve));
  }

  #begin(): void {
    const now = performance.now();
    this.#until = now + Math.min(longest, Math.max(shortest, (now - this.#endedAt) * share));
    this.#runOne();
  }

  #runOne(): void {
    const begin = this.#waiting[this.#next];
    this.#next += 1;
    this.#beganAt = performance.now();
    begin?.();
    // Called back once everything that reacts to promises has run: a tick that is asked for before would come first.
    queueMicrotask(this.#afterReactions);
  }

  #goOn(): void {
    const now = performance.now();
    if (this.#next < this.#waiting.length && now < this.#until) {
      this.#runOne();
      return;
    }
    this.#endedAt = now;
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    this.#isScheduled = this.#waiting.length > 0;
    if (!this.#isScheduled) return;
    const took = now - this.#beganAt;
    if (took < tiring) setImmediate(this.#onTurn);
    else this.#rest(Math.min(longestIdle, took * idlePart), now + took * (1 / share - 1));
  }

  /** Goes on after so many milliseconds in which the process had nothing to do, or at a moment. */
  #rest(idle: number, latest: number): void {
    const before = performance.nodeTiming.idleTime;
    setTimeout(() => {
      const wasIdle = performance.nodeTiming.idleTime - before > idle / 2;
      if (wasIdle || performance.now() >= latest) this.#begin();
      else this.#rest(idle, latest);
    }, idle);
  }
}

/**
 * Where work on answers of megabytes waits: reading what providers send fast, encoding and sending what is long. Done as it
 * comes, a dozen of such answers would leave nobody else a turn.
 */
export const fairScheduler = new FairScheduler();

let turn = 0;
let isCounting = false;

/** A number that is another one in each turn of the event loop in which it is asked for. */
function currentTurn(): number {
  if (!isCounting) {
    isCounting = true;
    setImmediate(() => {
      turn += 1;
      isCounting = false;
    });
  }
  return turn;
}

/** Adds amounts up, anew in each turn of the event loop. */
export class TickSum {
  #turn = -1;
  #sum = 0;

  /** Adds an amount; returns the sum of this turn. */
  add(amount: number): number {
    const now = currentTurn();
    if (now !== this.#turn) this.#sum = 0;
    this.#turn = now;
    this.#sum += amount;
    return this.#sum;
  }
}
