import { lstat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { buildCatalogue } from '../catalogue/build-catalogue.ts';
import { readProxyRules } from '../network/proxy-rules.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { type Environment, environmentValue } from '../util/environment.ts';
import { checkReferences } from './check-references.ts';
import type { Config } from './config.ts';
import { ConfigError, type Position } from './config-error.ts';
import { type Flags, layOver, warnUnknownVariables } from './lay-over.ts';
import { readBenchmarkScores } from './read-benchmark-scores.ts';
import { readDocument } from './read-document.ts';
import { readField } from './read-field.ts';
import { Reading } from './reading.ts';
import { configSchema, type Settings } from './schema.ts';
import { toConfig } from './to-config.ts';

/** Read where it is and nothing else is named. */
const defaultFile = 'headgate.yaml';

/** Where a configuration comes from. */
export interface LoadOptions {
  /** `--config`; wins over HEADGATE_CONFIG. A file named so must exist; the default file need not. */
  readonly file?: string;
  readonly flags?: Flags;
  readonly environment: Environment;
  /** The folder relative names start from. */
  readonly directory: string;
  readonly clock?: Clock;
  /** Secrets of providers may be missing then: a variable that is not set, or a file that cannot be read. */
  readonly callsNoProvider?: boolean;
}

/** A configuration with what its author should hear about. */
export interface LoadedConfig {
  readonly config: Config;
  /** One line each, without secrets. */
  readonly warnings: readonly string[];
  /** Where values stand that are set, by their dotted keys; all others are defaults. */
  readonly sources: ReadonlyMap<string, Position>;
}

/**
 * Reads the configuration: flag over environment over file over default (docs/spec/operations.md#configuration).
 * @throws ConfigError with every mistake in it.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { environment, directory, flags = {}, clock = systemClock } = options;
  const name = await findFile(options);
  const path = name === undefined ? undefined : resolve(directory, name);
  const { document, lines, problems } = await readDocument(path, name ?? defaultFile);
  const reading = new Reading({
    document,
    lines,
    source: name ?? 'configuration',
    directory: path === undefined ? directory : dirname(path),
    overlays: layOver(document, environment, flags),
    environment,
    callsNoProvider: options.callsNoProvider === true,
  });
  reading.problems.push(...problems);
  const settings = readField(
    configSchema,
    document.contents ?? document.createNode({}),
    '',
    reading,
  ) as Settings;
  checkReferences(settings ?? {}, reading);
  const benchmarkResults = await readBenchmarkScores(settings?.routing?.benchmark_scores, reading);
  const { rules: proxies, unreadable } = readProxyRules(environment);
  for (const { variable, allowed } of unreadable) {
    const problem = { problem: 'cannot be read', allowed, remedy: 'set it to one, or unset it' };
    reading.problem(`environment ${variable}`, problem);
  }
  if (reading.problems.length > 0) throw new ConfigError(inOrder(reading.problems));
  const { catalog, models, providers } = settings;
  const catalogue = await buildCatalogue({ providers, models, catalog, environment, now: clock.now() });
  for (const [index, { id, endpoints }] of models.entries()) {
    if (catalogue.models.has(id)) continue;
    const reason = endpoints === undefined ? 'no built-in model has this id' : 'it has no endpoint';
    reading.warn(`models[${index}]`, `"${id}" is not served: ${reason} among the providers in service`);
  }
  const config = toConfig(settings, {
    file: path,
    directory,
    catalogue,
    benchmarkResults,
    environment,
    proxies,
  });
  const warnings = [...reading.warnings, ...warnUnknownVariables(environment)];
  return { config, warnings, sources: reading.positions };
}

/** The name of the configuration file as the user knows it, or undefined when there is none to read. */
async function findFile(options: LoadOptions): Promise<string | undefined> {
  const named = options.file ?? environmentValue(options.environment, 'HEADGATE_CONFIG');
  if (named !== undefined) return named;
  // A symbolic link to a missing file counts as a file: reading it reports the error.
  return lstat(resolve(options.directory, defaultFile)).then(
    () => defaultFile,
    () => undefined,
  );
}

function inOrder(problems: ConfigError['problems']): ConfigError['problems'] {
  return problems.toSorted((left, right) => (left.position.line ?? 0) - (right.position.line ?? 0));
}
