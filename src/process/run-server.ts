import { statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { ServeOptions } from '../cli/cli-environment.ts';
import type { Config } from '../config/config.ts';
import { ConfigState } from '../config/config-state.ts';
import { type ConfigListener, watchConfig } from '../config/watch-config.ts';
import { hashKey } from '../core/api-key.ts';
import { expireFirstStart, firstStartFile, keepFirstStart } from '../management/first-start-file.ts';
import { createLink, loginAddress, usualLinkLife } from '../management/sessions/sessions.ts';
import { systemClock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';
import { type RunningServer, type ServerParts, startServer } from '../server.ts';
import type { KeySource } from '../vault/key-source.ts';
import { openKeySource } from '../vault/open-key-source.ts';
import { remedyOfLoss } from '../vault/rotate-master-key.ts';
import type { Supervised } from '../workers/supervised.ts';
import { type Bootstrap, bootstrap, firstStartText } from './bootstrap.ts';
import { createLog, written } from './create-log.ts';
import { openDatabase, prepareDatabase } from './open-database.ts';

const groupAndOthers = 0o077;
const readableByOthers = 0o004;

/**
 * Creates the data directory for its owner alone. Returns a warning when one was there that others may enter: its
 * permissions may be meant, so they stay.
 */
export async function prepareDataDirectory(path: string): Promise<string | undefined> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const { mode } = await stat(path);
  if (process.platform === 'win32' || (mode & groupAndOthers) === 0) return undefined;
  return `${path}: other users may enter the data directory; chmod 700 ${path}`;
}

/** One warning for each file with secrets that every user of this machine may read. */
export function exposedFiles(paths: readonly string[]): readonly string[] {
  if (process.platform === 'win32') return [];
  return paths
    .filter((path) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & readableByOthers) !== 0)
    .map(
      (path) => `${path}: every user of this machine may read it, and it holds secrets; chmod 600 ${path}`,
    );
}

/** The files with secrets that this program writes itself. */
export function ownSecretFiles(dataDirectory: string, databaseFile: string | undefined): readonly string[] {
  const own = ['master.key', 'first-start.txt'].map((name) => join(dataDirectory, name));
  return databaseFile === undefined ? own : [...own, databaseFile];
}

/** The environment of the server. */
export interface ServeSurroundings {
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Writes for people, not to the log. */
  readonly print: (text: string) => void;
}

/**
 * Runs one server until a signal or its supervisor stops it (docs/spec/operations.md#stopping). Resolves with the exit
 * code.
 */
export async function runServer(
  config: Config,
  options: ServeOptions,
  { isTerminal, print }: ServeSurroundings,
  supervisor: Supervised | undefined,
): Promise<number> {
  const { log } = await createLog(config, isTerminal, supervisor ? { worker: process.pid } : null);
  for (const warning of options.warnings) log.warn(warning);
  const configState = new ConfigState(options, options.load.environment);
  const parts = { log, configState, ...(supervisor && { shareMetrics: supervisor.shareMetrics }) };
  const { server, first, stopped } = await start(config, parts, isTerminal, supervisor !== undefined);
  log.info(
    {
      url: server.url,
      ...(server.dashboardUrl !== server.url && { dashboard: server.dashboardUrl }),
      models: config.catalogue.models.size,
      startup: Math.round(performance.now()),
    },
    'ready',
  );
  if (first !== undefined && isTerminal) print(first);
  else if (first !== undefined)
    log.info({ file: firstStartFile(config.dataDirectory) }, 'first start: the keys are in this file');
  const stopExpiry = await expireFirstStart(config.dataDirectory, (file, err) =>
    err === undefined
      ? log.info({ file }, 'the keys of the first start are a day old: their file is deleted')
      : log.error({ file, err }, 'the file with the keys of the first start cannot be deleted'),
  );
  const watch = watchConfig(config, options.load, listener(server, configState, log));
  supervisor?.ready();
  await (supervisor ? untilOrdered(supervisor, server, log) : untilStopped(stopped, server, log));
  watch.close();
  stopExpiry();
  return 0;
}

/** What changes of the configuration file come to. */
function listener(server: RunningServer, state: ConfigState, log: Logger): ConfigListener {
  return {
    changed: (next, change, loaded) => {
      server.replaceConfig(next);
      state.changed(loaded, change.needRestart);
      for (const warning of loaded.warnings) log.warn(warning);
      log.info(change, 'configuration changed');
    },
    refused: (reasons) => {
      state.refused(reasons);
      log.error({ reasons }, 'the new configuration is broken; the old one stays');
    },
    unchanged: (isAsked) => {
      state.unchanged();
      if (isAsked) log.info('configuration read again: nothing changed');
    },
  };
}

