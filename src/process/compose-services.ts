import type { Logger } from 'pino';
import { findProvider, knownProviders } from '../catalogue/build-providers.ts';
import { CurrentCatalogue } from '../catalogue/catalogue-at.ts';
import type { Config } from '../config/config.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { WorkloadIdentity } from '../identity/workload-identity.ts';
import type { IsolatedProcesses } from '../isolation/isolated-processes.ts';
import { alignKey, deriveKey, isAsDeclared } from '../management/keys/derived-keys.ts';
import type { GatewayCounters } from '../metrics/gateway-counters.ts';
import type { CallerDirectory } from '../pipeline/caller-directory.ts';
import { EndpointTroubles } from '../pipeline/endpoint-troubles.ts';
import type { Services } from '../pipeline/services.ts';
import type { Account } from '../ports/accounts.ts';
import { monotonicClock, systemClock } from '../ports/clock.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { LapsedHold } from '../ports/in-flight-budget.ts';
import type { Change, Invalidation } from '../ports/invalidation.ts';
import type { SharedState } from '../ports/shared-state.ts';
import type { Storage } from '../ports/storage.ts';
import { TaskVectors } from '../routers/auto/task-vectors.ts';
import { LiveTraffic } from '../routers/live-traffic.ts';
import { type BenchmarkFacts, BenchmarkVerdicts } from '../routing/statistics/benchmark-verdicts.ts';
import { LiveStatistics } from '../routing/statistics/live-statistics.ts';
import { byokTermsOf } from '../settlement/byok-terms.ts';
import type { Caller } from '../settlement/caller.ts';
import { closeLapsed } from '../settlement/lapsed-call.ts';
import { LeaseKeeper } from '../settlement/lease-keeper.ts';
import { LimitWaits } from '../settlement/limit-waits.ts';
import { MeasuredCalls } from '../settlement/measured-calls.ts';
import { RateLeases } from '../settlement/rate-leases.ts';
import { StatisticalChecks } from '../tool-calls/statistical-checks.ts';
import { createCredentialForms } from '../upstream/credential-forms.ts';
import { collectGarbage } from './collect-garbage.ts';
import { type DiscoveryParts, ModelDiscovery } from './model-discovery.ts';

/** What parts of a server read of the configuration, as it is when they ask, with the models that providers list. */
export function createSettings(
  current: { readonly config: Config },
  {
    log,
    discoveryPauses: pauses,
  }: Pick<DiscoveryParts, 'log'> & { readonly discoveryPauses?: DiscoveryParts['pauses'] },
) {
  const discovery = new ModelDiscovery({ catalogue: () => current.config.catalogue, log, pauses });
  const catalogue = new CurrentCatalogue();
  const settings = {
    clock: systemClock,
    limits: () => current.config.limits,
    location: () => current.config.location,
    routing: () => current.config.routing,
    leavesOutTools: () => current.config.compat.unavailableTools === 'drop',
    catalogue: () => catalogue.at(discovery.catalogue, systemClock.now()),
    credentialForms: createCredentialForms(
      (slug) => findProvider(slug, current.config.catalogue.providers),
      () => knownProviders(current.config.catalogue.providers),
    ),
    byokTerms: (account: Account) => byokTermsOf(account, current.config.byok),
  };
  return { settings, discovery };
}

/** What routers know besides the catalogue. */
export function createRouterFacts(
  { routerTraffic, generations }: Pick<Storage, 'routerTraffic' | 'generations'>,
  catalogue: () => Catalogue,
) {
  return {
    taskVectors: new TaskVectors(),
    routerStatistics: new LiveTraffic({ routerTraffic, generations, catalogue, clock: systemClock }),
  };
}

/** Where lapsed requests are recorded and reported. */
interface LeaseParts {
  readonly storage: Pick<Storage, 'ledger'>;
  readonly log: Logger;
}

/** The leases that this process renews while its requests run, and what it knows of requests that limits concern. */
export function createLeases(
  parts: LeaseParts,
  shared: SharedState,
  limits: () => Config['limits'],
  counters: GatewayCounters,
) {
  const rules = () => limits().inFlightBudget;
  const onLapsed = tellLapsed(parts, counters);
  return {
    leases: new LeaseKeeper(shared.inFlightBudget, rules, onLapsed),
    limitWaits: new LimitWaits(),
    endpointWaits: new LimitWaits(),
    measuredCalls: new MeasuredCalls(),
    rateLeases: new RateLeases(shared.rateLimits, rules, (failure) => onLapsed([], failure)),
  };
}

