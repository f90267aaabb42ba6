import { randomUUID } from 'node:crypto';
import type { Resource } from '@opentelemetry/resources';
import type { PushMetricExporter } from '@opentelemetry/sdk-metrics';
import type { SpanExporter } from '@opentelemetry/sdk-trace';
import type { Logger } from 'pino';
import type { TelemetryConfig } from '../config/config.ts';
import type { MetricSource } from './metric-producer.ts';
import type { TraceSink } from './request-traces.ts';

/** What goes to the operator's collector while the server runs. */
export interface Telemetry {
  /** What gets notes of requests; undefined where no traces are sent. */
  readonly traces: TraceSink | undefined;
  /** Sends what waits, for some seconds at most, and stops. */
  close(): Promise<void>;
}

/** What it reads and where it reports. */
export interface TelemetryParts {
  readonly log: Logger;
  readonly version: string;
  readonly metrics: MetricSource;
  readonly onSpans: (sent: 'sent' | 'dropped', spans: number) => void;
}

/** Spans that wait to be sent, of one export, and milliseconds between two exports and of one. */
const mostWaiting = 4_096;
const batch = 512;
const pause = 5_000;
const longestExport = 10_000;
/** Milliseconds that a stopping server waits for its last export. */
const longestFlush = 5_000;

/**
 * Starts to send traces and metrics; undefined where no collector is named, and then nothing of OpenTelemetry is loaded
 * (docs/spec/telemetry.md).
 */
export async function startTelemetry(
  rules: TelemetryConfig,
  parts: TelemetryParts,
): Promise<Telemetry | undefined> {
  const { endpoint, traces, metrics } = rules;
  if (endpoint === undefined || !(traces || metrics.enabled)) return undefined;
  const { resourceFromAttributes } = await import('@opentelemetry/resources');
  const resource = resourceFromAttributes({
    'service.name': 'headgate',
    'service.version': parts.version,
    'service.instance.id': randomUUID(),
    ...rules.resource,
  });
  const tracing = traces ? await openTraces(rules, endpoint, { ...parts, resource }) : undefined;
  const metering = metrics.enabled ? await openMetrics(rules, endpoint, { ...parts, resource }) : undefined;
  return {
    traces: tracing?.channel,
    close: async () => {
      const over = new Promise((resolve) => setTimeout(resolve, longestFlush).unref());
      await Promise.race([Promise.allSettled([tracing?.close(), metering?.close()]), over]);
    },
  };
}

interface Parts extends TelemetryParts {
  readonly resource: Resource;
}

interface Exported<Channel> {
  readonly close: () => Promise<void>;
  readonly channel: Channel;
}

async function openTraces(
  rules: TelemetryConfig,
  endpoint: string,
  { resource, version, onSpans, log }: Parts,
): Promise<Exported<TraceSink>> {
  const [{ BatchSpanProcessor }, { TraceExport }, OTLPTraceExporter] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('./trace-export.ts'),
    traceExporter(rules.protocol),
  ]);
  const inner = new OTLPTraceExporter({
    url: signalAddress(endpoint, 'traces'),
    headers: rules.headers,
    timeoutMillis: longestExport,
  });
  const health = new ExportHealth(log, 'traces');
  let over: (spans: number) => void = () => undefined;
  const exporter: SpanExporter = {
    export: (spans, onResult) =>
      inner.export(spans, (result) => {
        over(spans.length);
        onSpans(result.code === succeeded ? 'sent' : 'dropped', spans.length);
        health.note(result.code === succeeded ? undefined : result.error);
        onResult(result);
      }),
    shutdown: () => inner.shutdown(),
  };
  const processor = new BatchSpanProcessor({
    exporter,
    maxQueueSize: mostWaiting,
    maxExportBatchSize: batch,
    scheduledDelayMillis: pause,
    // The exporter keeps its own time; no second export may begin beside one.
    exportTimeoutMillis: 2 * longestExport,
  });
  const settings = { resource, conventions: rules.conventions, version };
  const sent = new TraceExport(rules, {
    settings,
    mostWaiting,
    send: (span) => processor.onEnd(span),
    onDropped: (spans) => onSpans('dropped', spans),
  });
  over = (spans) => sent.exported(spans);
  return { channel: sent, close: () => processor.shutdown() };
}

async function openMetrics(
  { metrics: { interval, temporality }, protocol, headers }: TelemetryConfig,
  endpoint: string,
  { resource, version, metrics, log }: Parts,
): Promise<Exported<undefined>> {
  const [sdk, { MetricFamiliesProducer }, OTLPMetricExporter] = await Promise.all([
    import('@opentelemetry/sdk-metrics'),
    import('./metric-producer.ts'),
    metricExporter(protocol),
  ]);
  const inner = new OTLPMetricExporter({
    url: signalAddress(endpoint, 'metrics'),
    headers,
    timeoutMillis: longestExport,
  });
  const health = new ExportHealth(log, 'metrics');
  const exporter: PushMetricExporter = {
    export: (data, onResult) =>
      inner.export(data, (result) => {
        health.note(result.code === succeeded ? undefined : result.error);
        onResult(result);
      }),
    forceFlush: () => inner.forceFlush(),
    shutdown: () => inner.shutdown(),
  };
  const reader = new sdk.PeriodicExportingMetricReader({
    exporter,
    exportIntervalMillis: interval,
    exportTimeoutMillis: Math.min(longestExport, interval),
    metricProducers: [new MetricFamiliesProducer(metrics, { temporality, version })],
  });
  // It has no instruments of its own: the provider only gives the reader its resource and lets it begin.
  const provider = new sdk.MeterProvider({ resource, readers: [reader] });
  return { channel: undefined, close: () => provider.shutdown() };
}

/** The code of an export that succeeded. */
const succeeded = 0;

type Protocol = TelemetryConfig['protocol'];

async function traceExporter(protocol: Protocol) {
  const { OTLPTraceExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-trace-otlp-http')
      : await import('@opentelemetry/exporter-trace-otlp-proto');
  return OTLPTraceExporter;
}

async function metricExporter(protocol: Protocol) {
  const { OTLPMetricExporter } =
    protocol === 'http/json'
      ? await import('@opentelemetry/exporter-metrics-otlp-http')
      : await import('@opentelemetry/exporter-metrics-otlp-proto');
  return OTLPMetricExporter;
}

/** Where a collector takes one kind of signal. */
function signalAddress(endpoint: string, signal: 'traces' | 'metrics'): string {
  return endpoint.endsWith(`/v1/${signal}`) ? endpoint : `${endpoint.replace(/\/$/, '')}/v1/${signal}`;
}

/** Logs when exports begin to fail, and when they succeed again. */
class ExportHealth {
  readonly #log: Logger;
  readonly #signal: string;
  #isFailing = false;

  constructor(log: Logger, signal: string) {
    this.#log = log;
    this.#signal = signal;
  }

  /** @param error Why an export failed; undefined where it succeeded. */
  note(error: Error | undefined): void {
    const isFailing = error !== undefined;
    if (isFailing === this.#isFailing) return;
    this.#isFailing = isFailing;
    // Not the error itself, which holds what the collector answered.
    if (isFailing)
      this.#log.warn(
        { reason: error.message.slice(0, longestReason) },
        `${this.#signal} are not taken by the collector; what does not fit is dropped`,
      );
    else this.#log.info(`${this.#signal} are taken by the collector again`);
  }
}

const longestReason = 200;
