import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { ContentLog } from '../content/content-log.ts';
import { pruneContents } from '../content/prune-contents.ts';
import type { QueuePauses } from '../destinations/destination-queue.ts';
import { type DestinationParts, Destinations, destinationEgress } from '../destinations/destinations.ts';
import { EgressGuard } from '../egress/egress-guard.ts';
import type { TextScanner } from '../guardrails/content-scanner.ts';
import type { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import { proxyFor } from '../network/proxy-rules.ts';
import { systemClock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import { SharedTraces } from '../telemetry/request-traces.ts';
import { startTelemetry } from '../telemetry/telemetry.ts';
import { TraceContext } from '../telemetry/trace-context.ts';
import { packageVersion } from '../util/package-version.ts';
import { DayKeyVault } from '../vault/content-vault.ts';
import { DestinationSecrets } from '../vault/destination-secrets.ts';
import type { KeySource } from '../vault/key-source.ts';

/** Milliseconds, which tests shorten. */
export type DestinationPauses = Partial<QueuePauses> & { readonly look?: number };

interface TracingParts {
  readonly storage: Storage;
  readonly log: Logger;
  readonly keys: KeySource;
  readonly metrics: GatewayMetrics;
  readonly scanner: TextScanner;
  /** Undefined where no alerts are configured. */
  readonly alerts?: { destinationState: DestinationParts['onState'] } | undefined;
  readonly destinationPauses?: DestinationPauses | undefined;
  readonly contentPause?: number | undefined;
}

/** Starts what gets notes of requests: the operator's collector, and the destinations of workspaces. */
export async function createTracing(current: { readonly config: Config }, parts: TracingParts) {
  const { config } = current;
  const { log, metrics } = parts;
  const version = packageVersion();
  const telemetry = await startTelemetry(config.telemetry, {
    log,
    metrics,
    onSpans: (result, spans) => metrics.counters.exports.addMany(spans, 'traces', result),
    version,
  });
  const destinations = createDestinations(current, parts, version);
  const contentVault = new DayKeyVault(
    { keys: parts.keys, store: parts.storage.credentials },
    parts.storage.contents,
  );
  const contentLog = config.contentLogging.enabled
    ? createContentLog(current, parts, contentVault)
    : undefined;
  const { enabled } = config.observability.destinations;
  if (enabled) await destinations.look();
  const context = new TraceContext(config.telemetry, () => systemClock.now());
  const others = [...(enabled ? [destinations] : []), ...(contentLog === undefined ? [] : [contentLog])];
  const isUsed = others.length > 0 || telemetry?.traces !== undefined;
  return {
    traces: isUsed ? new SharedTraces(context, telemetry?.traces, others) : undefined,
    destinationDesk: destinations,
    contentVault,
    /** What has to be closed. */
    tracing: [telemetry, destinations, contentLog, createPruner(parts)],
  };
}

function createPruner({ storage, log }: TracingParts) {
  return pruneContents({
    contents: storage.contents,
    feedback: storage.feedback,
    now: () => systemClock.now(),
    onFailure: (err) => log.warn({ err }, 'what is too old of what was said is not removed yet'),
  });
}

function createContentLog(
  current: { readonly config: Config },
  { storage, log, metrics, contentPause: pause }: TracingParts,
  vault: DayKeyVault,
): ContentLog {
  return new ContentLog({
    store: storage.contents,
    vault,
    rules: () => current.config.contentLogging,
    onItems: (result, count) => metrics.counters.contents.addMany(count, result),
    onFailure: (err) => log.warn({ err }, 'what was said is not kept yet, or not at all'),
    pause,
  });
}

function createDestinations(
  current: { readonly config: Config },
  { storage, log, keys, metrics, scanner, alerts, destinationPauses = {} }: TracingParts,
  version: string,
): Destinations {
  const rules = () => current.config.observability.destinations;
  const egress = () => destinationEgress(rules());
  const { look, ...pauses } = destinationPauses;
  const guard = new EgressGuard(egress, { timeouts: { connect: 5_000, headers: 10_000, total: 10_000 } });
  return new Destinations({
    store: storage.destinations,
    secrets: new DestinationSecrets({ keys, store: storage.credentials }, storage.destinations),
    scanner,
    sender: {
      guard,
      egress,
      proxyFor: (url) => proxyFor(url, current.config.proxies),
      now: () => systemClock.now(),
    },
    rules,
    conventions: current.config.telemetry.conventions,
    version,
    now: () => systemClock.now(),
    onState: alerts?.destinationState,
    onItems: (type, result, count) => metrics.counters.exports.addMany(count, type, result),
    onFailure: (err, destination) => log.warn({ err, destination }, 'a destination of traces cannot be used'),
    pauses,
    lookPause: look,
  });
}
