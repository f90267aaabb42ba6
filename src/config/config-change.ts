import { isDeepStrictEqual } from 'node:util';
import { Secret } from '../util/secret.ts';
import type { Config } from './config.ts';

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
export function compareConfigs(before: Config, after: Config): ConfigChange {
  const names = Object.keys({ ...before, ...after }) as (keyof Config)[];
  const changed = names.filter((name) => !isDeepStrictEqual(opened(before[name]), opened(after[name])));
  const nameInFile = (name: keyof Config) => namesInFile[name] ?? name;
  return {
    live: changed.filter(isLive).map(nameInFile),
    needRestart: changed.filter((name) => !isLive(name)).map(nameInFile),
  };
}

/** A configuration with the parts of another one that can take effect while running. */
export function takeOver(before: Config, after: Config): Config {
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
