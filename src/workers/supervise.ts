import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { copyLines } from './copy-lines.ts';
import { Supervisor, type SupervisorOptions } from './supervisor.ts';
import { gatherForWorkers } from './worker-metrics.ts';
import { WorkerProcess } from './worker-process.ts';

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
