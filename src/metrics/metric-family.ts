import type { DependencyStates } from './dependency-health.ts';
import type { GatewayCounters, Histogram } from './gateway-counters.ts';
import type { ProcessFigures } from './process-figures.ts';

/** The sources of one process's metrics, at one moment. */
export interface Figures {
  readonly counters: GatewayCounters;
  readonly eventLoopDelays: Histogram;
  readonly traffic: Traffic;
  readonly dependencies: DependencyStates;
  readonly waitingCharges: number;
  readonly process: ProcessFigures;
  readonly version: string;
}

/** What is running at this moment. */
export interface Traffic {
  readonly running: number;
  /** The part of them whose answer is a stream. */
  readonly streams: number;
}

/** A histogram's values, which can be added to another process's. */
export type HistogramValue = Pick<Histogram, 'bounds' | 'counts' | 'sum'>;

/** One series: the values of the family's labels in order, and its current value. */
export interface Sample {
  readonly labels: readonly string[];
  readonly value: number | HistogramValue;
}

/** One metric: its name, its meaning, and how to read it. */
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

/** The values of one of several processes on a port. */
export interface WorkerSnapshot {
  /** Its process id. */
  readonly worker: number;
  readonly snapshot: Snapshot;
}

/**
 * Joins the exchange of processes on one port: answers with `read` when another one asks, and returns the function
 * that asks all of them, this one included. Processes that do not answer in time are left out.
 */
export type ShareMetrics = (read: () => Promise<Snapshot>) => () => Promise<readonly WorkerSnapshot[]>;
