import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino, { type Logger } from 'pino';
import { bootstrap, firstStartText } from './bootstrap.ts';
import type { ServeOptions } from './cli/surroundings.ts';
import type { Config } from './config/config.ts';
import { watchConfig } from './config/watch-config.ts';
import { LogDestination } from './log-destination.ts';
import { systemClock } from './ports/clock.ts';
import type { Storage } from './ports/storage.ts';
import { type RunningServer, startServer } from './server.ts';
import { openStorage } from './storage/open-storage.ts';
import type { KeySource } from './vault/key-source.ts';
import { openKeySource } from './vault/open-key-source.ts';

/** Milliseconds after which log lines are written, however few there are. */
const logDelay = 200;
const standardOutput = 1;

/** What the server runs in. */
export interface ServeSurroundings {
  /** Whether people read standard output. */
  readonly isTerminal: boolean;
  /** Writes to people, not to the log. */
  readonly print: (text: string) => void;
}

/** Runs the server until a signal stops it (operations.md 6.1). Resolves with the exit code. */
export async function serve(
  config: Config,
  options: ServeOptions,
  { isTerminal, print }: ServeSurroundings,
): Promise<number> {
  const log = await createLog(config, isTerminal);
  for (const warning of options.warnings) log.warn(warning);
  const { server, first } = await start(config, log);
  log.info({ url: server.url, models: config.catalogue.models.size, startup: startupTime() }, 'ready');
  if (first !== undefined) {
    const providers = [...config.catalogue.providers.values()].map((provider) => provider.name);
    const { billingMode } = config.bootstrap;
    const text = firstStartText({ ...first, url: server.url, providers, billingMode });
    if (isTerminal) print(text);
    else log.info({ file: await keepFirstStart(config, text) }, 'first start: the keys are in this file');
  }
  const watch = watchConfig(config, options.load, {
    changed: (next, change, warnings) => {
      server.replaceConfig(next);
      for (const warning of warnings) log.warn(warning);
      log.info(change, 'configuration changed');
    },
    refused: (reasons) => log.error({ reasons }, 'the new configuration is broken; the old one stays'),
  });
  await untilStopped(server, log);
  watch.close();
  return 0;
}

/** Gets the server to listen. A start that fails leaves nothing open, which would keep the process alive. */
async function start(config: Config, log: Logger) {
  const storage = await openStorage(config.database.url);
  let stop = () => storage.close();
  try {
    await prepareDatabase(config, storage, log);
    const keys = openKeySource(config.dataDirectory, config.masterKey);
    await tellMissingKey(keys, storage, log);
    const server = await startServer(config, { storage, log, keys });
    stop = () => server.stop();
    // Only once the server listens: keys stored by a start that fails would never be shown.
    const first = await bootstrap(storage, config, systemClock);
    server.open();
    return { server, first };
  } catch (error) {
    await stop();
    throw withRemedy(error, config);
  }
}

/** Better known at once than by the first request that fails. */
async function tellMissingKey(keys: KeySource, storage: Storage, log: Logger): Promise<void> {
  const id = await storage.credentials.masterKeyId();
  if (id === undefined || (await keys.find(id)) !== undefined) return;
  log.error(
    { masterKey: id },
    'provider credentials are stored under another master key: bring it back, or store them anew',
  );
}

function withRemedy(error: unknown, { server }: Config): unknown {
  if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) return error;
  return new Error(
    `Port ${server.port} on ${server.host} is taken: stop the program that listens there, or choose another port with --port or server.port.`,
  );
}

async function prepareDatabase(config: Config, storage: Storage, log: Logger): Promise<void> {
  if (config.database.autoMigrate) {
    const applied = await storage.migrate();
    if (applied.length > 0) log.info({ applied }, 'database schema brought up to date');
    return;
  }
  const { pending } = await storage.migrationStatus();
  if (pending.length === 0) return;
  throw new Error(
    `The database needs ${pending.join(', ')}. Run "headgate db migrate" or set database.auto_migrate.`,
  );
}

async function createLog(config: Config, isTerminal: boolean): Promise<Logger> {
  if (isTerminal) {
    const { default: pretty } = await import('pino-pretty');
    return pino({ level: config.logLevel, base: null }, pretty());
  }
  const destination = new LogDestination(standardOutput);
  process.once('exit', () => destination.flushSync());
  // A busy server writes by the buffer, a quiet one by the clock.
  setInterval(() => destination.flush(), logDelay).unref();
  return pino({ level: config.logLevel, base: null }, destination);
}

/** Where nobody watches a terminal the keys go to a file only its owner can read, and never to a log. */
async function keepFirstStart(config: Config, text: string): Promise<string> {
  const file = join(config.dataDirectory, 'first-start.txt');
  await writeFile(file, text, { mode: 0o600 });
  return file;
}

/** The first signal lets running requests finish; a second one exits at once. */
async function untilStopped(server: RunningServer, log: Logger): Promise<void> {
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve);
    process.once('SIGINT', resolve);
  });
  log.info({ signal }, 'stopping: running requests may finish');
  const exitNow = () => process.exit(1);
  process.once('SIGTERM', exitNow);
  process.once('SIGINT', exitNow);
  await server.stop();
  log.info('stopped');
  await new Promise<void>((resolve) => log.flush(() => resolve()));
}

function startupTime(): number {
  return Math.round(performance.now());
}
