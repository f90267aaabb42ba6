import { resolve } from 'node:path';
import type { BenchmarkResult } from '../core/benchmark-result.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { ProxyRules } from '../network/proxy-rules.ts';
import { camelCased } from '../util/camel-case.ts';
import type { Environment } from '../util/environment.ts';
import type { Config, ServerConfig } from './config.ts';
import { declaredAnalyzer, declaredGuardrails } from './guardrail-settings.ts';
import { declaredPlugins } from './plugin-settings.ts';
import type { Settings } from './schema.ts';
import { declaredTools } from './tool-settings.ts';

/** The frozen configuration of checked settings. */
export function toConfig(
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
    server: serverOf(settings.server, place.directory),
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
  });
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
