import { hostname } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { createId } from '../core/ids.ts';
import type { LoadState } from '../edge/load-guard.ts';
import type { DependencyHealth } from '../metrics/dependency-health.ts';
import type { Histogram } from '../metrics/gateway-counters.ts';
import type { Clock } from '../ports/clock.ts';
import type { ProcessFigures, ProcessReport, ProcessStore } from '../ports/processes.ts';
import { packageVersion } from '../util/package-version.ts';
import { RecurringTask } from '../waiting/recurring-task.ts';

/** Milliseconds between two reports of a process. */
const usualPause = 5_000;
/** Milliseconds that the end of a process may wait for its last word. */
const patience = 1_000;
/** Reports between two looks for those that can be forgotten: an hour. */
const pruneEvery = 720;

/** What a process reads about itself. */
export interface ProcessWatchParts {
  readonly store: ProcessStore;
  readonly clock: Clock;
  readonly lifecycle: {
    readonly ready: boolean;
    readonly draining: boolean;
    readonly traffic: { readonly running: number; readonly streams: number };
  };
  readonly load: LoadState;
  readonly health: Pick<DependencyHealth, 'check'>;
  readonly waitingCharges: () => number;
  /** How late timers of this process come, in seconds. */
  readonly delays: Histogram;
  /** Milliseconds between two reports; for tests. */
  readonly pause?: number | undefined;
}

/** What is compared over a few seconds. */
interface Mark {
  readonly at: number;
  readonly cpu: number;
  readonly loop: ReturnType<typeof performance.eventLoopUtilization>;
  readonly delays: readonly number[];
}

/** Reports every few seconds how this process is (docs/spec/operations.md#processes), and at once to whoever asks it. */
export class ProcessWatch {
  readonly #parts: ProcessWatchParts;
  readonly #identity: Pick<ProcessReport, 'id' | 'host' | 'pid' | 'version' | 'startedAt'>;
  readonly #reporting: RecurringTask;
  /** The second last report's and the last one's, so that figures cover one or two pauses. */
  #marks: readonly [Mark, Mark];
  #databaseTime: number | null = null;
  #reports = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(parts: ProcessWatchParts) {
    this.#parts = parts;
    this.#identity = {
      id: createId('proc_'),
      host: hostname(),
      pid: process.pid,
      version: packageVersion(),
      startedAt: Math.round(performance.timeOrigin),
    };
    const mark = this.#mark();
    this.#marks = [mark, mark];
    this.#reporting = new RecurringTask(
      () => (this.#last = this.report()),
      () => parts.pause ?? usualPause,
    );
  }

  /** Stops for good and takes this process from the list, unless the database does not answer. */
  async close(): Promise<void> {
    this.#reporting.close();
    const left = this.#last.then(() => this.#parts.store.leave(this.#identity.id)).catch(() => undefined);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, patience);
    });
    await Promise.race([left, late]);
    clearTimeout(timer);
  }

  /** Stores how this process is; this also happens by itself. Never rejects: others report that the database is away. */
  async report(): Promise<void> {
    const { store, clock } = this.#parts;
    try {
      const own = await this.own();
      this.#marks = [this.#marks[1], this.#mark()];
      const before = performance.now();
      await store.report(own);
      this.#databaseTime = performance.now() - before;
      if (this.#reports % pruneEvery === 0) await store.prune(clock.now());
      this.#reports += 1;
    } catch {
      this.#databaseTime = null;
    }
  }

  /** How this process is now. */
  async own(): Promise<ProcessReport> {
    const figures = await this.#figures();
    return { ...this.#identity, seenAt: this.#parts.clock.now(), figures };
  }

  async #figures(): Promise<ProcessFigures> {
    const { lifecycle, health, waitingCharges } = this.#parts;
    const dependencies = { ...(await health.check()) };
    const { rss: resident, heapUsed } = process.memoryUsage();
    const [before, now] = [this.#marks[0], this.#mark()];
    const passed = Math.max(now.at - before.at, 1);
    return {
      node: process.versions.node,
      state: this.#state(),
      dependencies,
      ...lifecycle.traffic,
      waitingCharges: waitingCharges(),
      databaseTime: this.#databaseTime,
      memory: { resident, heapUsed, heapLimit: getHeapStatistics().heap_size_limit },
      cpu: (now.cpu - before.cpu) / passed,
      loopBusy: performance.eventLoopUtilization(now.loop, before.loop).utilization,
      loopDelay: lateness(this.#parts.delays.bounds, now.delays, before.delays),
    };
  }

  #state(): ProcessFigures['state'] {
    const { lifecycle, load } = this.#parts;
    if (lifecycle.draining) return 'draining';
    return lifecycle.ready ? (load.overload ?? 'ready') : 'starting';
  }

  #mark(): Mark {
    const { user, system } = process.cpuUsage();
    return {
      at: performance.now(),
      cpu: (user + system) / 1000,
      loop: performance.eventLoopUtilization(),
      delays: [...this.#parts.delays.counts],
    };
  }
}

/** The bound, in milliseconds, that 99 of 100 values since `before` keep; the last bound stands for more too. */
function lateness(
  bounds: readonly number[],
  now: readonly number[],
  before: readonly number[],
): number | null {
  const counts = now.map((value, bucket) => value - (before[bucket] ?? 0));
  const all = counts.reduce((sum, value) => sum + value, 0);
  if (all === 0) return null;
  let below = 0;
  for (const [bucket, bound] of bounds.entries()) {
    below += counts[bucket] ?? 0;
    if (below >= 0.99 * all) return bound * 1000;
  }
  return (bounds.at(-1) ?? 0) * 1000;
}
