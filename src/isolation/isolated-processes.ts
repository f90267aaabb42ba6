import { availableParallelism } from 'node:os';
import { FairQueue } from '../waiting/fair-queue.ts';
import { fairScheduler } from '../waiting/fair-scheduler.ts';
import { ChildHandle, type ChildLimits } from './child-handle.ts';
import type { IsolatedTask, IsolationOutcome, TaskRun } from './isolated-task.ts';

/** Bounds of a group of child processes, and of what waits for them. */
export interface IsolationLimits extends ChildLimits {
  /** How many there may be; each runs one task at a time. */
  readonly processes: number;
  /** How many tasks may wait. */
  readonly waiting: number;
  /** Bytes that the inputs of waiting tasks may have together. */
  readonly waitingBytes: number;
  /** Milliseconds that a task may wait. */
  readonly wait: number;
  /** Milliseconds after which a process without a task ends. */
  readonly idle: number;
}

interface Job {
  readonly task: IsolatedTask<never, unknown>;
  readonly input: unknown;
  readonly run: TaskRun;
  readonly done: (outcome: IsolationOutcome<unknown>) => void;
  readonly onAbort: () => void;
  timer: NodeJS.Timeout | undefined;
}

/** A place among the processes that there may be. Its process may not have been started yet. */
interface Place {
  child: ChildHandle | undefined;
}

const mebi = 1024 * 1024;
/** Bytes of an input from which sending it takes milliseconds. */
const largeInput = 256 * 1024;

const usualLimits: IsolationLimits = {
  // At least two, so that one account never has all.
  processes: Math.max(2, Math.min(4, availableParallelism() - 1)),
  heap: 160 * mebi,
  memory: 320 * mebi,
  stepsBack: false,
  // Most tasks take less than a millisecond, and many requests may come at once.
  waiting: 8_192,
  waitingBytes: 128 * mebi,
  wait: 10_000,
  idle: 60_000,
};

/**
 * Runs functions over what strangers sent in child processes, whose death fails one task and nothing else
 * (docs/spec/isolation.md#child-processes). They start on demand, run one task at a time, and end when they are idle. Accounts
 * take turns, and one account never has all processes.
 */
export class IsolatedProcesses {
  readonly #limits: IsolationLimits;
  readonly #queue: FairQueue<Job>;
  readonly #idle: ChildHandle[] = [];
  /** Places in use, each with the account it is used for. */
  readonly #busy = new Map<Place, string>();
  #closed = false;

  constructor(limits: Partial<IsolationLimits> = {}) {
    this.#limits = { ...usualLimits, ...limits };
    const { waiting: pieces, waitingBytes: bytes } = this.#limits;
    this.#queue = new FairQueue({ pieces, bytes });
  }

  /** The ids of the processes there are. */
  get pids(): readonly number[] {
    return [...this.#idle, ...this.#children()].flatMap(({ pid }) => pid ?? []);
  }

  /** Runs a task as soon as a process is free. Never rejects: what went wrong is the outcome. */
  run<Input, Result>(
    task: IsolatedTask<Input, Result>,
    input: Input,
    run: TaskRun,
  ): Promise<IsolationOutcome<Result>> {
    const { promise, resolve } = Promise.withResolvers<IsolationOutcome<Result>>();
    if (this.#closed || run.signal?.aborted === true) return Promise.resolve({ problem: 'busy' });
    const job: Job = {
      task,
      input,
      run,
      done: resolve as Job['done'],
      onAbort: () => this.#leave(job),
      timer: undefined,
    };
    if (this.#queue.size === 0 && this.#mayBegin(run.owner)) {
      this.#begin(job);
      return promise;
    }
    job.timer = setTimeout(job.onAbort, this.#limits.wait);
    run.signal?.addEventListener('abort', job.onAbort, { once: true });
    for (const displaced of this.#queue.add(run.owner, job, run.bytes)) this.#turnAway(displaced);
    this.#beginNext();
    return promise;
  }

  /** Ends the processes. What waits or runs ends as `busy`. */
  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.clear()) this.#turnAway(job);
    await Promise.all([...this.#children(), ...this.#idle.splice(0)].map((child) => child.end()));
  }

  #children(): readonly ChildHandle[] {
    return [...this.#busy.keys()].flatMap(({ child }) => child ?? []);
  }

  #leave(job: Job): void {
    if (this.#queue.remove(job.run.owner, job)) this.#turnAway(job);
  }

  #turnAway(job: Job): void {
    stopWaiting(job);
    job.done({ problem: 'busy' });
  }

  /** Whether a process is there for a task of an account now. */
  #mayBegin(owner: string): boolean {
    const { processes } = this.#limits;
    if (this.#busy.size >= processes) return false;
    let own = 0;
    for (const other of this.#busy.values()) if (other === owner) own += 1;
    return own < Math.max(1, processes - 1);
  }

  #beginNext(): void {
    if (this.#closed) return;
    const job = this.#queue.take((owner) => this.#mayBegin(owner));
    if (job === undefined) return;
    stopWaiting(job);
    this.#begin(job);
  }

  #begin(job: Job): void {
    const place: Place = { child: this.#idle.pop() };
    place.child?.rouse();
    this.#busy.set(place, job.run.owner);
    void this.#runAt(place, job).then((outcome) => {
      const { child } = place;
      this.#busy.delete(place);
      if (child !== undefined && !this.#closed && child.isUsable) this.#rest(child);
      else void child?.end();
      job.done(outcome);
      this.#beginNext();
    });
  }

  /** Starting a process and sending much take tens of milliseconds of this one: several at once would keep all others waiting. */
  async #runAt(place: Place, { task, input, run }: Job): Promise<IsolationOutcome<unknown>> {
    if (place.child === undefined) {
      await fairScheduler.join();
      if (this.#closed) return { problem: 'busy' };
      const made = this.#makeChild();
      if (made === undefined) return { problem: 'failed' };
      place.child = made;
    }
    if (run.bytes > largeInput) {
      await fairScheduler.join();
      if (this.#closed) return { problem: 'busy' };
    }
    return place.child.run(task, input, run.time);
  }

  /** A process; undefined where the system has no room for one. */
  #makeChild(): ChildHandle | undefined {
    try {
      return new ChildHandle(this.#limits);
    } catch {
      return undefined;
    }
  }

  #rest(child: ChildHandle): void {
    this.#idle.push(child);
    child.rest(this.#limits.idle, () => {
      const index = this.#idle.indexOf(child);
      if (index !== -1) this.#idle.splice(index, 1);
    });
  }
}

function stopWaiting({ timer, run, onAbort }: Job): void {
  clearTimeout(timer);
  run.signal?.removeEventListener('abort', onAbort);
}
