import type { Config } from '../config/config.ts';
import type { LoadOptions } from '../config/load-config.ts';
import type { Clock } from '../ports/clock.ts';
import type { Storage } from '../ports/storage.ts';

/** Everything the command line reaches outside itself, so that it can run in a test as in a terminal. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder relative names start from. */
  readonly cwd: string;
  stdout(text: string): void;
  stderr(text: string): void;
  /** Whether standard output is a terminal. */
  readonly isTerminal: boolean;
  /** Opens the database of a configuration; its schema is not touched. */
  openStorage(config: Config): Promise<Storage>;
  /** Runs the server until it is stopped and gives the exit code. */
  serve(config: Config, options: ServeOptions): Promise<number>;
  readonly clock: Clock;
}

/** What `serve` knows besides the configuration. */
export interface ServeOptions {
  /** How the configuration was loaded, to watch it. */
  readonly load: LoadOptions;
  /** One line each, for the log. */
  readonly warnings: readonly string[];
}
