import type { BenchmarkResult } from '../core/benchmark-result.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { Limits } from '../core/limits.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import type { WorkloadIssuer } from '../core/workloads.ts';
import type { AnalyzerSettings } from '../guardrails/entity-analyzer.ts';
import type { FileGuardrail } from '../guardrails/guardrail-directory.ts';
import type { ProxyRules } from '../network/proxy-rules.ts';
import type { CamelCased } from '../util/camel-case.ts';
import type { JsonObject } from '../util/json.ts';
import type { Secret } from '../util/secret.ts';
import type { PluginConfig } from './plugin-settings.ts';
import type { Settings } from './schema.ts';
import type { ToolConfig } from './tool-settings.ts';

/**
 * The whole configuration, read once and frozen (docs/spec/operations.md#configuration). Durations are milliseconds,
 * sizes bytes.
 */
export interface Config {
  /** Where it came from, for messages; undefined when there is no file. */
  readonly file?: string;
  /** Absolute. */
  readonly dataDirectory: string;
  readonly server: ServerConfig;
  readonly database: DatabaseConfig;
  readonly sharedState: CamelCased<Settings['shared_state']>;
  /** 32 bytes in base64; undefined means the one kept in the data directory. */
  readonly masterKey?: Secret;
  /** Proxies that the environment names. */
  readonly proxies: ProxyRules;
  readonly logLevel: Settings['log_level'];
  readonly bootstrap: CamelCased<Settings['bootstrap']>;
  readonly responses: CamelCased<Settings['responses']>;
  /** Help for clients written for another service, such as extra spellings of the `service` prefix. */
  readonly compat: CamelCased<Settings['compat']>;
  /** Presets that every workspace has, by slug. */
  readonly presets: Readonly<Record<string, ConfiguredPreset>>;
  readonly catalogue: Catalogue;
  readonly plugins: PluginConfig;
  /** Guardrails of the file; the same list until the configuration changes. */
  readonly guardrails: readonly FileGuardrail[];
  /** What recognises names and addresses; undefined where nothing does. */
  readonly entityAnalyzer?: AnalyzerSettings;
  readonly tools: ToolConfig;
  readonly location: CamelCased<Settings['location']>;
  readonly routing: RoutingRules;
  /** Results of the file that `routing.benchmark_scores` names. */
  readonly benchmarkResults: readonly BenchmarkResult[];
  readonly limits: Limits;
  readonly byok: CamelCased<Settings['byok']>;
  readonly alerts: CamelCased<Settings['alerts']>;
  readonly observability: CamelCased<Settings['observability']>;
  readonly contentLogging: CamelCased<Settings['content_logging']>;
  readonly telemetry: TelemetryConfig;
  readonly auth: AuthConfig;
}

/** Who gets in besides keys. */
export interface AuthConfig {
  readonly workloads: readonly WorkloadIssuer[];
}

/** Traces and metrics for a collector. Names of headers and of resource attributes are as written. */
export type TelemetryConfig = CamelCased<Omit<Settings['telemetry'], 'headers' | 'resource'>> &
  Pick<Settings['telemetry'], 'headers' | 'resource'>;

/** A preset of the file. */
export interface ConfiguredPreset {
  readonly systemPrompt?: string;
  /** Members of a body of `POST /responses`. */
  readonly config: JsonObject;
}

/** Where records are kept. A file needs no pool of connections. */
export type DatabaseConfig = Partial<CamelCased<Settings['database']>> & {
  /** With an absolute path; may hold a password. */
  readonly url: string;
  readonly autoMigrate: boolean;
};

/** The listener and its limits. File names are absolute. */
export type ServerConfig = CamelCased<Settings['server']>;
