import { packageVersion } from '../core/package-version.ts';
import type { DependencyHealth } from './dependency-health.ts';
import { EventLoopDelay } from './event-loop-delay.ts';
import { GatewayCounters } from './gateway-counters.ts';
import { metricFamilies } from './metric-families.ts';
import type { Snapshot, Traffic } from './metric-family.ts';
import { readProcessFigures } from './process-figures.ts';
import { toText } from './text-format.ts';

/** What metrics are read from besides the counters. */
export interface MetricSources {
  readonly health: Pick<DependencyHealth, 'check'>;
  readonly traffic: () => Traffic;
  /** Charges that are durable but not in the database yet. */
  readonly waitingCharges: () => number;
}

/** The metrics of this process: counted as things happen, read only when somebody asks. */
export class GatewayMetrics {
  readonly counters = new GatewayCounters();
  readonly #eventLoop = new EventLoopDelay();
  readonly #version = packageVersion();
  readonly #sources: MetricSources;

  constructor(sources: MetricSources) {
    this.#sources = sources;
  }

  /** Every value of this moment. */
  async read(): Promise<Snapshot> {
    const { health, traffic, waitingCharges } = this.#sources;
    const figures = {
      dependencies: await health.check(),
      process: await readProcessFigures(),
      counters: this.counters,
      eventLoopDelays: this.#eventLoop.delays,
      traffic: traffic(),
      waitingCharges: waitingCharges(),
      version: this.#version,
    };
    return Object.fromEntries(metricFamilies.map(({ name, read }) => [name, read(figures)]));
  }

  /** The same as text (operations.md 4). */
  async render(): Promise<string> {
    return toText(await this.read());
  }

  /** Measures no more. */
  close(): void {
    this.#eventLoop.close();
  }
}
