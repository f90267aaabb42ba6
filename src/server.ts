import { getHeapStatistics } from 'node:v8';
import type { Logger } from 'pino';
import type { Config } from './config/config.ts';
import { ConfigState } from './config/config-state.ts';
import { AnswerMemory } from './edge/answer-memory.ts';
import type { AppServices } from './edge/app-services.ts';
import { HttpListener } from './edge/http-listener.ts';
import { LiveFeeds } from './edge/live/live-feeds.ts';
import { LivePeers } from './edge/live/live-peers.ts';
import { RunningCalls } from './edge/live/running-calls.ts';
import { LoadGuard, type LoadProbe, processProbe } from './edge/load-guard.ts';
import { BodyBudget } from './http/body-budget.ts';
import { createRoutes, type ServerRoutes } from './interface/routes.ts';
import { StoredRefusals } from './management/audit/refusals.ts';
import type { Row } from './management/row.ts';
import type { ShareMetrics } from './metrics/metric-family.ts';
import { CallerDirectory } from './pipeline/caller-directory.ts';
import { systemClock } from './ports/clock.ts';
import type { SharedState } from './ports/shared-state.ts';
import type { Storage } from './ports/storage.ts';
import { CalendarKeeper } from './process/calendar-keeper.ts';
import { collectGarbage } from './process/collect-garbage.ts';
import { createObservers, logSharedState } from './process/compose-observers.ts';
import {
  createIdentity,
  createLeases,
  createMeasurements,
  createRouterFacts,
  createSettings,
  StartupMemory,
  shareChanges,
} from './process/compose-services.ts';
import { createGuarding } from './process/compose-tools.ts';
import { createTracing, type DestinationPauses } from './process/compose-tracing.ts';
import { closeEach, closeListener, type Listeners, listen } from './process/listen.ts';
import { logLeftCharges } from './process/log-dependency.ts';
import type { DiscoveryParts } from './process/model-discovery.ts';
import { RequestLifecycle } from './process/request-lifecycle.ts';
import { type ApprovalSeal, createApprovalSeal } from './secrets/approval-seal.ts';
import { createCarrierSeals } from './secrets/carrier-seals.ts';
import { createAnswerSeal, createPseudonymizer } from './secrets/seals.ts';
import type { ServerTool } from './server-tools/server-tool.ts';
import { openSharedState } from './shared-state/open-shared-state.ts';
import type { Stage } from './stages/stage.ts';
import { createUpstreamRegistry } from './upstream/registry.ts';
import { createTransport } from './upstream/wire/transport.ts';
import { readTlsIdentity, type TlsIdentity } from './util/tls-identity.ts';
import { openCarrierSecret } from './vault/carrier-secret.ts';
import type { KeySource } from './vault/key-source.ts';
import { Vault } from './vault/vault.ts';
import { leavePort } from './workers/leave-port.ts';

/** A server that takes requests. */
export interface RunningServer {
  /** Where it listens, such as `http://127.0.0.1:8484`. */
  readonly url: string;
  /** Where it serves the dashboard: the same address, or one with the port of the dashboard. */
  readonly dashboardUrl: string;
  /** Says from now on that it is ready; requests are answered before. */
  open(): void;
  /** Goes by another configuration from now on; running requests keep what they read of the old one. */
  replaceConfig(config: Config): void;
  /** Takes no more requests, lets running ones finish up to the drain timeout, and closes everything. */
  stop(): Promise<void>;
  /**
   * Takes no more connections, for another process listens, but every request on the open ones; then stops, as it does at
   * once when `stopped` resolves.
   */
  handOver(stopped: Promise<unknown>): Promise<void>;
}

