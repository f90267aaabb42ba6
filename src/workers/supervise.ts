import cluster, { type Worker } from 'node:cluster';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Logger } from 'pino';
import { gatherForWorkers } from './worker-metrics.ts';
import { type WorkerEnd, WorkerProcess } from './worker-process.ts';

/** What to run, and how. */
export interface SuperviseOptions extends Omit<SupervisorOptions, 'start' | 'endTimeout' | 'log'> {
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long a worker's running requests may take after an order, in milliseconds. */
  readonly drainTimeout: number;
  /** Takes the workers' standard output as complete lines; without it they write there themselves. */
  readonly write?: (lines: string) => void;
}

/**
 * What a worker may take beyond its drain timeout: the grace of aborted requests, the quiet time, and closing.
 */
const endGrace = 25_000;

/**
 * Runs several processes of this program on one port until a signal stops it (docs/spec/operations.md#stopping,
 * docs/spec/operations.md#several-processes). The supervisor owns the listening socket, so it stays open while workers
 * come and go, and hands out connections in turn. SIGTERM and SIGINT let running requests finish, a second one ends
 * everything immediately; SIGHUP is passed on; SIGUSR2 replaces the workers one at a time.
 * @returns The exit code.
 */
export async function superviseWorkers(options: SuperviseOptions): Promise<number> {
  const { log, drainTimeout, write } = options;
  cluster.setupPrimary({
    stdio: ['ignore', write === undefined ? 'inherit' : 'pipe', 'inherit', 'ipc'],
  });
  const processes = new Map<Worker, WorkerProcess>();
  const ready = () => [...processes].flatMap(([worker, { isReady }]) => (isReady ? worker : []));
  const supervisor = new Supervisor({
    ...options,
    endTimeout: drainTimeout + endGrace,
    start: () => {
      const worker = cluster.fork();
      if (write !== undefined && worker.process.stdout) copyLines(worker.process.stdout, write);
      const started = new WorkerProcess(worker);
      processes.set(worker, started);
      worker.once('exit', () => processes.delete(worker));
      gatherForWorkers(worker, ready);
      return started;
    },
  });
  const stopped = untilSignalled(supervisor, log);
  const started = supervisor.start();
  const first = await Promise.race([started, stopped.then(() => undefined)]);
  if (first !== undefined) {
    // A worker that ended by itself has given the reason on standard error.
    if (first.code === null) log.error(first, 'the first worker ended before it was ready');
    return first.code || 1;
  }
  let stopping = false;
  started.then(() => {
    if (!stopping) log.info({ workers: options.workers }, 'the workers are ready');
  });
  const signal = await stopped;
  stopping = true;
  log.info({ signal }, 'stopping: running requests may finish');
  const ok = await supervisor.stop();
  log.info('stopped');
  return ok ? 0 : 1;
}

