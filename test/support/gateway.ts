import pino from 'pino';
import type { Config } from '../../src/config/config.ts';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import type { Model, Provider } from '../../src/core/catalogue.ts';
import { parseUsd } from '../../src/core/money.ts';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { type LoadProbe, processProbe } from '../../src/edge/load-guard.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { noProxies } from '../../src/network/proxy-rules.ts';
import type { Account, BillingMode } from '../../src/ports/accounts.ts';
import type { ApiKey } from '../../src/ports/keys.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { collectGarbage } from '../../src/process/collect-garbage.ts';
import { MasterKey } from '../../src/secrets/master-key.ts';
import { type RunningServer, type ServerParts, startServer } from '../../src/server.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import type { KeySource } from '../../src/vault/key-source.ts';
import { ConfiguredKeySource } from '../../src/vault/open-key-source.ts';
import { defaultLimits } from './limits.ts';

/** A real server on a free port with a database in memory. */
export interface TestGateway {
  readonly url: string;
  readonly key: string;
  readonly keyHash: string;
  readonly account: Account;
  readonly storage: Storage;
  readonly server: RunningServer;
  /** Every line logged, at trace level. */
  readonly log: readonly string[];
  post(body: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  createKey(fields?: Partial<ApiKey>): Promise<string>;
  /** Goes by other settings of the server from the next request on. */
  setServer(changes: Partial<Config['server']>): void;
  stop(): Promise<void>;
}

/** What a test may change about its gateway. */
export interface GatewayOptions {
  readonly models: readonly Model[];
  readonly providers?: readonly Provider[];
  readonly billingMode?: BillingMode;
  readonly server?: Partial<Config['server']>;
  readonly config?: Partial<Config>;
  /** Whether `routing.retry_same` is on; off by default, so that failures are those a test scripts. */
  readonly retrySame?: boolean;
  readonly databaseUrl?: string;
  readonly keys?: KeySource;
  /** Decides draws among endpoints; without it they fall on the cheapest, then on the first by name. */
  readonly random?: () => number;
  readonly loadProbe?: LoadProbe;
  /** Bytes of memory that all running answers may take. */
  readonly answersLimit?: number | undefined;
  /** What the server has beside its own. */
  readonly parts?: Pick<
    ServerParts,
    | 'doors'
    | 'stages'
    | 'tools'
    | 'alertPause'
    | 'notePause'
    | 'discoveryPauses'
    | 'reportPause'
    | 'configState'
    | 'destinationPauses'
    | 'contentPause'
  >;
}

/** Clients of a test share their thread with the server: that its loop is late says nothing of the server. */
const neverLate: LoadProbe = { ...processProbe(collectGarbage), busy: () => 0 };
/** Starts a gateway with one account and one inference key. */
export async function startGateway(options: GatewayOptions): Promise<TestGateway> {
  const { dataDirectory } = options.config ?? {};
  const url = options.databaseUrl ?? 'sqlite::memory:';
  const storage = await openStorage(url, { dataDirectory, reserveRoom: true });
  await storage.migrate();
  const account = newAccount('Test', options.billingMode ?? 'invoice', Date.now());
  await storage.accounts.create(account);
  const log: string[] = [];
  const createKey = async (fields: Partial<ApiKey> = {}) => {
    const raw = createRawKey();
    const owner = { accountId: account.id, workspaceId: account.defaultWorkspaceId, createdAt: Date.now() };
    await storage.keys.create(newKey(raw, { ...owner, kind: 'inference', name: 'test', ...fields }));
    return raw;
  };
  const key = await createKey();
  const config = configOf(options);
  const server = await startServer(config, {
    storage,
    keys: options.keys ?? new ConfiguredKeySource([MasterKey.create()]),
    random: options.random ?? (() => 0),
    loadProbe: options.loadProbe ?? neverLate,
    answersLimit: options.answersLimit,
    ...options.parts,
    log: pino({ level: 'trace' }, { write: (line: string) => log.push(line) }),
  });
  server.open();
  const authorization = { authorization: `Bearer ${key}` };
  return {
    url: server.url,
    key,
    keyHash: hashKey(key),
    account,
    storage,
    server,
    log,
    createKey,
    post: (body, headers = {}) =>
      fetch(`${server.url}/api/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization, ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body),
      }),
    get: (path, headers = {}) => fetch(server.url + path, { headers: { ...authorization, ...headers } }),
    setServer: (changes) => server.replaceConfig({ ...config, server: { ...config.server, ...changes } }),
    stop: () => server.stop(),
  };
}

/** Sends nothing anywhere. */
export const noTelemetry: Config['telemetry'] = {
  protocol: 'http/json',
  headers: {},
  conventions: 'latest',
  trustIncoming: true,
  sampling: { ratio: 1, followParent: true, forcedPerSecond: 50, alwaysOnError: true },
  traces: true,
  metrics: { enabled: false, interval: 60_000, temporality: 'cumulative' },
  resource: {},
};

/** Destinations by the defaults. */
export const usualDestinations: Config['observability']['destinations'] = {
  enabled: true,
  privateHosts: [],
  perType: 5,
  queue: 1_000,
  queueBytes: 8 * 1024 * 1024,
  totalBytes: 64 * 1024 * 1024,
  retries: 3,
};

/** The configuration a gateway of tests starts with. */
export function configOf(options: GatewayOptions): Config {
  const models = new Map(options.models.map((model) => [model.id, model]));
  const used = options.models.flatMap((model) => model.endpoints.map((endpoint) => endpoint.provider));
  const providers = new Map(
    [...used, ...(options.providers ?? [])].map((provider) => [provider.slug, provider]),
  );
  return {
    dataDirectory: '',
    database: { url: 'sqlite::memory:', autoMigrate: true },
    sharedState: { onFailure: 'reject' },
    proxies: noProxies,
    logLevel: 'trace',
    bootstrap: { billingMode: 'invoice' },
    responses: { echoDefaults: false, cachedReplayDelay: 0 },
    compat: {
      aliases: [],
      byokCreatedStatus: 200,
      unavailableTools: 'refuse',
      modelAliases: {},
      claudeIds: true,
      closeStreams: false,
      echoModel: false,
    },
    plugins: {
      defaults: {},
      fileParser: { limits: { file: 25 * 1024 * 1024, pages: 500, timeout: 30_000 } },
    },
    guardrails: [],
    tools: {
      webSearch: { engines: [] },
      webFetch: { enabled: true, maxContentTokens: 100_000 },
      files: { enabled: true },
      imageGeneration: { model: 'acme/painter' },
      fusion: { panels: {} },
      sandbox: {
        driver: 'off',
        limits: { memory: 512 * 1024 * 1024, disk: 1024 * 1024 * 1024, processes: 256 },
        maxContainers: 16,
        maxContainersPerWorkspace: 5,
      },
      // Requests of random tools would ask random addresses.
      mcp: {
        enabled: false,
        allowedHosts: [],
        servers: {},
        prefer: 'native',
        onListFailure: 'fail',
        maxServers: 5,
        maxTools: 128,
        callTimeout: 60_000,
        resultLimit: 1024 * 1024,
        listTtl: 300_000,
      },
      egress: { allow: [], deny: [], maxBody: 10 * 1024 * 1024 },
      loop: { maxSteps: 200, maxTime: 900_000, parallel: 8 },
    },
    location: {},
    presets: {},
    benchmarkResults: [],
    limits: defaultLimits,
    observability: {
      refusals: true,
      plans: 'off',
      keep: 604_800_000,
      destinations: usualDestinations,
    },
    contentLogging: { enabled: false, keepDays: 90, queue: 32 * 1024 * 1024 },
    auth: { workloads: [] },
    telemetry: noTelemetry,
    alerts: { thresholds: [0.8, 1], balance: parseUsd(100) },
    byok: {
      feeRate: 0.05,
      monthlyAllowance: parseUsd(25_000),
      enterpriseMonthlyAllowance: parseUsd(200_000),
    },
    ...options.config,
    routing: { ...usualRoutingRules, ...options.config?.routing, retrySame: options.retrySame ?? false },
    catalogue: options.config?.catalogue ?? { models, providers },
    server: {
      host: '127.0.0.1',
      port: 0,
      basePaths: ['/api/v1', '/v1'],
      bodyLimit: 32 * 1024 * 1024,
      bodiesLimit: 512 * 1024 * 1024,
      corsOrigins: [],
      trustProxy: false,
      drainTimeout: 2_000,
      requestTimeout: 600_000,
      headerTimeout: 10_000,
      keepAlive: 10_000,
      sendTimeout: 600_000,
      workers: 1,
      dashboard: {
        enabled: true,
        readOnly: false,
        allowInsecureHttp: false,
        operatorAccounts: [],
        session: { idle: 7_200_000, max: 86_400_000, keyIdle: 43_200_000, keyMax: 604_800_000 },
      },
      ...options.server,
    },
  };
}
