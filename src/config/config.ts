import type { BenchmarkResult } from '../core/benchmark-result.ts';
import type { Catalogue } from '../core/catalogue.ts';
import type { Limits } from '../core/limits.ts';
import type { NanoUsd } from '../core/money.ts';
import type { RoutingRules } from '../core/routing-rules.ts';
import type { BillingMode } from '../ports/accounts.ts';
import type { Secret } from '../util/secret.ts';

/** The whole configuration, read once and frozen (operations.md 3). Durations are milliseconds, sizes bytes. */
export interface Config {
  /** Where it came from, for messages; undefined when there is no file. */
  readonly file?: string;
  /** Absolute. */
  readonly dataDirectory: string;
  readonly server: ServerConfig;
  readonly database: DatabaseConfig;
  readonly sharedState: SharedStateConfig;
  /** 32 bytes in base64; undefined means the one kept in the data directory. */
  readonly masterKey?: Secret;
  readonly logLevel: LogLevel;
  readonly bootstrap: BootstrapConfig;
  readonly responses: { readonly echoDefaults: boolean };
  /** Extra spellings of the `service` prefix in requests (specification README, decision 1). */
  readonly aliases: readonly string[];
  readonly catalogue: Catalogue;
  readonly location: LocationConfig;
  readonly routing: RoutingRules;
  /** Results of the file that `routing.benchmark_scores` names. */
  readonly benchmarkResults: readonly BenchmarkResult[];
  readonly limits: Limits;
  readonly byok: ByokConfig;
}

/** Names of pino's levels. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** Where records are kept. */
export interface DatabaseConfig {
  /** May hold a password. */
  readonly url: string;
  readonly autoMigrate: boolean;
  /** Connections one process opens at most; a file needs none. */
  readonly poolSize?: number;
  /** After how many days records of single calls are deleted; undefined keeps them. */
  readonly retentionDays?: number;
}

/** The listener and its limits. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly bodyLimit: number;
  /** Bytes that the bodies of all requests that are being answered may have together. */
  readonly bodiesLimit: number;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean;
  /** How long running requests may go on after a stop signal. */
  readonly drainTimeout: number;
  /** Limit of a whole request until its headers are sent. */
  readonly requestTimeout: number;
  /** How long headers may take to arrive, and a body to stay below the minimum rate. */
  readonly headerTimeout: number;
  /** Open connections of one client address; 0 for any number. Undefined: a limit for public addresses alone. */
  readonly connectionsPerAddress?: number;
  /** Silence after which a stream sends a comment. */
  readonly keepAlive: number;
  /** How long a client may take nothing of what is sent to it. */
  readonly sendTimeout: number;
  /** When set, metrics are served there and not on the public listener. */
  readonly metricsPort?: number;
  /** Processes on this machine. */
  readonly workers: number;
}

/** What several processes share. */
export interface SharedStateConfig {
  /** May hold a password; undefined means in this process. */
  readonly url?: string;
  readonly onFailure: 'reject' | 'local';
}

/** What the first start on an empty database uses. */
export interface BootstrapConfig {
  readonly managementKey?: Secret;
  readonly apiKey?: Secret;
  readonly billingMode: BillingMode;
}

/** Where this installation stands (routing.md 3.2, 8). Undefined is not told. */
export interface LocationConfig {
  /** As routing metadata shows it. */
  readonly region?: string;
  /** An ISO code. */
  readonly country?: string;
  /** Where data may be processed; undefined is anywhere. */
  readonly dataRegions?: readonly string[];
}

/** Requests served with an account's own provider credentials (accounts-and-limits 6). */
export interface ByokConfig {
  /** Fraction of the list price, 0 to 1. */
  readonly feeRate: number;
  readonly monthlyAllowance: NanoUsd;
  /** Of accounts whose billing mode is `enterprise`. */
  readonly enterpriseMonthlyAllowance: NanoUsd;
}