/** What a server is made of besides its configuration. */
export interface ServerParts {
  /** Migrated and ready; the server closes it when it stops. */
  readonly storage: Storage;
  readonly log: Logger;
  /** The master keys every secret of the installation is derived from. */
  readonly keys: KeySource;
  /** Given where other processes answer on the same port. */
  readonly shareMetrics?: ShareMetrics;
  /** Numbers from 0 until below 1, for draws among endpoints; the machine's own by default. */
  readonly random?: () => number;
  /** Measures how near this process is to its limits; of this process by default. */
  readonly loadProbe?: LoadProbe;
  /** Bytes of memory that all running answers may take; an eighth of the heap by default. */
  readonly answersLimit?: number | undefined;
  /** Milliseconds between two looks at lists of models; see `ModelDiscovery`. */
  readonly discoveryPauses?: DiscoveryParts['pauses'];
  /** Milliseconds between two looks of alerts; five seconds by default. */
  readonly alertPause?: number;
  /** Milliseconds between two writes of notes of calls. */
  readonly notePause?: number;
  /** Milliseconds between two reports of this process about itself; five seconds by default. */
  readonly reportPause?: number;
  /** Milliseconds of what sends to destinations. */
  readonly destinationPauses?: DestinationPauses;
  /** Milliseconds between two writes of what was said. */
  readonly contentPause?: number;
  /** How the configuration was read; without it nothing is known of that. */
  readonly configState?: ConfigState;
  /** Doors beside those of the gateway. */
  readonly doors?: readonly Row[];
  /** Plugins and guardrails beside those of the gateway. */
  readonly stages?: readonly Stage[];
  /** Tools that the gateway runs, beside its own. */
  readonly tools?: readonly ServerTool[];
}

/** The composition root: puts the parts together and listens. */
export async function startServer(initial: Config, parts: ServerParts): Promise<RunningServer> {
  const { storage, log } = parts;
  // First, because they may fail: nothing else is open by then that would keep the process alive.
  const identity = initial.server.tls && readTlsIdentity(initial.server.tls);
  const { approvalSeal, ...derived } = await openDerived(parts);
  const transport = createTransport();
  const lifecycle = new RequestLifecycle();
  const load = new LoadGuard(parts.loadProbe ?? processProbe(collectGarbage));
  const callers = new CallerDirectory(storage.callers, systemClock);
  const current = { config: initial };
  const { settings, discovery } = createSettings(current, parts);
  const calendar = await CalendarKeeper.begin({ ...settings, log, calendar: storage.limitCalendar });
  const shared = await openShared(initial, parts);
  const observed = { ...parts, load, ...settings, onMissingModel: () => discovery.suspect() };
  const observers = createObservers(initial, observed, shared, lifecycle, settings.limits);
  const { metrics } = observers;
  const leasing = createLeases(parts, shared, settings.limits, metrics.counters);
  const vault = openVault(parts);
  const guarding = createGuarding(current, { ...parts, approvalSeal, catalogue: settings.catalogue });
  const measuring = { ...settings, processes: guarding.isolated.quick };
  const measurements = createMeasurements(current, metrics.counters, shared, measuring);
  const { tracing, ...traced } = await createTracing(current, { ...parts, ...guarding, ...observers });
  const invalidate = shareChanges(shared.invalidation, storage, { callers, vault, ...traced });
  const services: AppServices = {
    ...traced,
    get config() {
      return current.config;
    },
    ...derived,
    ...storageServices(parts),
    callers,
    log,
    lifecycle,
    load,
    ...memoryLimits(initial, parts, shared),
    charges: callers,
    ...settings,
    ...shared,
    ...measurements,
    ...guarding,
    ...createRouterFacts(storage, settings.catalogue),
    ...givenParts(parts),
    ...leasing,
    upstreams: createUpstreamRegistry({ transport }),
    ...createIdentity(current, { ...parts, callers, invalidate }),
    ...{ vault, secrets: vault },
    ...observers,
  };
  const listeners = createListeners(createRoutes(services, parts.doors), services, identity);
  const startup = new StartupMemory();
  const ruled = [leasing.leases, leasing.rateLeases, discovery, calendar];
  const own = [...heldBy({ ...services, ...measurements, ...guarding }), transport, shared];
  const held = [...tracing, load, ...observers.observing, ...ruled, startup, ...own];
  await discovery.firstLook();
  const metricsListener = await listen(listeners, initial.server, metrics, held);
  return {
    ...addressesOf(listeners),
    open: startup.opens(lifecycle),
    replaceConfig: (next) => {
      current.config = next;
      for (const part of ruled) part.rulesChanged();
    },
    ...waysToEnd(allOf(listeners), lifecycle, initial.server.drainTimeout, async () => {
      await closeEach([metricsListener, ...held, storage]);
      logLeftCharges(log, storage, initial.dataDirectory);
    }),
  };
}

/** What is passed on as it was given, or by default. */
function givenParts({ random = Math.random, configState }: ServerParts) {
  const unknown = { warnings: [], sources: new Map() };
  return { random, configState: configState ?? new ConfigState(unknown, process.env) };
}

