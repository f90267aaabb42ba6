import type { DependencyStates } from './dependency-health.ts';
import type { GatewayCounters } from './gateway-counters.ts';
import type { Histogram } from './histogram.ts';
import type { ProcessFigures } from './process-figures.ts';

/** Everything the metrics of one process are read from, at one moment. */
export interface Figures {
  readonly counters: GatewayCounters;
  readonly eventLoopDelays: Histogram;
  readonly traffic: Traffic;
  readonly dependencies: DependencyStates;
  readonly waitingCharges: number;
  readonly process: ProcessFigures;
  readonly version: string;
}

/** What runs at this moment. */
export interface Traffic {
  readonly running: number;
  /** Those of them whose answer is a stream. */
  readonly streams: number;
}

/** A histogram's values, so that they can be added to those of another process. */
export type HistogramValue = Pick<Histogram, 'bounds' | 'counts' | 'sum'>;

/** One series: the values of the family's labels in their order, and its value now. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number | HistogramValue;
}

/** One metric: what it is called, what it means, and how it is read. */
export interface MetricFamily {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  /** One sentence for people. */
  readonly help: string;
  readonly labels: readonly string[];
  readonly read: (figures: Figures) => readonly Sample[];
}

/** The samples of one process by the names of their families; plain data. */
export type Snapshot = Readonly<Record<string, readonly Sample[]>>;

/** What one of several processes on a port tells. */
export interface WorkerSnapshot {
  /** Its process id. */
  readonly worker: number;
  readonly snapshot: Snapshot;
}

/**
 * Takes part in a round of processes on one port: answers with `read` when another one asks, and gives the way to ask
 * all of them, this one included. Who does not answer in time is left out.
 */
export type ShareMetrics = (read: () => Promise<Snapshot>) => () => Promise<readonly WorkerSnapshot[]>;
