import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { HeadgateError } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { PipelineEntry } from '../core/route-report.ts';
import { FailedAuthentications } from '../edge/failed-authentications.ts';
import type { FoundAnswer } from '../edge/inference-services.ts';
import type { LoadState } from '../edge/load-guard.ts';
import { DependencyHealth } from '../metrics/dependency-health.ts';
import { GatewayMetrics } from '../metrics/gateway-metrics.ts';
import type { ShareMetrics } from '../metrics/metric-family.ts';
import type { Services } from '../pipeline/services.ts';
import { systemClock } from '../ports/clock.ts';
import type { SharedState } from '../ports/shared-state.ts';
import type { Storage } from '../ports/storage.ts';
import type { RanTool } from '../server-tools/server-tool.ts';
import { CachedHitTally } from './cached-hit-tally.ts';
import { CallNoteQueue } from './call-note-queue.ts';
import { createAlerts } from './create-alerts.ts';
import { logDependency } from './log-dependency.ts';
import { logGeneration } from './log-generation.ts';
import { ProcessWatch } from './process-watch.ts';
import { providerOutcomes } from './provider-outcomes.ts';
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
  const onSettled: Services['onSettled'] = (generation, caller, failure) => {
    counters.settled(generation, failure);
    alerts?.charged(generation.keyHash);
    if (generation.attempts.some(({ failure: why }) => why?.row === 'upstream_not_found')) onMissingModel();
    logGeneration(log, generation, caller.key.label, failure);
  };
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
    onSettled,
    onTool: (ran: RanTool) => counters.tools.add(ran),
    onBlocked: (entries: readonly PipelineEntry[]) => counters.reported(entries),
    /** What has to be closed. */
    observing: [health, metrics, alerts, cachedHits, callNotes, ownProcess],
    callNotes,
    onCacheLookup: (found: FoundAnswer | undefined) => {
      counters.lookedForCached(found?.saved);
      if (found !== undefined) cachedHits.add({ ...found, at: Date.now() });
    },
    onRefused: (error: HeadgateError) => {
      counters.refused(error);
      if (error.code === 'model_not_found') onMissingModel();
    },
  };
}

/** Undefined where nothing is kept beside records. */
function createCallNotes(
  rules: Config['observability'],
  { storage, log, notePause: pause }: Pick<Observed, 'storage' | 'log' | 'notePause'>,
): CallNoteQueue | undefined {
  if (!rules.refusals && rules.plans === 'off') return undefined;
  const onFailure = (err: unknown) => log.warn({ err }, 'notes of calls are not stored yet');
  return new CallNoteQueue(storage.callNotes, rules, { clock: systemClock, onFailure, pause });
}