/** Returns the callback for requests that nobody settled: it reports them to operators and closes their records. */
function tellLapsed(
  { storage, log }: LeaseParts,
  counters: GatewayCounters,
): (holds: readonly LapsedHold[], failure: unknown) => void {
  return (holds, err) => {
    if (holds.length === 0) {
      log.warn({ err }, 'leases of running requests could not be renewed; it is tried again');
      return;
    }
    counters.lapsedHolds += holds.length;
    const lapsed = holds.map(({ requestId }) => requestId);
    log.error({ lapsed }, 'holds of requests nobody settled have lapsed');
    closeLapsed(holds, { ledger: storage.ledger, clock: systemClock }).catch((failure: unknown) =>
      log.error({ lapsed, err: failure }, 'records of requests nobody settled could not be closed'),
    );
  };
}

/** What benchmark results are judged by at this moment. */
function benchmarkFacts({ routing, benchmarkResults }: Config, catalogue: Catalogue): BenchmarkFacts {
  const { benchmarkDeviations: deviations, peers } = routing.exacto;
  return { catalogue, results: benchmarkResults, deviations, peers, now: systemClock.now() };
}

/** What measures endpoints: the statistics, how routing reads them, since when endpoints fail, and the judge of their calls. */
export function createMeasurements(
  current: { readonly config: Config },
  counters: Pick<GatewayCounters, 'countAttempts'>,
  shared: Pick<SharedState, 'statistics'>,
  {
    catalogue,
    routing,
    processes,
  }: Pick<Services, 'catalogue' | 'routing'> & { readonly processes: IsolatedProcesses },
) {
  const statistics = counters.countAttempts(shared.statistics);
  const verdicts = new BenchmarkVerdicts(() => benchmarkFacts(current.config, catalogue()));
  const endpointStatistics = new LiveStatistics(statistics, monotonicClock, (endpoint) =>
    verdicts.of(endpoint),
  );
  const looked = { catalogue, routing, statistics, endpointStatistics, clock: systemClock };
  const endpointTroubles = new EndpointTroubles(looked);
  const toolCallChecks = new StatisticalChecks(statistics, processes);
  return {
    statistics,
    endpointStatistics,
    endpointTroubles,
    toolCallChecks,
    /** What has to be closed. */
    measuring: [endpointTroubles],
  };
}

/** Caches of this process that other processes' changes make outdated. */
interface Memories {
  readonly callers: Pick<CallerDirectory, 'forget'>;
  readonly vault: Pick<CredentialVault, 'forget'>;
  readonly destinationDesk: { outdated(): void };
}

/**
 * Subscribes the caches to other processes' changes, whether these share state or only the database. Call the returned function with a change of this process: it
 * drops the entry immediately and notifies the others.
 */
export function shareChanges(
  invalidation: Invalidation,
  storage: Pick<Storage, 'watchChanges'>,
  { callers, vault, destinationDesk }: Memories,
): (change: Change) => void {
  const forget = (change: Change) => {
    // A change of a workspace is one of all callers, and may be of whether it broadcasts.
    if (!('keyHash' in change) && change.kind !== 'credential') destinationDesk.outdated();
    if (change.kind === 'destinations') return;
    if (change.kind !== 'callers') vault.forget(change.kind === 'credential' ? change.id : undefined);
    callers.forget(change.kind === 'callers' ? change.keyHash : undefined);
  };
  invalidation.subscribe(forget);
  storage.watchChanges(forget);
  return (change) => {
    forget(change);
    invalidation.publish(change);
  };
}

/** Milliseconds after the start, when start-up work is over. */
const settleTime = 1_000;

/** About 15 MB of memory that only the start of a server needed and the engine would keep. */
export class StartupMemory {
  #timer: NodeJS.Timeout | undefined;

  /** Opens a server, and frees this memory soon afterwards. */
  opens(lifecycle: { readonly busy: boolean; open(): void }): () => void {
    return () => {
      lifecycle.open();
      this.release(() => lifecycle.busy);
    };
  }

  /**
   * Frees it, a second from now. That blocks the process once for some tens of milliseconds and is skipped while
   * requests run, or when the server is closed by then.
   */
  release(isBusy: () => boolean): void {
    this.#timer = setTimeout(() => {
      if (!isBusy()) collectGarbage();
    }, settleTime).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
  }
}

/** What finds callers by tokens of their platform, and the news of changes it makes. Loads nothing and asks for nothing before the first token. */
export function createIdentity(
  current: { readonly config: Config },
  parts: {
    readonly storage: Storage;
    readonly log: Logger;
    readonly callers: CallerDirectory;
    readonly invalidate: (change: Change) => void;
  },
): { readonly workloads: WorkloadIdentity<Caller>; readonly invalidate: (change: Change) => void } {
  const { storage, log, callers, invalidate } = parts;
  const changing = { storage, clock: systemClock, invalidate };
  const workloads = new WorkloadIdentity<Caller>({
    get config() {
      return current.config;
    },
    clock: systemClock,
    log,
    callers,
    derive: ({ issuer, policy, name }) => deriveKey({ issuer, policy, subject: name }, changing),
    isAsDeclared,
    align: (key, policy) => alignKey(key, policy, changing),
  });
  return { workloads, invalidate };
}
