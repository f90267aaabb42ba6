import { metricFamilies } from './metric-families.ts';
import type { HistogramValue, MetricFamily, Sample, Snapshot, WorkerSnapshot } from './metric-family.ts';

/** The media type of the text below. */
export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

/** Samples in the text format of Prometheus. */
export function toText(snapshot: Snapshot): string {
  return metricFamilies
    .map((family) => familyText(family, family.labels, snapshot[family.name] ?? []))
    .join('');
}

/**
 * Samples of several processes, each series with its process id, because counters restart with their process.
 */
export function toTextOfWorkers(workers: readonly WorkerSnapshot[]): string {
  return metricFamilies
    .map((family) => {
      const samples = workers.flatMap(({ worker, snapshot }) =>
        (snapshot[family.name] ?? []).map(({ labels, value }) => ({
          labels: [...labels, String(worker)],
          value,
        })),
      );
      return familyText(family, [...family.labels, 'worker'], samples);
    })
    .join('');
}

function familyText(
  { name, type, help }: MetricFamily,
  labels: readonly string[],
  samples: readonly Sample[],
): string {
  const lines = samples.map((sample) => {
    const pairs = labels.map((label, place) => `${label}="${escapeLabel(sample.labels[place] ?? '')}"`);
    const { value } = sample;
    return typeof value === 'number' ? line(name, pairs, value) : histogramLines(name, pairs, value);
  });
  return `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function histogramLines(
  name: string,
  pairs: readonly string[],
  { bounds, counts, sum }: HistogramValue,
): string {
  let total = 0;
  const buckets = counts.map((count, place) => {
    total += count;
    return line(`${name}_bucket`, [...pairs, `le="${bounds[place] ?? '+Inf'}"`], total);
  });
  return `${buckets.join('')}${line(`${name}_sum`, pairs, sum)}${line(`${name}_count`, pairs, total)}`;
}

function line(name: string, pairs: readonly string[], value: number): string {
  return `${name}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}\n`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function escapeHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
