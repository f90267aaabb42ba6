import cluster from 'node:cluster';
import type { ShareMetrics } from '../metrics/metric-family.ts';
import { shareWithWorkers } from './worker-metrics.ts';
import { readyMessage, type WorkerOrder } from './worker-process.ts';

/** A worker's side of its supervisor. */
export interface Supervised {
  /** Resolves with the first order; when the supervisor is gone nobody listens any more, so it stops. */
  readonly ordered: Promise<WorkerOrder>;
  /** Resolves with the order to stop, whatever was ordered before. */
  readonly stopped: Promise<unknown>;
  /** Lets any process report the metrics of all. */
  readonly shareMetrics: ShareMetrics;
  /** Reports that requests are accepted from now on. */
  ready(): void;
}

/** This process as a worker; undefined without a supervisor. */
export function findSupervisor(): Supervised | undefined {
  const { worker } = cluster;
  if (!cluster.isWorker || worker === undefined) return undefined;
  // A terminal and some service managers signal the whole group, but only the supervisor reacts.
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGUSR2'] as const) process.on(signal, () => undefined);
  const stopped = new Promise<'stop'>((resolve) => {
    process.on('message', (message) => {
      if (message === 'stop') resolve(message);
    });
    worker.once('disconnect', () => {
      // Otherwise the runtime would end this process immediately, with all requests that it is answering.
      worker.exitedAfterDisconnect = true;
      resolve('stop');
    });
  });
  const replaced = new Promise<'hand over'>((resolve) => {
    process.on('message', (message) => {
      if (message === 'hand over') resolve(message);
    });
  });
  return {
    ordered: Promise.race([stopped, replaced]),
    stopped,
    shareMetrics: shareWithWorkers,
    ready: () => {
      process.send?.(readyMessage, undefined, undefined, () => undefined);
    },
  };
}
