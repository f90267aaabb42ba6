import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatUsd, usdToNumber } from '../../core/money.ts';
import type { PluginDefaults } from '../../core/plugin-defaults.ts';
import { changeAccount, createAccount, listAccounts } from '../../management/accounts/accounts.ts';
import { showAccount } from '../../management/accounts/show.ts';
import { operator } from '../../management/actor.ts';
import type { Account, AccountChange, AccountPrivacy, BillingMode } from '../../ports/accounts.ts';
import type { KeyRates } from '../../ports/keys.ts';
import type { CommandContext } from '../context.ts';
import { type Column, formatTable } from '../format-table.ts';
import {
  clearable,
  none,
  orNone,
  parsePluginDefaults,
  parseRate,
  parseSwitch,
  parseText,
} from '../option-values.ts';

const billingModes = ['prepaid', 'invoice', 'subscription', 'enterprise'] as const;

const rateHelp = 'instead of limits.rates.account:';

const columns: readonly Column[] = [
  { heading: 'ID' },
  { heading: 'NAME' },
  { heading: 'BILLING' },
  { heading: 'BALANCE USD', align: 'right' },
  { heading: 'SWITCHES' },
];

interface CreateOptions {
  readonly name: string;
  readonly billing?: BillingMode;
  readonly organization?: boolean;
}

interface SetOptions extends PrivacyOptions {
  readonly billing?: BillingMode;
  readonly freeExempt?: boolean;
  readonly inflightExempt?: boolean;
  readonly zeroRetention?: boolean;
  readonly disabled?: boolean;
  readonly requestsPerMinute?: number | typeof none;
  readonly tokensPerMinute?: number | typeof none;
  readonly parallel?: number | typeof none;
  readonly pluginDefaults?: PluginDefaults;
}

/** `accounts create`, `accounts list` and `accounts set`. */
export function addAccountCommands(program: Command, context: CommandContext): void {
  const accounts = program.command('accounts').description('who owns keys and money');
  accounts
    .command('create')
    .description('create an account with its default workspace')
    .addOption(new Option('--name <name>', 'its name').argParser(parseText).makeOptionMandatory())
    .addOption(billingOption())
    .option('--organization', 'of several people: its keys may say who made them')
    .action(({ name, billing, organization }: CreateOptions) =>
      context.withStorage(async (services, config) => {
        const kind = organization === true ? 'organization' : 'personal';
        const billingMode = billing ?? config.bootstrap.billingMode;
        const account = await createAccount(operator, { name, billingMode, kind }, services);
        context.answer(showAccount(account), `${account.id}\n`);
      }),
    );
  accounts
    .command('list')
    .description('list all accounts, oldest first')
    .action(() =>
      context.withStorage(async (services) => {
        const found = await listAccounts(operator, services);
        const rows = found.map(({ account, balance }) => [
          account.id,
          account.name,
          account.billingMode,
          formatUsd(balance),
          switches(account),
        ]);
        const shown = found.map(({ account, balance }) => ({
          ...showAccount(account),
          balance_usd: usdToNumber(balance),
        }));
        context.answer({ accounts: shown }, formatTable(columns, rows));
      }),
    );
  addSetCommand(accounts, context);
}

function addSetCommand(accounts: Command, context: CommandContext): void {
  const command = accounts
    .command('set')
    .description('change an account')
    .argument('<id>', 'the account')
    .addOption(billingOption())
    .option('--free-exempt <true|false>', 'no limits on free models', parseSwitch)
    .option('--inflight-exempt <true|false>', 'no in-flight budget', parseSwitch)
    .option(
      '--zero-retention <true|false>',
      'keep no answers, and use no provider that keeps prompts',
      parseSwitch,
    )
    .option('--disabled <true|false>', 'refuse every key of it', parseSwitch)
    .option(
      '--requests-per-minute <n>',
      `${rateHelp} requests in any minute, or "${none}"`,
      orNone(parseRate),
    )
    .option('--tokens-per-minute <n>', `${rateHelp} tokens in any minute, or "${none}"`, orNone(parseRate))
    .option('--parallel <n>', `${rateHelp} requests at the same time, or "${none}"`, orNone(parseRate))
    .option(
      '--plugin-defaults <json>',
      'plugins that are on by default, all of them, as {"ID": {"config": {}, "enforced": false}}; or "none"',
      parsePluginDefaults,
    );
  addPrivacyOptions(command).action((id: string, options: SetOptions) => {
    if (Object.keys(options).length === 0) {
      command.error('error: nothing to change; "headgate accounts set --help" lists what can be');
    }
    return context.withStorage(async (services, { catalogue }) => {
      const rates = readRates(options);
      const input = { id, change: readChange(options), privacy: readPrivacy(options), rates };
      const account = await changeAccount(operator, input, services, catalogue.providers);
      context.answer(
        showAccount(account),
        `${account.id} ${account.billingMode} ${switches(account)}`.trimEnd().concat('\n'),
      );
    });
  });
}

