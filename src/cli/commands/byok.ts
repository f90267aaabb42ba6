import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { isatty } from 'node:tty';
import { type Command, Option } from 'commander';
import { operator } from '../../management/actor.ts';
import {
  type CredentialInput,
  type CredentialSettings,
  createCredential,
  deleteCredential,
  disableCredential,
  listAllCredentials,
} from '../../management/credentials/credentials.ts';
import { showCredentialOfAny } from '../../management/credentials/show.ts';
import { bringIntoService, testCredential } from '../../management/credentials/try-credential.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { CliEnvironment } from '../cli-environment.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { type Column, formatPairs, formatTable } from '../format-table.ts';
import { parseSwitch, parseText } from '../option-values.ts';

/** `byok add`, `list`, `disable`, `enable`, `remove` and `test` (docs/spec/operations.md#commands). */
export function addByokCommands(program: Command, context: CommandContext): void {
  const byok = program.command('byok').description("accounts' own provider credentials");
  addByokAddCommand(byok, context);
  byok
    .command('list')
    .description('list credentials; secrets are never shown')
    .option('--account <id>', 'its account (default: the only one)')
    .option('--provider <slug>', 'of this provider alone')
    .action(({ account, provider }: { account?: string; provider?: string }) =>
      context.withStorage(async (services) => {
        const credentials = await listAllCredentials(operator, { account, provider }, services);
        context.answer(
          { credentials: credentials.map(showCredentialOfAny) },
          formatTable(credentialColumns, credentials.map(credentialRow)),
        );
      }),
    );
  addChange(byok, context, 'disable', 'keep a credential but do not use it', (id, services) =>
    disableCredential(operator, { id, disabled: true }, services),
  );
  addChange(byok, context, 'enable', 'use a disabled credential again', (id, services) =>
    disableCredential(operator, { id, disabled: false }, services),
  );
  addChange(byok, context, 'remove', 'delete a credential and wipe its secret', (id, services) =>
    deleteCredential(operator, id, services),
  );
  addByokTestCommand(byok, context);
}

function addChange(
  byok: Command,
  context: CommandContext,
  name: 'disable' | 'enable' | 'remove',
  description: string,
  change: (id: string, services: CommandServices) => Promise<ProviderCredential>,
): void {
  byok
    .command(name)
    .description(description)
    .argument('<id>', 'the id of "headgate byok list" or its beginning')
    .action((prefix: string) =>
      context.withStorage(async (services) => {
        const { id, provider, label } = await change(prefix, services);
        const done = `${name}d`;
        context.answer({ id, provider, label, done }, `${provider} ${label} ${done}.\n`);
      }),
    );
}

/** `byok test`: makes one short call with a credential and shows what its provider answered. */
function addByokTestCommand(byok: Command, context: CommandContext): void {
  byok
    .command('test')
    .description('make one cheap call with a credential and say what the provider answered')
    .argument('<id>', 'the id of "headgate byok list" or its beginning')
    .option('--model <id>', 'the model to ask (default: the cheapest of the provider)')
    .action(async (id: string, { model }: { readonly model?: string }) => {
      const { config } = await context.loadConfig();
      await context.withStorage(async (services) => {
        const openTools = () => context.environment.openCredentials(config, services.storage);
        const tested = await testCredential(operator, { id, model }, services, config.catalogue, openTools);
        const { credential, milliseconds, answer } = tested;
        const { provider, label } = credential;
        context.answer(
          { id: credential.id, provider, label, model: tested.model, milliseconds, answer },
          `${provider} ${label}: ${tested.model} answered ${JSON.stringify(answer)} after ${milliseconds} ms.\n`,
        );
      }, config);
    });
}

const shownId = 8;

/** Columns of the table of provider credentials. */
const credentialColumns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'PROVIDER' },
  { heading: 'LABEL' },
  { heading: 'NAME' },
  { heading: 'STATE' },
  { heading: 'FLAGS' },
  { heading: 'ORDER', align: 'right' },
];

/** A credential as a row of the table. */
function credentialRow(credential: ProviderCredential): readonly string[] {
  return [
    credential.id.slice(0, shownId),
    credential.provider,
    credential.label,
    credential.name ?? '-',
    credential.disabled ? 'disabled' : 'active',
    flagsOf(credential).join(' ') || '-',
    String(credential.sortOrder),
  ];
}

function flagsOf(credential: ProviderCredential): readonly string[] {
  const { workspaceId, isByokOnly, isFallback, isRequired, declaredZdr } = credential;
  const flags: readonly [boolean, string][] = [
    [workspaceId === null, 'account-wide'],
    [isByokOnly, 'byok-only'],
    [isFallback, 'fallback'],
    [isRequired, 'required'],
    [declaredZdr === true, 'zdr'],
  ];
  return flags.filter(([set]) => set).map(([, word]) => word);
}

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
function addByokAddCommand(byok: Command, context: CommandContext): void {
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
  const { environment } = context;
  await context.withStorage(async (services, config) => {
    const { vault, forms } = await environment.openCredentials(config, services.storage);
    const input: CredentialInput = {
      provider: options.provider,
      // Asked for once the provider is known.
      get secret() {
        return readKey(options, environment);
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

function readKey({ keyFile }: AddOptions, { cwd, stderr }: CliEnvironment): string {
  const isTyped = keyFile === '-' && isatty(standardInput);
  if (isTyped)
    stderr('Paste the credential, then press Enter and Ctrl-D (or name a file with --key-file):\n');
  try {
    return readFileSync(keyFile === '-' ? standardInput : resolve(cwd, keyFile), 'utf8');
  } catch {
    throw new CommandFailure(`the credential cannot be read from "${keyFile}"; name a file with --key-file`);
  }
}