/** The dashboard is served beside the interface, or on a port of its own. */
function createListeners(
  { api, pages }: ServerRoutes,
  services: AppServices,
  identity?: TlsIdentity,
): Listeners {
  if (pages === undefined || services.config.server.dashboard.port === undefined) {
    const both = { routes: [...api, ...(pages ?? [])], forPages: pages && api };
    return { app: new HttpListener(both, services, identity), pages: undefined };
  }
  return {
    app: new HttpListener({ routes: api }, services, identity),
    pages: new HttpListener({ routes: pages, forPages: api }, services, identity),
  };
}

function allOf({ app, pages }: Listeners): readonly HttpListener[] {
  return pages === undefined ? [app] : [app, pages];
}

function addressesOf({ app, pages }: Listeners): Pick<RunningServer, 'url' | 'dashboardUrl'> {
  return { url: app.url, dashboardUrl: (pages ?? app).url };
}

/** What guards, tools, measurements and viewers hold. */
function heldBy({
  liveFeeds,
  measuring,
  isolated,
  files,
  sandbox,
}: Pick<AppServices, 'liveFeeds'> &
  ReturnType<typeof createMeasurements> &
  ReturnType<typeof createGuarding>) {
  return [liveFeeds, ...measuring, isolated.quick, isolated.documents, files, sandbox];
}

function openShared({ sharedState }: Config, { storage, log }: ServerParts): Promise<SharedState> {
  return openSharedState(sharedState, {
    countBooked: (accountId, since) => storage.generations.countFree(accountId, since),
    onChange: (health, err) => logSharedState(log, health, err),
    onRefusal: (err) => log.error({ err }, 'shared state refuses what it is asked'),
  });
}

/** What is derived from secrets of the installation. */
async function openDerived({
  keys,
  storage,
}: ServerParts): Promise<
  Pick<AppServices, 'pseudonym' | 'carriers' | 'answerSeal'> & { readonly approvalSeal: ApprovalSeal }
> {
  const current = await keys.current();
  const pseudonym = createPseudonymizer(current);
  const secret = await openCarrierSecret(keys, storage.credentials);
  return {
    pseudonym,
    carriers: createCarrierSeals(secret),
    answerSeal: createAnswerSeal(current),
    approvalSeal: createApprovalSeal(secret),
  };
}

/** What is read of a storage by its own name. */
function storageServices({ storage, log }: ServerParts) {
  const refusals = new StoredRefusals(storage, systemClock, (err) => log.error({ err }, unaudited));
  return { storage, ledger: storage.ledger, canCharge: () => storage.writable, refusals };
}

function openVault({ storage, log, keys }: ServerParts): Vault {
  return new Vault({
    keys,
    store: storage.credentials,
    onFailure: (credential, err) => log.error({ credential, err }, 'a stored credential cannot be used'),
  });
}

/** What the log says of a refused management call that has no entry. */
const unaudited = 'a refusal is not in the audit log';

/** The part of the heap that all running answers may take together. */
const answersShare = 0.125;

/** What knows the requests that run, and limits their memory. */
function memoryLimits({ server }: Config, { answersLimit }: ServerParts, { messages }: SharedState) {
  const limit = answersLimit ?? getHeapStatistics().heap_size_limit * answersShare;
  const runningCalls = new RunningCalls();
  const peers = messages && new LivePeers(runningCalls, messages, () => systemClock.now());
  return {
    bodies: new BodyBudget(server),
    answerMemory: new AnswerMemory(limit),
    runningCalls,
    liveFeeds: new LiveFeeds(runningCalls, peers),
  };
}

/** How a server ends: with everything it still answers, and once that is over with all it holds. */
function waysToEnd(
  listeners: readonly HttpListener[],
  lifecycle: RequestLifecycle,
  drainTimeout: number,
  letGo: () => Promise<void>,
): Pick<RunningServer, 'stop' | 'handOver'> {
  const stop = async (timeout: number) => {
    const deadline = performance.now() + timeout;
    for (const one of listeners) one.drain();
    await lifecycle.drain(timeout);
    const left = Math.max(0, deadline - performance.now());
    await Promise.all(listeners.map((one) => closeListener(one, lifecycle, left)));
    await letGo();
  };
  return {
    stop: () => stop(drainTimeout),
    handOver: async (stopped) => {
      const terms = { isBusy: () => lifecycle.busy, timeout: drainTimeout };
      const left = Promise.all(listeners.map(({ server }) => leavePort(server, terms))).then(() => 0);
      await stop(await Promise.race([left, stopped.then(() => drainTimeout)]));
    },
  };
}
