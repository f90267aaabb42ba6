import { Command, CommanderError } from 'commander';
import { ConfigError, isCommandLine } from '../config/config-error.ts';
import { HeadgateError } from '../core/errors.ts';
import { packageVersion } from '../util/package-version.ts';
import type { CliEnvironment } from './cli-environment.ts';
import { addAccountCommands, addMemberCommands } from './commands/accounts.ts';
import { addAuditCommands } from './commands/audit.ts';
import { addAuthCommands } from './commands/auth.ts';
import { addByokCommands } from './commands/byok.ts';
import { addCheckCommand } from './commands/check.ts';
import { addContentCommands } from './commands/content.ts';
import { addCreditCommands, addLedgerCommands } from './commands/credits.ts';
import { addDatabaseCommands } from './commands/database.ts';
import { addDestinationCommands } from './commands/destinations.ts';
import { addGuardrailCommands } from './commands/guardrails.ts';
import { addKeyCommands } from './commands/keys.ts';
import { addModelCommands } from './commands/models.ts';
import { addPresetCommands } from './commands/presets.ts';
import { addReplayCommand } from './commands/replay.ts';
import { addRouteCommands } from './commands/route.ts';
import {
  addAlertCommands,
  addDashboardCommand,
  addFirstStartCommand,
  addSecretCommands,
  addServeCommand,
} from './commands/server.ts';
import { addToolCommands } from './commands/tools.ts';
import { addUsageCommand } from './commands/usage.ts';
import { CommandContext } from './context.ts';
import { visible } from './format-table.ts';

/**
 * Runs one command (docs/spec/operations.md#commands) and gives its exit code: 0 success, 1 refused or failed with one
 * line on standard error saying why and what to do (several for a configuration), 2 wrong usage.
 * @param argv The words after the program's name.
 */
export async function runCommandLine(argv: readonly string[], environment: CliEnvironment): Promise<number> {
  const program = createProgram(environment);
  const context = new CommandContext(program, environment, argv.includes('--json'));
  for (const add of commands) add(program, context);
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return context.exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) {
      context.answerFailure(failureAnswer(error));
      environment.stderr(describeFailure(error));
      return isWrongUsage(error) ? 2 : 1;
    }
    if (error.exitCode === 0) return 0;
    // Help was shown instead.
    if (error.code === 'commander.help') return 2;
    const message = describeUsage(error, program, argv);
    context.answerFailure({ error: { message } });
    environment.stderr(`${message}\n`);
    return 2;
  }
}

const commands: readonly ((program: Command, context: CommandContext) => void)[] = [
  addServeCommand,
  addCheckCommand,
  addKeyCommands,
  addAccountCommands,
  addCreditCommands,
  addByokCommands,
  addModelCommands,
  addPresetCommands,
  addDestinationCommands,
  addContentCommands,
  addGuardrailCommands,
  addMemberCommands,
  addAuthCommands,
  addReplayCommand,
  addRouteCommands,
  addToolCommands,
  addUsageCommand,
  addLedgerCommands,
  addAuditCommands,
  addAlertCommands,
  addDashboardCommand,
  addDatabaseCommands,
  addSecretCommands,
  addFirstStartCommand,
];

function createProgram({ stdout, stderr }: CliEnvironment): Command {
  return new Command('headgate')
    .description('A self-hosted gateway for language-model inference.')
    .option(
      '--config <file>',
      'configuration file (default: HEADGATE_CONFIG, else headgate.yaml or headgate.yml)',
    )
    .option('--json', 'answer in JSON')
    .version(packageVersion())
    .configureOutput({
      writeOut: stdout,
      writeErr: stderr,
      // Said by `describeUsage`, which knows the command.
      outputError: () => {},
    })
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
}

/** What is wrong with the usage, and where the right one is found if the message does not say it. */
function describeUsage({ code, message }: CommanderError, program: Command, argv: readonly string[]): string {
  const text = message.trim().replace(/\s*\n\s*/g, ' ');
  // What our own commands say helps by itself, and so does a sentence with what is allowed or meant.
  const helps = code === 'commander.error' || /[.)]$/.test(text);
  return helps ? text : `${text}; see "${commandNamed(argv, program)} --help"`;
}

/** Whether nothing but options of `serve`, which are part of the configuration, is wrong with that. */
function isWrongUsage(error: unknown): boolean {
  return error instanceof ConfigError && error.problems.every(({ position }) => isCommandLine(position));
}

/** The command that words name, as far as there is one. */
function commandNamed(argv: readonly string[], program: Command): string {
  let command = program;
  const names = [program.name()];
  for (const word of argv) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) continue;
    command = next;
    names.push(word);
  }
  return names.join(' ');
}

/** What a program reads that asked for JSON; people read the same on standard error. */
function failureAnswer(error: unknown) {
  if (!(error instanceof ConfigError)) return { error: { message: messageFor(error) } };
  const problems = error.problems.map(({ position: { source, line }, path, problem, allowed, remedy }) => ({
    source,
    line,
    path,
    problem,
    allowed,
    remedy,
  }));
  return { error: { message: error.message, problems } };
}

function describeFailure(error: unknown): string {
  return error instanceof ConfigError ? `${error.message}\n` : `error: ${messageFor(error)}\n`;
}

function messageFor(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown failure';
  const cause = error.cause instanceof Error ? error.cause.message : '';
  // The message of such an error is for clients and hides the cause. Here the cause may be shown.
  const isCauseAlone = error instanceof HeadgateError && error.code === 'server' && cause !== '';
  const text = isCauseAlone
    ? cause
    : error.message.includes(cause)
      ? error.message
      : `${error.message} (${cause})`;
  return visible(text.replace(/\s*\n\s*/g, ' '));
}
