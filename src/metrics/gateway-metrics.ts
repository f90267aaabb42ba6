import { packageVersion } from '../util/package-version.ts';
import type { DependencyHealth } from './dependency-health.ts';
import { GatewayCounters, Histogram } from './gateway-counters.ts';
import { metricFamilies } from './metric-families.ts';
import type { ShareMetrics, Snapshot, Traffic, WorkerSnapshot } from './metric-family.ts';
import { readProcessFigures } from './process-figures.ts';
import { toText, toTextOfWorkers } from './text-format.ts';

/** What metrics read besides the counters. */
export interface MetricSources {
  readonly health: Pick<DependencyHealth, 'check'>;
  readonly traffic: () => Traffic;
  /** Charges that are durable but not in the database yet. */
  readonly waitingCharges: () => number;
  /** Set where other processes listen on the same port: then the process that answers reports for all. */
  readonly share?: ShareMetrics;
}

/** The metrics of this process: counted as things happen, read only on demand. */
export class GatewayMetrics {
  readonly counters = new GatewayCounters();
  readonly #eventLoop = new EventLoopDelay();
  readonly #version = packageVersion();
  readonly #sources: MetricSources;
  readonly #askAll: (() => Promise<readonly WorkerSnapshot[]>) | undefined;

  constructor(sources: MetricSources) {
    this.#sources = sources;
    this.#askAll = sources.share?.(() => this.read());
  }

  /** How late timers of this process come, in seconds. */
  get eventLoopDelays(): Histogram {
    return this.#eventLoop.delays;
  }

  /** Every current value. */
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

  /** The values as text (docs/spec/operations.md#metrics), including those of every other process on the port. */
  async render(): Promise<string> {
    return this.#askAll === undefined ? toText(await this.read()) : toTextOfWorkers(await this.#askAll());
  }

  /** Stops measuring. */
  close(): void {
    this.#eventLoop.close();
  }
}

/** Milliseconds between two samples. */
const interval = 100;

/** Seconds of delay. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Measures the delay of timers, which is also how long the event loop is blocked. */
class EventLoopDelay {
  readonly delays = new Histogram(bounds);
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let expected = performance.now() + interval;
    this.#timer = setInterval(() => {
      const now = performance.now();
      this.delays.observe(Math.max(now - expected, 0) / 1000);
      expected = now + interval;
    }, interval).unref();
  }

  /** Stops measuring. */
  close(): void {
    clearInterval(this.#timer);
  }
}
