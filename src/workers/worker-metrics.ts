import type { Worker } from 'node:cluster';
import { randomUUID } from 'node:crypto';
import type { ShareMetrics, Snapshot, WorkerSnapshot } from '../metrics/metric-family.ts';

/** Milliseconds for a worker to report its metrics, which is more than a hanging database takes of them. */
const workerPatience = 3000;
/** Milliseconds that a worker waits for what its supervisor collects. */
const gatherPatience = 4000;

/** Messages about metrics between supervisor and workers, in both directions, distinguished by `kind`. */
type MetricsMessage =
  /** A worker requests the metrics of all; the supervisor requests one worker's. */
  | { readonly kind: 'metrics requested'; readonly round: string }
  | { readonly kind: 'metrics reported'; readonly round: string; readonly snapshot: Snapshot }
  | {
      readonly kind: 'metrics collected';
      readonly round: string;
      readonly workers: readonly WorkerSnapshot[];
    };

/** The worker's part: reports its metrics to the supervisor, and requests those of all. */
export const shareWithWorkers: ShareMetrics = (read) => {
  const rounds = new Map<string, (workers: readonly WorkerSnapshot[]) => void>();
  process.on('message', (message) => {
    if (!isMetricsMessage(message)) return;
    const { kind, round } = message;
    if (kind === 'metrics collected') rounds.get(round)?.(message.workers);
    else if (kind === 'metrics requested') {
      read().then(
        (snapshot) => sendToSupervisor({ kind: 'metrics reported', round, snapshot }),
        () => undefined,
      );
    }
  });
  return async () => {
    const round = randomUUID();
    const { promise, resolve } = Promise.withResolvers<readonly WorkerSnapshot[]>();
    const timer = setTimeout(() => resolve([]), gatherPatience);
    rounds.set(round, resolve);
    sendToSupervisor({ kind: 'metrics requested', round });
    const workers = await promise;
    clearTimeout(timer);
    rounds.delete(round);
    // Without an answer from the supervisor, it reports its own metrics.
    return workers.length > 0 ? workers : [{ worker: process.pid, snapshot: await read() }];
  };
};

/**
 * The supervisor's part: whenever one worker requests the metrics of all, asks every reachable worker.
 * @param everyone returns the workers that run at that moment.
 */
export function gatherForWorkers(worker: Worker, everyone: () => readonly Worker[]): void {
  worker.on('message', (message) => {
    if (!isMetricsMessage(message) || message.kind !== 'metrics requested') return;
    const { round } = message;
    void Promise.all(everyone().map((other) => askWorker(other, round))).then((snapshots) => {
      send(worker, {
        kind: 'metrics collected',
        round,
        workers: snapshots.filter((one) => one !== undefined),
      });
    });
  });
}

function askWorker(worker: Worker, round: string): Promise<WorkerSnapshot | undefined> {
  const { promise, resolve } = Promise.withResolvers<WorkerSnapshot | undefined>();
  const onMessage = (message: unknown) => {
    if (!isMetricsMessage(message) || message.kind !== 'metrics reported' || message.round !== round) return;
    end({ worker: worker.process.pid ?? 0, snapshot: message.snapshot });
  };
  const onExit = () => end(undefined);
  const timer = setTimeout(onExit, workerPatience);
  const end = (snapshot: WorkerSnapshot | undefined) => {
    clearTimeout(timer);
    worker.off('message', onMessage);
    worker.off('exit', onExit);
    resolve(snapshot);
  };
  worker.on('message', onMessage);
  worker.on('exit', onExit);
  send(worker, { kind: 'metrics requested', round });
  return promise;
}

function sendToSupervisor(message: MetricsMessage): void {
  process.send?.(message, undefined, undefined, () => undefined);
}

function send(worker: Worker, message: MetricsMessage): void {
  if (worker.isConnected()) worker.process.send(message, () => undefined);
}

const kinds: ReadonlySet<unknown> = new Set(['metrics requested', 'metrics reported', 'metrics collected']);

function isMetricsMessage(message: unknown): message is MetricsMessage {
  return typeof message === 'object' && message !== null && 'kind' in message && kinds.has(message.kind);
}