/** Resolves with the first stop signal. */
function untilSignalled(supervisor: Supervisor, log: SuperviseOptions['log']): Promise<NodeJS.Signals> {
  process.on('SIGHUP', () => supervisor.signal('SIGHUP'));
  process.on('SIGUSR2', () => {
    supervisor.replaceAll().catch((err) => log.error({ err }, 'the workers could not be replaced'));
  });
  return new Promise((resolve) => {
    let signalled = false;
    const stop = (signal: NodeJS.Signals) => {
      if (signalled) {
        supervisor.kill();
        process.exit(1);
      }
      signalled = true;
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

/**
 * Copies a process's output, complete lines at a time, so that lines of several writers never mix. An unterminated
 * last line becomes a line too.
 */
export function copyLines(source: Readable, write: (lines: string) => void): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  source.on('data', (bytes: Buffer) => {
    const text = rest + decoder.write(bytes);
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) write(text.slice(0, end));
    rest = text.slice(end);
  });
  source.once('close', () => {
    if (rest !== '') write(`${rest}\n`);
  });
}

/** The options of a supervisor. Times are milliseconds. */
interface SupervisorOptions {
  /** The number of processes to keep running. */
  readonly workers: number;
  /** Starts one; it reports itself when it is ready. Throws where the system has no room for another. */
  readonly start: () => WorkerProcess;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
  /** How long a worker may take to end after an order, including the drain timeout. */
  readonly endTimeout: number;
  /** How long a replacement may take until it is ready; long, because it may migrate the database. */
  readonly startTimeout?: number;
  /** The delay before the restart of the second worker that dies early; doubled up to the longest. */
  readonly firstDelay?: number;
  readonly longestDelay?: number;
  /** A worker that lived this long did not die early. */
  readonly settledAfter?: number;
}

/** A slot for one process, which may be replaced. */
interface Place {
  current: WorkerProcess | undefined;
  /** Consecutive early deaths. */
  early: number;
}

/**
 * Keeps a number of server processes running: replaces each that dies, can replace all of them one at a time without
 * a gap, and ends them together (docs/spec/operations.md#stopping, docs/spec/operations.md#several-processes).
 */
class Supervisor {
  readonly #options: Required<SupervisorOptions>;
  readonly #places: Place[] = [];
  /** Workers that are not yet, or no longer, in a slot. */
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
   * Starts the workers. The first one starts alone, because it prepares the database and reports faults of the
   * configuration; then the others. Returns undefined when it became ready, else how it ended.
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

  /** Replaces every worker, one at a time: the new process is ready before the old one stops accepting. */
  replaceAll(): Promise<void> {
    // A replacement that waits to begin already covers this request.
    if (this.#rollsWaiting > 0) return this.#roll;
    this.#rollsWaiting += 1;
    this.#roll = this.#roll.then(async () => {
      this.#rollsWaiting -= 1;
      await this.#replaceEach();
    });
    return this.#roll;
  }

  /** Passes a signal on to the workers that are ready for it. */
  signal(signal: NodeJS.Signals): void {
    for (const worker of this.#running()) if (worker.isReady) worker.signal(signal);
  }

  /** Lets every worker finish its requests within the time limit; returns true when all ended well. */
  async stop(): Promise<boolean> {
    const { endTimeout } = this.#options;
    this.#stopping = true;
    for (const wake of this.#waits) wake();
    const running = this.#running();
    for (const worker of running) worker.order('stop');
    const ends = running.filter((worker) => worker.isReady).map((worker) => worker.untilEnded(endTimeout));
    return (await Promise.all(ends)).every(({ code }) => code === 0);
  }

  /** Ends every worker immediately. */
  kill(): void {
    this.#stopping = true;
    for (const worker of this.#running()) worker.signal('SIGKILL');
  }

  #running(): readonly WorkerProcess[] {
    return [...this.#places.flatMap((place) => place.current ?? []), ...this.#passing];
  }

  /** Restarts a slot's process whenever it dies, until the supervisor stops. */
  async #keep(place: Place): Promise<void> {
    while (!this.#stopping) {
      const worker = place.current;
      const end = await worker?.ended;
      if (this.#stopping) return;
      // Another process took the slot meanwhile.
      if (place.current !== worker) continue;
      place.current = undefined;
      const delay = this.#delay(place, worker);
      if (worker !== undefined) {
        const details = { worker: worker.pid, ...end, startsIn: delay };
        this.#options.log.error(details, 'a worker ended; another one is started');
      }
      await this.#wait(delay);
      if (!this.#stopping) place.current ??= this.#start();
    }
  }

  /** Returns undefined where a start is impossible now, which is no reason to end running workers. */
  #start(): WorkerProcess | undefined {
    try {
      return this.#options.start();
    } catch (err) {
      this.#options.log.error({ err }, 'a worker could not be started');
      return undefined;
    }
  }

  /** The first death is repaired immediately; later ones in short succession wait longer each time. */
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

  /** Waits, unless the supervisor stops. */
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
