import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Secret } from '../util/secret.ts';
import type { Config } from './config.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from './load-config.ts';

const settleTime = 100;

/** Is notified when the configuration changes while the process runs. */
export interface ConfigListener {
  /**
   * A new configuration is there, and something in it differs. It equals the old one in every part that
   * needs a restart, so that all of it may be used; `change.needRestart` names what was left as it was.
   */
  changed(config: Config, change: ConfigChange, loaded: LoadedConfig): void;
  /** The file is broken and the old configuration stays; one line for each reason, without secrets. */
  refused(reasons: readonly string[]): void;
  /** It was read anew, and says what it said before. @param isAsked Whether somebody asked for that. */
  unchanged(isAsked: boolean): void;
}

/** Stops watching. */
export interface ConfigWatch {
  /** Reads the file again now, as SIGHUP does. */
  reload(): Promise<void>;
  close(): void;
}

/**
 * Reads the configuration again whenever its file changes or the process gets SIGHUP, and notifies the listener
 * (docs/spec/operations.md#live-changes). Only providers, models, plugins, guardrails, tools, location, routing,
 * limits and auth take effect.
 */
export function watchConfig(current: Config, options: LoadOptions, listener: ConfigListener): ConfigWatch {
  let config = current;
  let waiting: NodeJS.Timeout | undefined;
  // One after the other, so that the last state of the file wins.
  let queue = Promise.resolve();

  const readAgain = async (isAsked: boolean) => {
    const before = config;
    const loaded = await loadConfig(options);
    const lost = config.file === undefined ? undefined : whatIsLost(config.file);
    if (lost !== undefined) listener.refused([lost]);
    else config = announce(config, loaded, listener);
    if (lost === undefined && config === before) listener.unchanged(isAsked);
  };
  const read = (isAsked: boolean) => {
    queue = queue
      .then(() => readAgain(isAsked))
      .catch((error: unknown) => listener.refused(reasonsOf(error)));
    return queue;
  };
  const reload = () => read(true);
  // Editors write a file in several steps; only the last one counts.
  const reloadSoon = () => {
    clearTimeout(waiting);
    waiting = setTimeout(read, settleTime, false);
  };

  const watcher = current.file === undefined ? undefined : watchFile(current.file, reloadSoon);
  if (current.file !== undefined && changedSinceStart(current.file)) reloadSoon();
  process.on('SIGHUP', reload);
  return {
    reload,
    close: () => {
      clearTimeout(waiting);
      watcher?.close();
      process.off('SIGHUP', reload);
    },
  };
}

/**
 * What became of the file, should it say nothing any more. Without a word in it all models would go; it is more likely
 * being written, or was taken away by mistake.
 */
function whatIsLost(file: string): string | undefined {
  const { size } = statSync(file, { throwIfNoEntry: false }) ?? {};
  if (size === undefined) return `${basename(file)}: the file is gone; put it back, or restart without one`;
  if (size === 0) return `${basename(file)}: the file is empty; write it anew, or restart to run without it`;
  return undefined;
}

function announce(before: Config, loaded: LoadedConfig, listener: ConfigListener): Config {
  const { config } = loaded;
  const change = compareConfigs(before, config);
  if (change.live.length === 0 && change.needRestart.length === 0) return before;
  const next = takeOver(before, config);
  listener.changed(next, change, loaded);
  return next;
}

/** Watches the folder: editors and mounted secrets replace the file, which ends a watch on the file itself. */
function watchFile(file: string, changed: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_event, name) => {
      // Mounted configuration maps swap a link beside the file instead of the file.
      if (name === null || name === basename(file) || name.startsWith('..')) changed();
    });
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // Without file events SIGHUP still works.
    return undefined;
  }
}

/** Whether a change may have come after the file was read, but before it was watched. */
function changedSinceStart(file: string): boolean {
  // Unlike the modification time, the change time also shows that another file took the name.
  const changedAt = statSync(file, { throwIfNoEntry: false })?.ctimeMs ?? 0;
  return changedAt >= performance.timeOrigin;
}

function reasonsOf(error: unknown): readonly string[] {
  return error instanceof Error ? error.message.split('\n') : ['unknown reason'];
}

/**
 * Parts that take effect while running (docs/spec/operations.md#live-changes); the catalogue is what providers and
 * models make.
 */
const liveKeys = [
  'catalogue',
  'guardrails',
  'entityAnalyzer',
  'plugins',
  'presets',
  'location',
  'routing',
  'tools',
  'benchmarkResults',
  'limits',
  'auth',
] as const satisfies readonly (keyof Config)[];
const isLive = (name: keyof Config) => liveKeys.some((key) => key === name);

/** What parts are called in the file, where it is not their name here. */
const namesInFile: Readonly<Partial<Record<keyof Config, string>>> = {
  catalogue: 'providers, catalog, models',
  benchmarkResults: 'routing.benchmark_scores',
  entityAnalyzer: 'guardrails.entity_analyzer',
  dataDirectory: 'data_dir',
  sharedState: 'shared_state',
  masterKey: 'master_key',
  logLevel: 'log_level',
};

/** Which parts of two configurations differ, by their names in the file, and whether a running server can take them over. */
export interface ConfigChange {
  readonly live: readonly string[];
  readonly needRestart: readonly string[];
}

/** Compares two configurations part by part; secrets by their text. */
function compareConfigs(before: Config, after: Config): ConfigChange {
  const names = Object.keys({ ...before, ...after }) as (keyof Config)[];
  const changed = names.filter((name) => !isDeepStrictEqual(opened(before[name]), opened(after[name])));
  const nameInFile = (name: keyof Config) => namesInFile[name] ?? name;
  return {
    live: changed.filter(isLive).map(nameInFile),
    needRestart: changed.filter((name) => !isLive(name)).map(nameInFile),
  };
}

/** A configuration with the parts of another one that can take effect while running. */
function takeOver(before: Config, after: Config): Config {
  const live = Object.fromEntries(liveKeys.map((key) => [key, after[key]]));
  return Object.freeze({ ...before, ...live });
}

/** The same value with secrets as text, for comparison only. */
function opened(value: unknown): unknown {
  if (value instanceof Secret) return value.reveal();
  if (value instanceof Map) return [...value].map(opened);
  if (value instanceof Set) return [...value];
  if (Array.isArray(value)) return value.map(opened);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, opened(member)]));
}
