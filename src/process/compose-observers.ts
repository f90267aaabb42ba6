import type { Logger } from 'pino';
import { AlertSender } from '../alerts/alert-sender.ts';
import { AlertWatch } from '../alerts/alert-watch.ts';
import { type ProviderOutcomes, ProviderWatch } from '../alerts/provider-watch.ts';
import { destinationAlert, destinationPlace } from '../alerts/raised-alerts.ts';
import type { Config } from '../config/config.ts';
import type { Catalogue, Endpoint, Provider } from '../core/catalogue.ts';
import type { Limits } from '../core/limits.ts';
import { usdToNumber } from '../core/money.ts';
import { totalInput } from '../core/usage.ts';
import { FailedAuthentications } from '../edge/failed-authentications.ts';
import type { LoadState } from '../edge/load-guard.ts';
import { DependencyHealth } from '../metrics/dependency-health.ts';
import type { GatewayCounters } from '../metrics/gateway-counters.ts';
import { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { ShareMetrics } from '../metrics/metric-family.ts';
import { RequestEvents, type RequestObserver } from '../pipeline/request-events.ts';
import type { AlertStore } from '../ports/alerts.ts';
import { systemClock } from '../ports/clock.ts';
import type { Destination, DestinationHealth } from '../ports/destinations.ts';
import { type EndpointStatistics, type OutcomeFacts, uptimeFailures } from '../ports/endpoint-statistics.ts';
import type { Generation, ProviderAttempt } from '../ports/generations.ts';
import type { SharedState, SharedStateHealth } from '../ports/shared-state.ts';
import type { Storage } from '../ports/storage.ts';
import { sharedKeyName } from '../routing/own-credentials.ts';
import type { SettledFacts } from '../settlement/call-settlement.ts';
import { CachedHitTally } from './cached-hit-tally.ts';
import { CallNoteQueue } from './call-note-queue.ts';
import { logDependency } from './log-dependency.ts';
import { ProcessWatch } from './process-watch.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';

interface Observed {
  readonly storage: Storage;
  readonly log: Logger;
  readonly load: LoadState;
  readonly alertPause?: number;
  readonly notePause?: number;
  readonly reportPause?: number;
  readonly catalogue: () => Catalogue;
  /** Called when a request named a model that is not there, here or at its provider. */
  readonly onMissingModel: () => void;
  /** Given where other processes answer on the same port. */
  readonly shareMetrics?: ShareMetrics;
}

/** Creates what is notified of the outcome of requests, and what informs operators. */
export function createObservers(
  { alerts: rules, observability }: Pick<Config, 'alerts' | 'observability'>,
  observed: Observed,
  shared: SharedState,
  lifecycle: RequestLifecycle,
  limits: () => Limits,
) {
  const { storage, log, catalogue, shareMetrics, alertPause, notePause, onMissingModel } = observed;
  const health = new DependencyHealth(storage, () => shared.state(), {
    onChange: (change, reason) => logDependency(log, change, reason),
  });
  health.watch();
  const waitingCharges = () => storage.waitingCharges ?? 0;
  const metrics = new GatewayMetrics({
    health,
    traffic: () => lifecycle.traffic,
    waitingCharges,
    share: shareMetrics,
  });
  const ownProcess = new ProcessWatch({
    store: storage.processes,
    clock: systemClock,
    lifecycle,
    load: observed.load,
    health,
    waitingCharges,
    delays: metrics.eventLoopDelays,
    pause: observed.reportPause,
  });
  const { counters } = metrics;
  const outcomes = () => providerOutcomes(catalogue(), shared.statistics);
  const alerts = createAlerts(rules, { storage, log, outcomes, alertPause }, counters);
  const cachedHits = new CachedHitTally(storage.cachedHits, (err) =>
    log.warn({ err }, 'hits of cached answers are not stored yet'),
  );
  const callNotes = createCallNotes(observability, { storage, log, notePause });
  const failedAuthentications = new FailedAuthentications(
    () => limits().failedAuthentication.perMinute,
    (reason) => counters.failedAuthentications.add(reason),
  );
  return {
    health,
    metrics,
    alerts,
    ownProcess,
    failedAuthentications,
    events: new RequestEvents([
      countEvents(counters),
      ...(alerts === undefined ? [] : [alerts]),
      ...(callNotes === undefined ? [] : [callNotes]),
      cachedHits,
      findMissingModels(onMissingModel),
      { settled: (facts) => logGeneration(log, facts) },
    ]),
    /** What has to be closed. */
    observing: [health, metrics, alerts, cachedHits, callNotes, ownProcess],
  };
}

function countEvents(counters: GatewayCounters): RequestObserver {
  return {
    blocked: (entries) => counters.reported(entries),
    lookedForCached: (found) => counters.lookedForCached(found?.saved),
    ranTool: (ran) => counters.tools.add(ran),
    settled: ({ generation, failure, commitTime }) => counters.settled(generation, failure, commitTime),
    refused: (error) => counters.refused(error),
  };
}

/** Hears where a request named a model that is not there, here or at its provider. */
function findMissingModels(onMissing: () => void): RequestObserver {
  return {
    settled({ generation: { attempts } }) {
      if (attempts.some(({ failure }) => failure?.row === 'upstream_not_found')) onMissing();
    },
    refused({ code }) {
      if (code === 'model_not_found') onMissing();
    },
  };
}

/** Undefined where nothing is kept beside records. */
function createCallNotes(
  rules: Omit<Config['observability'], 'destinations'>,
  { storage, log, notePause: pause }: Pick<Observed, 'storage' | 'log' | 'notePause'>,
): CallNoteQueue | undefined {
  if (!rules.refusals && rules.plans === 'off') return undefined;
  const onFailure = (err: unknown) => log.warn({ err }, 'notes of calls are not stored yet');
  return new CallNoteQueue(storage.callNotes, rules, { clock: systemClock, onFailure, pause });
}

/** Milliseconds between two looks at what was charged, and at what waits to be sent. */
const usualPause = 5_000;
/** How far back charges are looked at after a start, which a process that died may not have seen. */
const lookBack = 2 * 3_600_000;
const quarter = 15 * 60_000;
const mostKeys = 1_000;

/** Alerts of a server. */
interface Alerts extends RequestObserver {
  /** How sending to a destination goes from now on. */
  destinationState(destination: Destination, health: DestinationHealth): void;
  /** Stops for good. What waits to be sent stays in the database. */
  close(): void;
}

/** What alerts need. */
interface AlertParts {
  readonly storage: Pick<Storage, 'alerts' | 'callers' | 'usage'>;
  readonly log: Logger;
  /** What attempts at providers came to lately. */
  readonly outcomes: () => readonly ProviderOutcomes[];
  /** Milliseconds between two looks; for tests. */
  readonly alertPause?: number;
}

/** Alerts by webhook, or undefined where none is configured: then nothing is noted. */
function createAlerts(
  { webhook, secret, thresholds, balance, spendPerHour }: Config['alerts'],
  { storage, log, outcomes, alertPause: pause = usualPause }: AlertParts,
  counters: GatewayCounters,
): Alerts | undefined {
  if (webhook === undefined) return undefined;
  const rules = { webhook, secret, thresholds, balance, spendPerHour };
  const shared = {
    rules,
    alerts: storage.alerts,
    callers: storage.callers,
    usage: storage.usage,
    clock: systemClock,
    pause,
  };
  const reports = {
    onRaised: (type: string) => {
      counters.alerts.add(type, 'raised');
      log.warn({ alert: type }, 'an alert was raised');
    },
    onFailure: (err: unknown) =>
      log.warn({ err }, 'thresholds of alerts could not be checked; it is tried again'),
  };
  const watch = new AlertWatch({ ...shared, ...reports });
  const providers = new ProviderWatch({ ...shared, ...reports, outcomes });
  const sender = new AlertSender({
    ...shared,
    onSent: ({ type }) => counters.alerts.add(type, 'delivered'),
    onFailed: (alert, reason, isGivenUp) => {
      counters.alerts.add(alert.type, isGivenUp ? 'given_up' : 'failed');
      const fields = { alert: alert.id, type: alert.type, reason };
      if (isGivenUp) log.error(fields, 'an alert could not be delivered and is given up');
      else log.warn(fields, 'an alert could not be delivered; it is tried again');
    },
    onFailure: (err) => log.warn({ err }, 'alerts could not be read from the database; it is tried again'),
  });
  noteRecent(storage, watch);
  return {
    settled: ({ generation }) => watch.charged(generation.keyHash),
    destinationState: (destination, health) => {
      noteDestination(storage.alerts, destination, health).then((type) => {
        if (type !== undefined) reports.onRaised(type);
      }, reports.onFailure);
    },
    close: () => {
      watch.close();
      providers.close();
      sender.close();
    },
  };
}

/** The type of what was raised, if anything was. */
async function noteDestination(
  alerts: AlertStore,
  destination: Destination,
  health: DestinationHealth,
): Promise<string | undefined> {
  const now = systemClock.now();
  if (health.state === 'ok') await alerts.rearm(destinationPlace(destination), now);
  if (health.state !== 'paused') return undefined;
  const alert = destinationAlert(destination, health, now);
  return (await alerts.raise(alert)) ? alert.type : undefined;
}

/** Looks again at keys that were charged shortly before the start. */
function noteRecent({ usage }: Pick<Storage, 'usage'>, watch: AlertWatch): void {
  const now = Math.floor(systemClock.now() / quarter) * quarter;
  const range = { from: now - lookBack, to: now + quarter };
  usage.totals({ range, filters: {}, dimension: 'key' }, mostKeys).then(
    (keys) => {
      for (const { value } of keys) watch.charged(value);
    },
    // The next charge of each key is looked at anyway.
    () => undefined,
  );
}

/**
 * Statuses of attempts that an operator may have to act on: credentials, credit and limits; all from 500 on too.
 */
const troubling: ReadonlySet<number> = new Set([401, 402, 403, 429]);

/**
 * Writes the one log line of a request that reached a provider (docs/spec/operations.md#logs): never contents, never a
 * key. Names each failed endpoint with the reason, even when another one answered.
 */
function logGeneration(log: Logger, { generation, caller, failure, traceId }: SettledFacts): void {
  const failures = generation.attempts.filter(({ failure }) => failure !== undefined).map(showAttempt);
  const line = {
    id: generation.id,
    trace_id: traceId,
    key: caller.key.label,
    model: generation.model ?? generation.requestedModel,
    provider: generation.provider,
    credential: generation.credentialId,
    status: statusOf(generation),
    finish: generation.cancelled ? 'cancelled' : generation.finishReason,
    error: generation.errorType,
    failures: failures.length === 0 ? undefined : failures,
    streamed: generation.streamed,
    latency: generation.latency,
    duration: generation.settledAt - generation.createdAt,
    input: totalInput(generation.usage),
    output: generation.usage.output,
    implausible: generation.implausibleUsage,
    cost: generation.unpriced ? null : usdToNumber(generation.cost),
  };
  const isServed = generation.cancelled || generation.finishReason !== 'error';
  const brokeOff = !isServed && generation.latency !== undefined;
  const needsAttention =
    brokeOff ||
    generation.implausibleUsage !== undefined ||
    failures.some(({ status }) => status >= 500 || troubling.has(status));
  if (failure !== undefined) log.error({ ...line, err: failure }, 'served, but not booked');
  else log[needsAttention ? 'warn' : 'info'](line, isServed ? 'served' : 'failed');
}

/** The first status that the client got; undefined where the line of the refusal has it. */
function statusOf({ cancelled, finishReason, streamed, latency }: Generation): number | undefined {
  if (cancelled) return 499;
  return finishReason !== 'error' || (streamed && latency !== undefined) ? 200 : undefined;
}

function showAttempt({ provider, tag, keyPosition, status, failure, latency }: ProviderAttempt) {
  return { provider, tag, key: keyPosition, status, reason: failure?.row, code: failure?.code, latency };
}

/** What attempts at each provider came to lately, with credentials of the operator; providers without any are left out. */
function providerOutcomes(
  { models }: Catalogue,
  statistics: EndpointStatistics,
): readonly ProviderOutcomes[] {
  const found = new Map<string, ProviderOutcomes>();
  for (const { endpoints } of models.values()) {
    for (const endpoint of endpoints) {
      for (const facts of factsOf(endpoint, statistics)) add(found, endpoint.provider, facts);
    }
  }
  return [...found.values()].filter(({ failures, successes }) => failures + successes > 0);
}

/** Of the first credential of the operator, and of further ones. */
function factsOf(endpoint: Endpoint, statistics: EndpointStatistics): readonly OutcomeFacts[] {
  const further = endpoint.provider.sharedKeys?.length ?? 0;
  const names = [undefined, ...Array.from({ length: further }, (_, index) => sharedKeyName(index + 1))];
  return names.flatMap((credentialId) => statistics.outcomes({ endpoint, credentialId }) ?? []);
}

function add(found: Map<string, ProviderOutcomes>, { slug, name }: Provider, facts: OutcomeFacts): void {
  const known = found.get(slug) ?? { slug, name, failures: 0, successes: 0, recentSuccesses: 0 };
  const counts = facts.outcomes('5m');
  found.set(slug, {
    ...known,
    failures: known.failures + uptimeFailures.reduce((sum, outcome) => sum + counts[outcome], 0),
    successes: known.successes + counts.success,
    recentSuccesses: known.recentSuccesses + facts.outcomes('30s').success,
  });
}

/** Logs when shared state is lost, with the reason, and when it is back. */
export function logSharedState(log: Logger, health: SharedStateHealth, err: unknown): void {
  if (health === 'ok') log.info('shared state is reachable');
  else if (health === 'local') log.error({ err }, 'shared state is unreachable: this process decides alone');
  else log.error({ err }, 'shared state is unreachable: requests that need it are refused');
}
