import type { BenchmarkResult } from '../core/benchmark-result.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { Limits } from '../core/limits.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import type { CamelCased } from '../util/camel-case.ts';
import type { Secret } from '../util/secret.ts';
import type { Settings } from './schema.ts';

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
  readonly logLevel: Settings['log_level'];
  readonly bootstrap: CamelCased<Settings['bootstrap']>;
  readonly responses: CamelCased<Settings['responses']>;
  /** Help for clients written for another service, such as extra spellings of the `service` prefix. */
  readonly compat: CamelCased<Settings['compat']>;
  readonly catalogue: Catalogue;
  readonly location: CamelCased<Settings['location']>;
  readonly routing: RoutingRules;
  /** Results of the file that `routing.benchmark_scores` names. */
  readonly benchmarkResults: readonly BenchmarkResult[];
  readonly limits: Limits;
  readonly byok: CamelCased<Settings['byok']>;
}

/** Where records are kept. A file needs no pool of connections. */
export type DatabaseConfig = Partial<CamelCased<Settings['database']>> & {
  /** With an absolute path; may hold a password. */
  readonly url: string;
  readonly autoMigrate: boolean;
};

/** The listener and its limits. File names are absolute. */
export type ServerConfig = CamelCased<Settings['server']>;
