import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { type Command, Option } from 'commander';
import { operator } from '../../operations/actor.ts';
import { bringIntoService } from '../../operations/credentials/choose-test-target.ts';
import {
  type CredentialInput,
  type CredentialSettings,
  createCredential,
} from '../../operations/credentials/create-credential.ts';
import { showCredentialOfAny } from '../../operations/credentials/show-credential.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { formatPairs } from '../format-table.ts';
import { parseSwitch, parseText } from '../option-values.ts';
import type { Surroundings } from '../surroundings.ts';

interface AddOptions {
  readonly provider: string;
  readonly keyFile: string;
  readonly name?: string;
  readonly account?: string;
  readonly workspace?: string;
  readonly accountWide?: boolean;
  readonly models?: readonly string[];
  readonly byokOnly?: boolean;
  readonly fallback?: boolean;
  readonly required?: boolean;
  readonly declaredZdr?: boolean;
  readonly disabled?: boolean;
}

const standardInput = 0;

/** `byok add`: the credential comes from a file or standard input, never from the command line others can see. */
export function addByokAddCommand(byok: Command, context: CommandContext): void {
  byok
    .command('add')
    .description('store a credential, encrypted')
    .addOption(
      new Option('--provider <slug>', 'the provider it is for').argParser(parseText).makeOptionMandatory(),
    )
    .option('--key-file <file>', 'file that holds the credential; - is standard input', '-')
    .option('--name <name>', 'its name', parseText)
    .option('--account <id>', 'its account (default: the only one)')
    .option('--workspace <id>', "its workspace, by id or slug (default: the account's default workspace)")
    .option('--account-wide', 'for all workspaces of the account')
    .option('--models <slugs...>', 'only for these models')
    .option('--byok-only', 'never use shared endpoints of the provider')
    .option('--fallback', 'only after shared endpoints failed')
    .option('--required', 'never use shared endpoints of the provider for the models it is for')
    .option(
      '--declared-zdr <true|false>',
      'whether the provider keeps nothing for this credential',
      parseSwitch,
    )
    .option('--disabled', 'store it without using it')
    .action((options: AddOptions, command: Command) => {
      const mistake = contradiction(options);
      if (mistake !== undefined) command.error(`error: ${mistake}`);
      return addCredential(options, context);
    });
}

function contradiction({ byokOnly, fallback, workspace, accountWide, name }: AddOptions): string | undefined {
  if (byokOnly === true && fallback === true) return '--byok-only and --fallback exclude each other';
  if (name !== undefined && name.length > 255) return '--name has at most 255 characters';
  return workspace !== undefined && accountWide === true
    ? '--workspace and --account-wide exclude each other'
    : undefined;
}

async function addCredential(options: AddOptions, context: CommandContext): Promise<void> {
  const { surroundings } = context;
  await context.withStorage(async (services, config) => {
    const { vault, forms } = await surroundings.openCredentials(config, services.storage);
    const input: CredentialInput = {
      provider: options.provider,
      // Asked for once the provider is known.
      get secret() {
        return readKey(options, surroundings);
      },
      name: options.name ?? null,
      account: options.account,
      workspace: options.accountWide === true ? null : options.workspace,
      allowedKeyHashes: null,
      settings: readSettings(options),
    };
    const stored = await createCredential(operator, input, { ...services, vault, credentialForms: forms });
    const isServed = config.catalogue.providers.has(stored.provider);
    context.answer(
      showCredentialOfAny(stored),
      formatPairs([
        ['Id', stored.id],
        ['Provider', stored.provider],
        ['Label', stored.label],
        [
          'Next',
          isServed
            ? `headgate byok test ${stored.id.slice(0, 8)}`
            : `${bringIntoService(stored.provider)}: none of its models is served yet`,
        ],
      ]),
    );
  });
}

function readSettings(options: AddOptions): CredentialSettings {
  return {
    disabled: options.disabled === true,
    isByokOnly: options.byokOnly === true,
    isFallback: options.fallback === true,
    isRequired: options.required === true,
    declaredZdr: options.declaredZdr ?? null,
    allowedModels: options.models ?? null,
    allowedUserIds: null,
  };
}

function readKey({ keyFile }: AddOptions, { cwd, stderr }: Surroundings): string {
  const isTyped = keyFile === '-' && isatty(standardInput);
  if (isTyped)
    stderr('Paste the credential, then press Enter and Ctrl-D (or name a file with --key-file):\n');
  try {
    return readFileSync(keyFile === '-' ? standardInput : resolve(cwd, keyFile), 'utf8');
  } catch {
    throw new CommandFailure(`the credential cannot be read from "${keyFile}"; name a file with --key-file`);
  }
}
