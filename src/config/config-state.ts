import type { Environment } from '../util/environment.ts';
import type { Position } from './config-error.ts';
import type { LoadedConfig } from './load-config.ts';

/** What is known of the configuration in use besides its values. */
export interface ConfigFacts {
  /** When it was read, Unix milliseconds. */
  readonly loadedAt: number;
  /** What `headgate check` warns of, one line each, without secrets. */
  readonly warnings: readonly string[];
  /** Where values stand that are set, by their dotted keys; all others are defaults. */
  readonly sources: ReadonlyMap<string, Position>;
  /** What was changed in the file and waits for a restart. */
  readonly needRestart: readonly string[];
  /** Why the file is not in use as it is now; undefined while it is. */
  readonly refused: { readonly at: number; readonly reasons: readonly string[] } | undefined;
}

/** Keeps how the configuration was read last, for operators. */
export class ConfigState {
  /** Names of its variables tell which values are secret. */
  readonly environment: Environment;
  #facts: ConfigFacts;

  constructor(
    loaded: Pick<LoadedConfig, 'warnings' | 'sources'>,
    environment: Environment,
    now: number = Date.now(),
  ) {
    this.environment = environment;
    this.#facts = { ...loaded, loadedAt: now, needRestart: [], refused: undefined };
  }

  get facts(): ConfigFacts {
    return this.#facts;
  }

  /** Notes that another configuration is in use. */
  changed(
    loaded: Pick<LoadedConfig, 'warnings' | 'sources'>,
    needRestart: readonly string[],
    now: number = Date.now(),
  ): void {
    this.#facts = { ...loaded, loadedAt: now, needRestart, refused: undefined };
  }

  /** Notes that the file says again what is in use. */
  unchanged(): void {
    this.#facts = { ...this.#facts, needRestart: [], refused: undefined };
  }

  /** Notes that the file cannot be used, so that the configuration stays. */
  refused(reasons: readonly string[], now: number = Date.now()): void {
    this.#facts = { ...this.#facts, refused: { at: now, reasons } };
  }
}