function billingOption(): Option {
  return new Option('--billing <mode>', 'how it pays').choices(billingModes);
}

function readChange({
  billing,
  freeExempt,
  inflightExempt,
  zeroRetention,
  disabled,
  pluginDefaults,
}: SetOptions): AccountChange {
  return {
    ...(billing !== undefined && { billingMode: billing }),
    ...(freeExempt !== undefined && { freeLimitExempt: freeExempt }),
    ...(inflightExempt !== undefined && { inflightExempt }),
    ...(zeroRetention !== undefined && { zeroRetention }),
    ...(disabled !== undefined && { disabled }),
    ...(pluginDefaults !== undefined && { pluginDefaults }),
  };
}

function readRates({ requestsPerMinute, tokensPerMinute, parallel }: SetOptions): Partial<KeyRates> {
  return {
    ...(requestsPerMinute !== undefined && { requestsPerMinute: clearable(requestsPerMinute) }),
    ...(tokensPerMinute !== undefined && { tokensPerMinute: clearable(tokensPerMinute) }),
    ...(parallel !== undefined && { parallel: clearable(parallel) }),
  };
}

function switches(account: Account): string {
  const { disabled, freeLimitExempt, inflightExempt, zeroRetention, privacy, rates, pluginDefaults } =
    account;
  const on = [
    disabled && 'disabled',
    freeLimitExempt && 'free-exempt',
    inflightExempt && 'inflight-exempt',
    zeroRetention && 'zero-retention',
    privacy !== undefined && 'privacy',
    rates !== undefined && 'rates',
    pluginDefaults !== undefined && 'plugins',
  ];
  return on.filter((word) => word !== false).join(' ');
}

/** Options of `accounts set` for where prompts may go; undefined leaves a setting as it is. */
interface PrivacyOptions {
  readonly allowProviders?: readonly string[];
  readonly ignoreProviders?: readonly string[];
  readonly paidTraining?: boolean;
  readonly freeTraining?: boolean;
  readonly freePublication?: boolean;
  readonly zeroRetentionAuthors?: readonly string[];
}

/** Adds the options that say where an account's prompts may go (docs/spec/accounts.md#accounts). */
export function addPrivacyOptions(command: Command): Command {
  return command
    .option('--allow-providers <list>', 'the only providers it may use, or "any"', parseList('any'))
    .option('--ignore-providers <list>', 'providers it must not use, or "none"', parseList('none'))
    .option('--paid-training <true|false>', 'whether what costs something may train on prompts', parseSwitch)
    .option('--free-training <true|false>', 'whether what is free may train on prompts', parseSwitch)
    .option('--free-publication <true|false>', 'whether what is free may publish prompts', parseSwitch)
    .option(
      '--zero-retention-authors <list>',
      'authors whose models are asked only where nothing is kept, or "none"',
      parseList('none'),
    );
}

/** The settings that options give. */
export function readPrivacy(options: PrivacyOptions): AccountPrivacy {
  const { allowProviders, ignoreProviders, zeroRetentionAuthors: authors } = options;
  return {
    ...(allowProviders && { allowedProviders: allowProviders }),
    ...(ignoreProviders && { ignoredProviders: ignoreProviders }),
    ...(authors && { zeroRetentionAuthors: authors }),
    ...(options.paidTraining !== undefined && { forbidPaidTraining: !options.paidTraining }),
    ...(options.freeTraining !== undefined && { forbidFreeTraining: !options.freeTraining }),
    ...(options.freePublication !== undefined && { forbidFreePublication: !options.freePublication }),
  };
}

/** Parses a list with commas, in lowercase. One word means an empty one. */
function parseList(nothing: string): (text: string) => readonly string[] {
  return (text) => {
    const words = text
      .toLowerCase()
      .split(',')
      .map((word) => word.trim());
    if (words.length === 1 && words[0] === nothing) return [];
    if (words.includes('')) throw new InvalidArgumentError(`It must be a list such as a,b or "${nothing}".`);
    return [...new Set(words)];
  };
}
