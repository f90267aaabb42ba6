import { type HrTime, ValueType } from '@opentelemetry/api';
import { emptyResource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  type CollectionResult,
  DataPointType,
  type MetricData,
  type MetricProducer,
} from '@opentelemetry/sdk-metrics';
import { metricFamilies } from '../metrics/metric-families.ts';
import type { HistogramValue, MetricFamily, Sample, Snapshot } from '../metrics/metric-family.ts';

/** Where values are read. */
export interface MetricSource {
  read(): Promise<Snapshot>;
}

/** What one point of a series says; `delta` is what came since the last export. */
type Temporality = 'cumulative' | 'delta';

/**
 * Reads the counters of `/metrics` for an export: there is no second instrument, so both always agree
 * (docs/spec/telemetry.md#metrics).
 */
export class MetricFamiliesProducer implements MetricProducer {
  readonly #source: MetricSource;
  readonly #temporality: Temporality;
  readonly #version: string;
  #since = Date.now();
  readonly #startedAt = this.#since;
  /** Values of the last export by series, where deltas are sent. There are as many as `/metrics` has lines. */
  #last = new Map<string, Sample['value']>();

  constructor(
    source: MetricSource,
    { temporality, version }: { readonly temporality: Temporality; readonly version: string },
  ) {
    this.#source = source;
    this.#temporality = temporality;
    this.#version = version;
  }

  async collect(): Promise<CollectionResult> {
    const snapshot = await this.#source.read();
    const now = Date.now();
    const from = this.#temporality === 'delta' ? this.#since : this.#startedAt;
    const times = { startTime: hrTime(from), endTime: hrTime(now) };
    const metrics = metricFamilies.map((family) =>
      this.#metricOf(family, snapshot[family.name] ?? [], times),
    );
    this.#since = now;
    const scope = { name: 'headgate', version: this.#version };
    const scopeMetrics = [{ scope, metrics: metrics.filter(({ dataPoints }) => dataPoints.length > 0) }];
    return { resourceMetrics: { resource: emptyResource(), scopeMetrics }, errors: [] };
  }

  #metricOf(family: MetricFamily, samples: readonly Sample[], times: Times): MetricData {
    const isTotal = family.type !== 'gauge';
    const isDelta = this.#temporality === 'delta' && isTotal;
    const base = {
      descriptor: {
        name: metricName(family),
        description: family.help,
        unit: unitOf(family.name),
        valueType: ValueType.DOUBLE,
      },
      aggregationTemporality: isDelta ? AggregationTemporality.DELTA : AggregationTemporality.CUMULATIVE,
    };
    const points = samples.map(({ labels, value }) => ({
      ...times,
      attributes: Object.fromEntries(family.labels.map((name, place) => [name, labels[place] ?? ''])),
      value: isDelta ? this.#gainOf(`${family.name}\n${labels.join('\n')}`, value) : value,
    }));
    if (family.type === 'histogram') {
      const dataPoints = points.flatMap(({ value, ...point }) =>
        typeof value === 'number' ? [] : [{ ...point, value: histogramOf(value) }],
      );
      return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
    }
    const dataPoints = points.flatMap(({ value, ...point }) =>
      typeof value === 'number' ? [{ ...point, value }] : [],
    );
    if (family.type === 'gauge') return { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
    return { ...base, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true };
  }

  /** What a series gained since the last export. */
  #gainOf(series: string, value: Sample['value']): Sample['value'] {
    const before = this.#last.get(series);
    this.#last.set(series, typeof value === 'number' ? value : { ...value, counts: [...value.counts] });
    if (before === undefined) return value;
    if (typeof value === 'number') return typeof before === 'number' ? value - before : value;
    if (typeof before === 'number') return value;
    const counts = value.counts.map((count, place) => count - (before.counts[place] ?? 0));
    return { bounds: value.bounds, counts, sum: value.sum - before.sum };
  }
}

interface Times {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

function histogramOf({ bounds, counts, sum }: HistogramValue) {
  const count = counts.reduce((total, one) => total + one, 0);
  return { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count };
}

function hrTime(milliseconds: number): HrTime {
  return [Math.floor(milliseconds / 1000), (milliseconds % 1000) * 1e6];
}

/** `headgate_requests_total` is `headgate.requests`; names of others stay. */
function metricName({ name }: MetricFamily): string {
  const plain = name.replace(/_total$/, '');
  return plain.startsWith('headgate_')
    ? `headgate.${plain.slice('headgate_'.length)}`
    : plain.replace('_', '.');
}

function unitOf(name: string): string {
  const plain = name.replace(/_total$/, '');
  if (plain.endsWith('_seconds')) return 's';
  if (plain.endsWith('_bytes')) return 'By';
  if (plain.endsWith('_usd')) return 'USD';
  return plain === 'headgate_requests' ? '{request}' : '1';
}
