import type { Config } from '../config/config.ts';
import type { LoadedConfig, LoadOptions } from '../config/load-config.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import type { Clock } from '../ports/clock.ts';
import type { CredentialForms } from '../ports/credential-forms.ts';
import type { CredentialVault } from '../ports/credentials.ts';
import type { DatabaseCopy, Restored, RowCounts } from '../ports/database-copies.ts';
import type { Storage } from '../ports/storage.ts';
import type { Secret } from '../util/secret.ts';

/** Everything the command line reaches outside itself, so that it can run in a test as in a terminal. */
export interface CliEnvironment {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder relative names start from. */
  readonly cwd: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /**
   * Opens the database of a configuration; its schema is not touched.
   * @throws Error for the operator: it cannot be opened, or `mustExist` and its file is not there.
   */
  openStorage(config: Config, options: { readonly mustExist: boolean }): Promise<Storage>;
  /** What stored credentials take: the master keys of a configuration and the adapters. */
  openCredentials(config: Config, storage: Storage): Promise<CredentialTools>;
  /** What copies whole databases; loaded when it is needed. */
  openDatabaseTools(): Promise<DatabaseTools>;
  /** Runs the server until it is stopped and gives the exit code. */
  serve(config: Config, options: ServeOptions): Promise<number>;
  readonly clock: Clock;
}

/** Copies whole databases. Each of them throws Error for the operator. */
export interface DatabaseTools {
  /** Copies the database into a new file, while servers run. */
  backup(config: Config, copy: string): Promise<RowCounts>;
  /**
   * Puts a backup in the place of the database, which is kept.
   * @param now Unix milliseconds.
   */
  restore(config: Config, copy: string, now: number): Promise<Restored>;
  /** Copies the database into an empty one of the other engine, while servers run. */
  copy(config: Config, url: string): Promise<DatabaseCopy>;
}

/** What can be done with stored credentials. */
export interface CredentialTools {
  readonly vault: CredentialVault;
  readonly forms: CredentialForms;
  /**
   * Seals every stored secret anew under a new master key.
   * @throws Error for the operator when that cannot be finished.
   */
  rotate(): Promise<{ readonly rotated: number; readonly masterKeyId: string }>;
  /**
   * Makes one short call with a credential and resolves with what the model said.
   * @throws HeadgateError what the provider answered instead.
   */
  ask(target: { readonly model: Model; readonly endpoint: Endpoint }, secret: Secret): Promise<string>;
}

/** What `serve` knows besides the configuration. */
export interface ServeOptions {
  /** How the configuration was loaded, to watch it. */
  readonly load: LoadOptions;
  /** One line each, for the log. */
  readonly warnings: readonly string[];
  /** Where values of the configuration stand. */
  readonly sources: LoadedConfig['sources'];
}