/** Starts the server. A failed start leaves nothing open that would keep the process alive. */
async function start(
  config: Config,
  parts: Omit<ServerParts, 'storage' | 'keys'>,
  isTerminal: boolean,
  isSupervised: boolean,
) {
  const { log } = parts;
  await warnOfExposedFiles(config, log);
  const storage = await openDatabase(config, { reserveRoom: true });
  let stop = () => storage.close();
  try {
    const applied = await prepareDatabase(config, storage);
    if (applied.length > 0) log.info({ applied }, 'database schema brought up to date');
    await reportFewConnections(config, storage, log);
    const keys = openKeySource(config.dataDirectory, config.masterKey);
    await reportMissingKey(keys, storage, log);
    // A listening server answers and has keys to show; a signal must not interrupt that.
    const stopped = isSupervised ? neverSignalled : firstSignal();
    const server = await startServer(config, { ...parts, storage, keys });
    stop = () => server.stop();
    // Only once the server listens: keys stored by a start that fails would never be shown.
    let text: Promise<string> | undefined;
    const textOf = (keys: Bootstrap) => (text ??= textOfFirstStart(keys, config, server, storage));
    const keep = isTerminal
      ? undefined
      : async (keys: Bootstrap) => keepFirstStart(config.dataDirectory, await textOf(keys));
    const first = await bootstrap(storage, config, systemClock, keep);
    server.open();
    return { server, first: first && (await textOf(first)), stopped };
  } catch (error) {
    await stop();
    throw withRemedy(error, config);
  }
}

/** Secrets that others on this machine may read are reported at every start. */
async function warnOfExposedFiles({ dataDirectory, database }: Config, log: Logger): Promise<void> {
  const directory = await prepareDataDirectory(dataDirectory);
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(database.url)?.[1];
  const exposed = exposedFiles(ownSecretFiles(dataDirectory, file));
  for (const warning of directory === undefined ? exposed : [directory, ...exposed]) log.warn(warning);
}

/** Otherwise requests are refused as soon as there are many. */
async function reportFewConnections({ server }: Config, storage: Storage, log: Logger): Promise<void> {
  const room = await storage.connectionRoom?.().catch(() => undefined);
  if (room === undefined) return;
  const { workers } = server;
  const wanted = room.wanted * workers;
  if (wanted <= room.allowed) return;
  const each = Math.floor(room.allowed / workers) - 1;
  const all = workers === 1 ? '' : ` and ${workers} workers`;
  const remedy = each >= 4 ? `lower database.pool_size to ${each} or less` : 'run fewer workers';
  log.warn(
    `database.pool_size${all} may want ${wanted} connections, and the database allows ${room.allowed}: ${remedy}, or raise max_connections of the database or the limit of its user. Requests are refused where there are too few.`,
  );
}

/** Reports it at start rather than by the first request that fails. */
async function reportMissingKey(keys: KeySource, storage: Storage, log: Logger): Promise<void> {
  const id = await storage.credentials.masterKeyId();
  if (id === undefined || (await keys.find(id)) !== undefined) return;
  log.error({ masterKey: id }, `secrets are stored under another master key: ${remedyOfLoss}`);
}

function withRemedy(error: unknown, { server: { host, port } }: Config): unknown {
  const { code, syscall, hostname } = (error instanceof Error ? error : {}) as ListenFailure;
  if (code === 'EADDRINUSE')
    return new Error(
      `Port ${port} on ${host} is taken: stop the program that listens there, or choose another port with --port or server.port.`,
    );
  const isListening = syscall === 'listen' || syscall === 'bind';
  if (isListening && code === 'EACCES')
    return new Error(
      `Port ${port} on ${host} is not for this user: choose one above 1023 with --port or server.port.`,
    );
  if ((isListening && code === 'EADDRNOTAVAIL') || (syscall === 'getaddrinfo' && hostname === host))
    return new Error(
      `${host} is no address of this machine (${code}): choose another one with --host or server.host, such as 127.0.0.1, or 0.0.0.0 for all.`,
    );
  return error;
}

/** The runtime's error for an address on which it cannot listen. */
interface ListenFailure {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly hostname?: unknown;
}

async function textOfFirstStart(
  keys: Bootstrap,
  { catalogue, server: { dashboard, publicUrl } }: Config,
  { url, dashboardUrl }: Pick<RunningServer, 'url' | 'dashboardUrl'>,
  storage: Storage,
): Promise<string> {
  const providers = [...catalogue.providers.values()].map((provider) => provider.name);
  const services = { storage, clock: systemClock };
  const link = dashboard.enabled
    ? loginAddress(
        publicUrl ?? dashboardUrl,
        await createLink(hashKey(keys.managementKey), usualLinkLife, services),
      )
    : undefined;
  return firstStartText({ ...keys, url, providers, link });
}

const neverSignalled = new Promise<never>(() => undefined);

/** The first stop signal; a later one ends this process immediately. */
function firstSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const stop = (signal: NodeJS.Signals) => {
      for (const name of ['SIGTERM', 'SIGINT'] as const) {
        process.off(name, stop);
        process.once(name, () => process.exit(1));
      }
      resolve(signal);
    };
    process.on('SIGTERM', stop);
    process.on('SIGINT', stop);
  });
}

/** The first signal lets running requests finish. */
async function untilStopped(
  stopped: Promise<NodeJS.Signals>,
  server: RunningServer,
  log: Logger,
): Promise<void> {
  const onlyWorkers = () => log.warn('SIGUSR2 replaces workers: there are none while server.workers is 1');
  process.on('SIGUSR2', onlyWorkers);
  log.info({ signal: await stopped }, 'stopping: running requests may finish');
  await server.stop();
  log.info('stopped');
  await written(log);
}

/** A worker ends on its supervisor's order; the supervisor decides about a second signal. */
async function untilOrdered(supervisor: Supervised, server: RunningServer, log: Logger): Promise<void> {
  const order = await supervisor.ordered;
  log.info({ order }, 'stopping: running requests may finish');
  await (order === 'stop' ? server.stop() : server.handOver(supervisor.stopped));
  log.info('stopped');
  await written(log);
}
