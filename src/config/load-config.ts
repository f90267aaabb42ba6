import { lstat, readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { buildCatalogue } from '../catalogue/build-catalogue.ts';
import { type BenchmarkResult, benchmarks } from '../core/benchmark-result.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { type ProxyRules, readProxyRules } from '../network/proxy-rules.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { camelCased } from '../util/camel-case.ts';
import { type Environment, environmentValue } from '../util/environment.ts';
import { isObject, parseJson } from '../util/json.ts';
import { applyFlags, type Flags, warnUnknownVariables } from './apply-flags.ts';
import { declaredWorkloads } from './auth-settings.ts';
import { checkReferences } from './check-references.ts';
import type { Config, ServerConfig } from './config.ts';
import { ConfigError, type ConfigProblem, type Position, reasonOf } from './config-error.ts';
import { declaredAnalyzer, declaredGuardrails } from './guardrail-settings.ts';
import { declaredPlugins } from './plugin-settings.ts';
import { readDocument } from './read-document.ts';
import { readField } from './read-field.ts';
import { Reading } from './reading.ts';
import { configSchema, type Settings } from './schema.ts';
import { declaredTools } from './tool-settings.ts';

/** Read where one is and nothing else is named, under the name that most have or its other spelling. */
const defaultFile = 'headgate.yaml';
const otherSpelling = 'headgate.yml';

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
    overlays: applyFlags(document, environment, flags),
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

/**
 * The name of the configuration file as the user knows it, or undefined when there is none to read.
 * @throws ConfigError when there are two, of which one would be without effect.
 */
async function findFile(options: LoadOptions): Promise<string | undefined> {
  const named = options.file ?? environmentValue(options.environment, 'HEADGATE_CONFIG');
  if (named !== undefined) return named;
  // A symbolic link to a missing file counts as a file: reading it reports the error.
  const isThere = (name: string) =>
    lstat(resolve(options.directory, name)).then(
      () => true,
      () => false,
    );
  const [isUsual, isOther] = await Promise.all([isThere(defaultFile), isThere(otherSpelling)]);
  if (isUsual && isOther) throw new ConfigError([twoFiles]);
  if (isOther) return otherSpelling;
  return isUsual ? defaultFile : undefined;
}

const twoFiles: ConfigProblem = {
  position: { source: otherSpelling },
  path: '',
  problem: `there is also a ${defaultFile}, and only one of them can be meant`,
  remedy: 'remove one, or name one with --config',
};

function inOrder(problems: ConfigError['problems']): ConfigError['problems'] {
  return problems.toSorted((left, right) => (left.position.line ?? 0) - (right.position.line ?? 0));
}

const path = 'routing.benchmark_scores';
const members = ['at', 'benchmark', 'endpoint', 'model', 'score', 'tasks'] as const;
const allowed = `lines such as {"model":"acme/atlas-4","endpoint":"northgpu","benchmark":"science","tasks":198,"score":0.71,"at":"2026-11-01T00:00:00Z"}`;

/** Reads the file of benchmark results, one JSON object a line; what is wrong with it is noted, line by line. */
async function readBenchmarkScores(
  file: string | undefined,
  reading: Reading,
): Promise<readonly BenchmarkResult[]> {
  if (file === undefined) return [];
  const text = await readText(resolve(reading.directory, file), reading);
  const results: BenchmarkResult[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const result = readLine(line);
    if (typeof result !== 'string') results.push(result);
    else reading.problem(path, { problem: `line ${index + 1} of the file: ${result}`, allowed, remedy });
  }
  return results;
}

const remedy = 'correct or remove the line';

async function readText(name: string, reading: Reading): Promise<string> {
  try {
    return await readFile(name, 'utf8');
  } catch (error) {
    const reason = reasonOf(error);
    reading.problem(path, {
      problem: `the file cannot be read (${reason})`,
      allowed: 'the name of a readable file of benchmark results',
      remedy: 'correct the name or the permissions',
    });
    return '';
  }
}

/** The result a line holds, or what is wrong with it. */
function readLine(line: string): BenchmarkResult | string {
  const row = parseJson(line);
  if (!isObject(row)) return 'is no JSON object';
  const unknown = Object.keys(row).find((name) => !members.some((member) => member === name));
  if (unknown !== undefined) return `"${unknown.slice(0, 40)}" is no member`;
  const { model, endpoint, benchmark, tasks, score, at } = row;
  const time = typeof at === 'string' ? Date.parse(at) : Number.NaN;
  if (typeof model !== 'string' || model === '') return 'model is no text';
  if (typeof endpoint !== 'string' || endpoint === '') return 'endpoint is no text';
  if (benchmark !== 'science' && benchmark !== 'tool_use') {
    return `benchmark is none of ${Object.keys(benchmarks).join(', ')}`;
  }
  if (typeof tasks !== 'number' || !Number.isInteger(tasks) || tasks < 1) return 'tasks is no whole number';
  if (typeof score !== 'number' || score < 0 || score > 1) return 'score is no number from 0 to 1';
  if (Number.isNaN(time)) return 'at is no time';
  return { model, tag: endpoint, benchmark, tasks, score, at: time };
}

/** The frozen configuration of checked settings. */
function toConfig(
  settings: Settings,
  place: {
    readonly file?: string;
    readonly directory: string;
    readonly catalogue: Catalogue;
    readonly benchmarkResults: readonly BenchmarkResult[];
    readonly environment: Environment;
    readonly proxies: ProxyRules;
  },
): Config {
  const { benchmark_scores: _file, ...routing } = settings.routing;
  const tools = declaredTools(settings.tools, place.environment);
  const dataDirectory = resolve(place.directory, settings.data_dir);
  const url = settings.database.url ?? `sqlite:${resolve(dataDirectory, 'headgate.db')}`;
  return deepFreeze({
    file: place.file,
    dataDirectory,
    server: serverOf(settings.server, folderOf(place)),
    database: { ...camelCased(settings.database), url: absoluteDatabase(url, place.directory) },
    sharedState: camelCased(settings.shared_state),
    masterKey: settings.master_key,
    proxies: place.proxies,
    logLevel: settings.log_level,
    bootstrap: camelCased(settings.bootstrap),
    responses: camelCased(settings.responses),
    compat: { ...camelCased(settings.compat), modelAliases: settings.compat.model_aliases },
    presets: presetsOf(settings.presets),
    catalogue: place.catalogue,
    plugins: declaredPlugins(settings.plugins),
    guardrails: declaredGuardrails(settings.guardrails),
    entityAnalyzer: declaredAnalyzer(settings.guardrails),
    tools,
    location: camelCased(settings.location),
    routing: {
      ...camelCased(routing),
      auto: { ...camelCased(routing.auto), priors: routing.auto.priors },
      fusion: tools.fusion,
    },
    benchmarkResults: place.benchmarkResults,
    limits: camelCased(settings.limits),
    byok: camelCased(settings.byok),
    alerts: camelCased(settings.alerts),
    observability: camelCased(settings.observability),
    contentLogging: camelCased(settings.content_logging),
    telemetry: telemetryOf(settings.telemetry),
    auth: { workloads: declaredWorkloads(settings.auth, folderOf(place)) },
  });
}

/** The folder that names of files in the configuration start from. */
function folderOf({ file, directory }: { readonly file?: string; readonly directory: string }): string {
  return file === undefined ? directory : dirname(file);
}

function telemetryOf({ headers, resource, ...others }: Settings['telemetry']): Config['telemetry'] {
  return { ...camelCased(others), headers, resource };
}

function serverOf(settings: Settings['server'], directory: string): ServerConfig {
  const { tls, caFile, ...others } = camelCased(settings);
  const server = { ...others, ...(caFile !== undefined && { caFile: resolve(directory, caFile) }) };
  if (tls === undefined) return server;
  const { certFile, keyFile } = tls;
  return { ...server, tls: { certFile: resolve(directory, certFile), keyFile: resolve(directory, keyFile) } };
}

/** A SQLite file's name made independent of the working directory. */
function absoluteDatabase(url: string, directory: string): string {
  const file = /^sqlite:(?!:memory:)(.+)$/.exec(url)?.[1];
  return file === undefined ? url : `sqlite:${resolve(directory, file)}`;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const member of Object.values(value)) deepFreeze(member);
  return Object.freeze(value);
}

function presetsOf(presets: Settings['presets']): Config['presets'] {
  const entries = Object.entries(presets).map(([slug, { system_prompt: systemPrompt, config }]) => [
    slug,
    { config, ...(systemPrompt !== undefined && { systemPrompt }) },
  ]);
  return Object.fromEntries(entries);
}
