import type { Catalogue } from '../core/catalogue.ts';
import type { Secret } from '../core/secret.ts';
import type { BillingMode } from '../ports/accounts.ts';

/** The whole configuration, read once and frozen (operations.md 3). Durations are milliseconds, sizes bytes. */
export interface Config {
  /** Where it came from, for messages; undefined when there is no file. */
  readonly file?: string;
  readonly dataDirectory: string;
  readonly server: ServerConfig;
  readonly database: { readonly url: string; readonly autoMigrate: boolean };
  readonly logLevel: LogLevel;
  readonly bootstrap: BootstrapConfig;
  readonly responses: { readonly echoDefaults: boolean };
  /** Extra spellings of the `service` prefix in requests (specification README, decision 1). */
  readonly aliases: readonly string[];
  readonly catalogue: Catalogue;
}

/** Names of pino's levels. */
export type LogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'fatal';

/** The listener and its limits. */
export interface ServerConfig {
  readonly host: string;
  readonly port: number;
  readonly bodyLimit: number;
  readonly corsOrigins: readonly string[];
  readonly trustProxy: boolean;
  /** How long running requests may go on after a stop signal. */
  readonly drainTimeout: number;
  /** Limit of a whole request until its headers are sent. */
  readonly requestTimeout: number;
  /** Silence after which a stream sends a comment. */
  readonly keepAlive: number;
}

/** What the first start on an empty database uses. */
export interface BootstrapConfig {
  readonly managementKey?: Secret;
  readonly apiKey?: Secret;
  readonly billingMode: BillingMode;
}
