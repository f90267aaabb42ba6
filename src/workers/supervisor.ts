import type { Logger } from 'pino';
import type { WorkerEnd, WorkerProcess } from './worker-process.ts';

/** What a supervisor works with. Times are milliseconds. */
export interface SupervisorOptions {
  /** How many processes there are to be. */
  readonly workers: number;
  /** Starts one; it says by itself when it is ready. Throws where the system has no room for another. */
  readonly start: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long a worker may take to end after an order, drain timeout included. */
  readonly endTimeout: number;
  /** How long one that replaces another may take until it is ready; long, because it may migrate the database. */
  readonly startTimeout?: number;
  /** The wait before a worker is started that is the second one to die early; doubles up to the longest. */
  readonly firstDelay?: number;
  readonly longestDelay?: number;
  /** A worker that lived as long as this did not die early. */
  readonly settledAfter?: number;
}

/** One of the places for a process; who is in it changes. */
interface Place {
  current: WorkerProcess | undefined;
  /** Deaths in a row that came early. */
  early: number;
}

/**
 * Keeps a number of server processes running: starts one in place of each that dies, replaces all of them one at a
 * time without a gap, and ends them together (operations.md 6.1, 6.5).
 */
export class Supervisor {
  readonly #options: Required<SupervisorOptions>;
  readonly #places: Place[] = [];
  /** Those that are not in a place yet or any more. */
  readonly #passing = new Set<WorkerProcess>();
  readonly #waits = new Set<() => void>();
  #stopping = false;
  #roll: Promise<void> = Promise.resolve();
  #rollsWaiting = 0;

  constructor(options: SupervisorOptions) {
    this.#options = {
      startTimeout: 600_000,
      firstDelay: 250,
      longestDelay: 10_000,
      settledAfter: 60_000,
      ...options,
    };
  }

  /**
   * Starts the workers: the first one alone, since it prepares the database and tells what is wrong with the
   * configuration, then the others. Undefined when it got ready, else how it ended.
   */
  async start(): Promise<WorkerEnd | undefined> {
    const first = this.#options.start();
    const place: Place = { current: first, early: 0 };
    this.#places.push(place);
    if (!(await first.ready)) return first.ended;
    void this.#keep(place);
    for (let count = 1; count < this.#options.workers && !this.#stopping; count += 1) {
      const other: Place = { current: this.#start(), early: 0 };
      this.#places.push(other);
      void this.#keep(other);
    }
    await Promise.all(this.#running().map((worker) => worker.ready));
    return undefined;
  }

  /** Replaces every worker by a new process, one at a time: it is ready before the old one takes nothing more. */
  replaceAll(): Promise<void> {
    // One that has not begun yet does what a further one would.
    if (this.#rollsWaiting > 0) return this.#roll;
    this.#rollsWaiting += 1;
    this.#roll = this.#roll.then(async () => {
      this.#rollsWaiting -= 1;
      await this.#replaceEach();
    });
    return this.#roll;
  }

  /** Passes a signal on to the workers that are ready to take it. */
  signal(signal: NodeJS.Signals): void {
    for (const worker of this.#running()) if (worker.isReady) worker.signal(signal);
  }

  /** Lets every worker finish what it answers, within the time they have; true when all ended well. */
  async stop(): Promise<boolean> {
    const { endTimeout } = this.#options;
    this.#stopping = true;
    for (const wake of this.#waits) wake();
    const running = this.#running();
    for (const worker of running) worker.order('stop');
    const ends = running.filter((worker) => worker.isReady).map((worker) => worker.untilEnded(endTimeout));
    return (await Promise.all(ends)).every(({ code }) => code === 0);
  }

  /** Ends every worker at once. */
  kill(): void {
    this.#stopping = true;
    for (const worker of this.#running()) worker.signal('SIGKILL');
  }

  #running(): readonly WorkerProcess[] {
    return [...this.#places.flatMap((place) => place.current ?? []), ...this.#passing];
  }

  /** Starts another process in a place whenever the one there dies, until the supervisor stops. */
  async #keep(place: Place): Promise<void> {
    while (!this.#stopping) {
      const worker = place.current;
      const end = await worker?.ended;
      if (this.#stopping) return;
      // Another one took the place meanwhile.
      if (place.current !== worker) continue;
      place.current = undefined;
      const delay = this.#delay(place, worker);
      if (worker !== undefined) {
        const told = { worker: worker.pid, ...end, startsIn: delay };
        this.#options.log.error(told, 'a worker ended; another one is started');
      }
      await this.#wait(delay);
      if (!this.#stopping) place.current ??= this.#start();
    }
  }

  /** Undefined where that cannot be now, which is no reason to end those that run. */
  #start(): WorkerProcess | undefined {
    try {
      return this.#options.start();
    } catch (err) {
      this.#options.log.error({ err }, 'a worker could not be started');
      return undefined;
    }
  }

  /** The first death is repaired at once; those that follow soon after wait longer each time. */
  #delay(place: Place, worker: WorkerProcess | undefined): number {
    const { firstDelay, longestDelay, settledAfter } = this.#options;
    if (worker !== undefined && performance.now() - worker.startedAt >= settledAfter) place.early = 0;
    const delay = place.early === 0 ? 0 : Math.min(longestDelay, firstDelay * 2 ** (place.early - 1));
    place.early += 1;
    return delay;
  }

  async #replaceEach(): Promise<void> {
    const { log } = this.#options;
    log.info({ workers: this.#places.length }, 'replacing the workers, one at a time');
    for (const place of this.#places) {
      if (this.#stopping) return;
      if (!(await this.#replace(place))) {
        if (!this.#stopping) log.error('the new worker did not get ready; the old ones stay');
        return;
      }
    }
    log.info('all workers are replaced');
  }

  async #replace(place: Place): Promise<boolean> {
    const { startTimeout, endTimeout, log } = this.#options;
    const next = this.#start();
    if (next === undefined) return false;
    this.#passing.add(next);
    const impatience = setTimeout(() => next.signal('SIGKILL'), startTimeout);
    const ready = await next.ready;
    clearTimeout(impatience);
    this.#passing.delete(next);
    if (!ready || this.#stopping) return false;
    const old = place.current;
    place.current = next;
    place.early = 0;
    if (old === undefined) return true;
    this.#passing.add(old);
    old.order('hand over');
    const end = await old.untilEnded(endTimeout);
    this.#passing.delete(old);
    log.info({ worker: old.pid, by: next.pid, ...end }, 'a worker was replaced');
    return true;
  }

  /** Waits, but not when the supervisor stops. */
  #wait(delay: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#waits.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, delay);
      this.#waits.add(wake);
    });
  }
}
