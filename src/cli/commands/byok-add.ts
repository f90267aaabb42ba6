import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { type Command, Option } from 'commander';
import { HeadgateError } from '../../core/errors.ts';
import { credentialLabel } from '../../operations/credential-label.ts';
import type { CredentialForms, WellFormedCredential } from '../../ports/credential-forms.ts';
import type { NewCredential } from '../../ports/credentials.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { showOwnedCredential } from '../credential-view.ts';
import { findAccount } from '../find-account.ts';
import { findWorkspace } from '../find-workspace.ts';
import { formatPairs } from '../format-table.ts';
import { parseSwitch, parseText } from '../option-values.ts';
import type { Surroundings } from '../surroundings.ts';
import { bringIntoService } from './byok-test.ts';

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
const otherwise = 'name one with --workspace, or say --account-wide';

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
  await context.withStorage(async (storage, config) => {
    const { surroundings } = context;
    const { vault, forms } = await surroundings.openCredentials(config, storage);
    const key = readKey(options, forms, surroundings);
    const account = await findAccount(storage, options.account);
    const credential: NewCredential = {
      id: randomUUID(),
      accountId: account.id,
      workspaceId:
        options.accountWide === true
          ? null
          : await findWorkspace(storage, account, options.workspace, otherwise),
      provider: options.provider,
      name: options.name ?? null,
      label: credentialLabel(key),
      disabled: options.disabled === true,
      isByokOnly: options.byokOnly === true,
      isFallback: options.fallback === true,
      isRequired: options.required === true,
      declaredZdr: options.declaredZdr ?? null,
      allowedModels: options.models ?? null,
      allowedKeyHashes: null,
      allowedUserIds: null,
      createdAt: surroundings.clock.now(),
    };
    const stored = await vault.seal(key.secret, credential, (sealed) =>
      storage.credentials.create(credential, sealed),
    );
    context.answer(
      showOwnedCredential(stored),
      formatPairs([
        ['Id', stored.id],
        ['Provider', stored.provider],
        ['Label', stored.label],
        [
          'Next',
          config.catalogue.providers.has(stored.provider)
            ? `headgate byok test ${stored.id.slice(0, 8)}`
            : `${bringIntoService(stored.provider)}: none of its models is served yet`,
        ],
      ]),
    );
  });
}

function readKey(
  { provider, keyFile }: AddOptions,
  forms: CredentialForms,
  { cwd, stderr }: Surroundings,
): WellFormedCredential {
  if (!forms.has(provider)) {
    throw new CommandFailure(`there is no provider "${provider}"; see "headgate check" or docs/providers.md`);
  }
  const isTyped = keyFile === '-' && isatty(standardInput);
  if (isTyped)
    stderr('Paste the credential, then press Enter and Ctrl-D (or name a file with --key-file):\n');
  let text: string;
  try {
    text = readFileSync(keyFile === '-' ? standardInput : resolve(cwd, keyFile), 'utf8');
  } catch {
    throw new CommandFailure(`the credential cannot be read from "${keyFile}"; name a file with --key-file`);
  }
  if (text.trim() === '') {
    throw new CommandFailure(
      'the credential is empty; give it on standard input or in a file with --key-file',
    );
  }
  try {
    return forms.read(provider, text);
  } catch (error) {
    if (!(error instanceof HeadgateError)) throw error;
    throw new CommandFailure(`the credential has not the form ${provider} asks for: ${error.message}`);
  }
}
