import type { Worker } from 'node:cluster';
import { once } from 'node:events';

/** A supervisor's order to a worker: to accept nothing new and end, or to let another process replace it. */
export type WorkerOrder = 'stop' | 'hand over';

/** What a worker sends once it accepts requests. */
export const readyMessage = 'ready';

/**
 * How a process ended; `code` is null when a signal ended it, and both are null when it could not be started.
 */
export interface WorkerEnd {
  readonly code: number | null;
  readonly signal: string | null;
}

/** One server process from its supervisor's view. */
export class WorkerProcess {
  /** False once it has ended without having been ready. */
  readonly ready: Promise<boolean>;
  readonly ended: Promise<WorkerEnd>;
  readonly startedAt = performance.now();
  readonly #worker: Worker;
  #isReady = false;

  constructor(worker: Worker) {
    this.#worker = worker;
    this.ended = endOf(worker);
    this.ready = new Promise((resolve) => {
      worker.on('message', (message) => {
        if (message !== readyMessage) return;
        this.#isReady = true;
        resolve(true);
      });
      this.ended.then(() => resolve(false));
    });
  }

  /** Undefined when it could not be started. */
  get pid(): number | undefined {
    return this.#worker.process.pid;
  }

  get isReady(): boolean {
    return this.#isReady;
  }

  /** Sends an order; a worker that is not ready yet has nothing to finish and ends immediately. */
  order(order: WorkerOrder): void {
    if (!this.#isReady) this.signal('SIGKILL');
    else if (this.#worker.isConnected()) this.#worker.process.send(order, () => undefined);
  }

  /** Passes a signal on. */
  signal(signal: NodeJS.Signals): void {
    this.#worker.process.kill(signal);
  }

  /** Waits for its end, and kills it after `patience` milliseconds. */
  async untilEnded(patience: number): Promise<WorkerEnd> {
    const impatience = setTimeout(() => this.signal('SIGKILL'), patience);
    try {
      return await this.ended;
    } finally {
      clearTimeout(impatience);
    }
  }
}

async function endOf(worker: Worker): Promise<WorkerEnd> {
  const exited = once(worker, 'exit').then(([code, signal]: (number | string | null)[]) => ({
    code: typeof code === 'number' ? code : null,
    signal: typeof signal === 'string' ? signal : null,
  }));
  const { promise: failed, resolve } = Promise.withResolvers<WorkerEnd>();
  // Also emitted for undeliverable orders; only a process without an id never ran.
  worker.on('error', () => {
    if (worker.process.pid === undefined) resolve({ code: null, signal: null });
  });
  return Promise.race([exited.catch(() => failed), failed]);
}
