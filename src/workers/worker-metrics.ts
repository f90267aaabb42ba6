import type { Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { ShareMetrics, Snapshot, WorkerSnapshot } from '../metrics/metric-family.ts';

/** Milliseconds a worker has to tell its metrics: more than a database that hangs takes of them. */
const workerPatience = 3000;
/** Milliseconds a worker waits for what its supervisor gathers. */
const gatherPatience = 4000;

/** What supervisor and workers tell each other of metrics; both ways, told apart by their kinds. */
type MetricsMessage =
  /** A worker wants those of all; the supervisor wants a worker's. */
  | { readonly kind: 'metrics wanted'; readonly round: string }
  | { readonly kind: 'metrics told'; readonly round: string; readonly snapshot: Snapshot }
  | {
      readonly kind: 'metrics gathered';
      readonly round: string;
      readonly workers: readonly WorkerSnapshot[];
    };

/** A worker's part: tells its metrics to the supervisor, and asks it for those of all. */
export const shareWithWorkers: ShareMetrics = (read) => {
  const rounds = new Map<string, (workers: readonly WorkerSnapshot[]) => void>();
  process.on('message', (message) => {
    if (!isMetricsMessage(message)) return;
    const { kind, round } = message;
    if (kind === 'metrics gathered') rounds.get(round)?.(message.workers);
    else if (kind === 'metrics wanted') {
      read().then(
        (snapshot) => tell({ kind: 'metrics told', round, snapshot }),
        () => undefined,
      );
    }
  });
  return async () => {
    const round = randomUUID();
    const { promise, resolve } = Promise.withResolvers<readonly WorkerSnapshot[]>();
    const timer = setTimeout(() => resolve([]), gatherPatience);
    rounds.set(round, resolve);
    tell({ kind: 'metrics wanted', round });
    const workers = await promise;
    clearTimeout(timer);
    rounds.delete(round);
    // A supervisor that does not answer is no reason to tell nothing.
    return workers.length > 0 ? workers : [{ worker: process.pid, snapshot: await read() }];
  };
};

/**
 * The supervisor's part: whenever one worker wants the metrics of all, asks every one that can be reached.
 * @param everyone Those that run at that moment.
 */
export function gatherForWorkers(worker: Worker, everyone: () => readonly Worker[]): void {
  worker.on('message', (message) => {
    if (!isMetricsMessage(message) || message.kind !== 'metrics wanted') return;
    const { round } = message;
    void Promise.all(everyone().map((other) => askWorker(other, round))).then((told) => {
      send(worker, { kind: 'metrics gathered', round, workers: told.filter((one) => one !== undefined) });
    });
  });
}

function askWorker(worker: Worker, round: string): Promise<WorkerSnapshot | undefined> {
  const { promise, resolve } = Promise.withResolvers<WorkerSnapshot | undefined>();
  const onMessage = (message: unknown) => {
    if (!isMetricsMessage(message) || message.kind !== 'metrics told' || message.round !== round) return;
    end({ worker: worker.process.pid ?? 0, snapshot: message.snapshot });
  };
  const onExit = () => end(undefined);
  const timer = setTimeout(onExit, workerPatience);
  const end = (told: WorkerSnapshot | undefined) => {
    clearTimeout(timer);
    worker.off('message', onMessage);
    worker.off('exit', onExit);
    resolve(told);
  };
  worker.on('message', onMessage);
  worker.on('exit', onExit);
  send(worker, { kind: 'metrics wanted', round });
  return promise;
}

function tell(message: MetricsMessage): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

function send(worker: Worker, message: MetricsMessage): void {
  if (worker.isConnected()) worker.process.send(message, () => undefined);
}

const kinds: ReadonlySet<unknown> = new Set(['metrics wanted', 'metrics told', 'metrics gathered']);

function isMetricsMessage(message: unknown): message is MetricsMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && kinds.has(message.kind);
}
