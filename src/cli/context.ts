import type { Command } from 'commander';
import type { Flags } from '../config/apply-flags.ts';
import type { Config } from '../config/config.ts';
import { type LoadedConfig, type LoadOptions, loadConfig } from '../config/load-config.ts';
import { StoredRefusals } from '../management/audit/refusals.ts';
import type { Uses } from '../management/services.ts';
import { useNetwork } from '../network/use-network.ts';
import type { Storage } from '../ports/storage.ts';
import type { CliEnvironment } from './cli-environment.ts';
import { CommandFailure } from './command-failure.ts';

/** The options every command has. */
interface CommonOptions {
  readonly config?: string;
}

/** What commands give to operations. */
export type CommandServices = Uses<keyof Storage, 'clock' | 'invalidate' | 'refusals' | 'stored'>;

/** What a command works with: its surroundings, its configuration and its way to answer. */
export class CommandContext {
  readonly environment: CliEnvironment;
  readonly #program: Command;
  /** Whether the answer is wanted as JSON. */
  readonly json: boolean;
  /** The exit code when the command ends without an error. */
  exitCode = 0;
  #isAnswered = false;

  /** @param json Known apart from the program, which may stop reading its words at a mistake. */
  constructor(program: Command, environment: CliEnvironment, json: boolean) {
    this.#program = program;
    this.environment = environment;
    this.json = json;
  }

  /** How this invocation loads its configuration. */
  loadOptions(flags: Flags = {}): LoadOptions {
    const { env, cwd, clock } = this.environment;
    return { file: this.#options.config, flags, environment: env, directory: cwd, clock };
  }

  /** @throws ConfigError with every mistake in the configuration. */
  async loadConfig(flags: Flags = {}): Promise<LoadedConfig> {
    const loaded = await loadConfig(this.loadOptions(flags));
    await useNetwork(loaded.config.proxies, loaded.config.server.caFile);
    return loaded;
  }

  /**
   * The same for commands that call no provider: these need no provider secrets.
   * @throws ConfigError with every other mistake in the configuration.
   */
  async loadForBooks(): Promise<Config> {
    const { config } = await loadConfig({ ...this.loadOptions(), callsNoProvider: true });
    await useNetwork(config.proxies, config.server.caFile);
    return config;
  }

  /**
   * Runs an action on the migrated database and closes it again.
   * @param loaded For an action that calls a provider; by default the one without their secrets.
   * @throws CommandFailure when the schema is behind: only `serve` and `db migrate` bring it up to date.
   */
  async withStorage(
    action: (services: CommandServices, config: Config) => Promise<void>,
    loaded?: Config,
  ): Promise<void> {
    const config = loaded ?? (await this.loadForBooks());
    await this.withOpenStorage(config, async (storage) => {
      await requireMigrated(storage);
      // Nothing is left to migrate: this books the charges that processes which died left behind.
      await storage.migrate();
      await storage.limitCalendar.load();
      const { clock } = this.environment;
      const refusals = new StoredRefusals(storage, clock);
      const announced: Promise<void>[] = [];
      const invalidate: CommandServices['invalidate'] = (change) => {
        announced.push(storage.announce(change));
      };
      try {
        const { stored } = config.limits;
        await action({ storage, clock, invalidate, refusals, stored }, config);
      } finally {
        await Promise.all(announced);
      }
    });
  }

  /**
   * Runs an action on the database as it is and closes it again.
   * @param mustExist False for an action that may make a new one.
   */
  async withOpenStorage(
    config: Config,
    action: (storage: Storage) => Promise<void>,
    mustExist = true,
  ): Promise<void> {
    const storage = await this.environment.openStorage(config, { mustExist });
    try {
      await action(storage);
    } finally {
      await storage.close();
    }
  }

  /** Answers: the value as JSON when that is wanted, else the text. */
  answer(value: unknown, text: string): void {
    this.#isAnswered = true;
    this.environment.stdout(this.json ? `${JSON.stringify(value, undefined, 2)}\n` : text);
  }

  /** Answers a failure where JSON is wanted, unless the command has answered already and its exit code says that it failed. */
  answerFailure(value: unknown): void {
    if (this.json && !this.#isAnswered) this.answer(value, '');
  }

  get #options(): CommonOptions {
    return this.#program.opts<CommonOptions>();
  }
}

async function requireMigrated(storage: Storage): Promise<void> {
  const { pending } = await storage.migrationStatus();
  if (pending.length === 0) return;
  throw new CommandFailure(
    `the database lacks ${pending.length} migration(s), which only "headgate serve" and "headgate db migrate" apply; run one of them`,
  );
}
