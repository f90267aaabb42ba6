import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatUsd, usdToNumber } from '../../core/money.ts';
import type { PluginDefaults } from '../../core/plugin-defaults.ts';
import { changeAccount, createAccount, listAccounts } from '../../management/accounts/accounts.ts';
import { purgeAccount, showPurged } from '../../management/accounts/purge.ts';
import { showAccount } from '../../management/accounts/show.ts';
import { operator } from '../../management/actor.ts';
import { addMember, listMembers, removeMember, showMember } from '../../management/members/members.ts';
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
  readonly contentLogging?: boolean;
  readonly disabled?: boolean;
  readonly requestsPerMinute?: number | typeof none;
  readonly tokensPerMinute?: number | typeof none;
  readonly parallel?: number | typeof none;
  readonly pluginDefaults?: PluginDefaults;
}

/** `accounts create`, `list`, `set` and `delete`. */
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
  addDeleteCommand(accounts, context);
}

/** `accounts delete --purge`. */
function addDeleteCommand(accounts: Command, context: CommandContext): void {
  const command = accounts
    .command('delete')
    .description(
      'delete a disabled account with everything that belongs to it; its sums stay in the audit log',
    )
    .argument('<id>', 'the account')
    .option('--purge', 'needed, because nothing of it can be had back');
  command.action(async (id: string, { purge }: { readonly purge?: boolean }) => {
    if (purge !== true) {
      command.error('error: an account is deleted with its keys, calls and ledger: say so with --purge');
    }
    await context.withStorage(async (services) => {
      const sums = showPurged(await purgeAccount(operator, id, services));
      context.answer(
        { deleted: true, id, sums },
        `${id} is deleted: it had been charged ${sums.charged_usd} USD. Its sums are in the audit log (account.purge).\n` +
          'A call that was still running leaves its record: run this once more in an hour.\n',
      );
    });
  });
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
    .option(
      '--content-logging <true|false>',
      'whether its workspaces may have what was said kept',
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
  contentLogging,
  disabled,
  pluginDefaults,
}: SetOptions): AccountChange {
  return {
    ...(billing !== undefined && { billingMode: billing }),
    ...(freeExempt !== undefined && { freeLimitExempt: freeExempt }),
    ...(inflightExempt !== undefined && { inflightExempt }),
    ...(zeroRetention !== undefined && { zeroRetention }),
    ...(contentLogging !== undefined && { contentLogging }),
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
  const { disabled, freeLimitExempt, inflightExempt, zeroRetention, contentLogging } = account;
  const { privacy, rates, pluginDefaults } = account;
  const on = [
    disabled && 'disabled',
    freeLimitExempt && 'free-exempt',
    inflightExempt && 'inflight-exempt',
    zeroRetention && 'zero-retention',
    contentLogging && 'content-logging',
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

const memberColumns = [{ heading: 'USER' }, { heading: 'EMAIL' }, { heading: 'NAME' }, { heading: 'ROLE' }];
const mostListed = 10_000;

interface AddOptions {
  readonly account?: string;
  readonly email: string;
  readonly firstName?: string;
  readonly lastName?: string;
  readonly role: 'admin' | 'member';
}

/** `members list`, `add` and `remove`. */
export function addMemberCommands(program: Command, context: CommandContext): void {
  const members = program.command('members').description('people of an organization');
  const ofAccount = (command: Command) => command.option('--account <id>', 'the organization');
  ofAccount(members.command('list').description('list the members of an organization')).action(
    ({ account }: { readonly account?: string }) =>
      context.withStorage(async (services) => {
        const page = { offset: 0, limit: mostListed, ...(account !== undefined && { account }) };
        const shown = (await listMembers(operator, page, services)).members.map(showMember);
        const rows = shown.map((one) => [
          one.id,
          one.email,
          [one.first_name, one.last_name].filter(Boolean).join(' '),
          one.role,
        ]);
        context.answer({ members: shown }, formatTable(memberColumns, rows));
      }),
  );
  ofAccount(
    members
      .command('add')
      .description('add a member: keys name it as their creator')
      .argument('<user>', 'the id of the user', parseText)
      .addOption(new Option('--email <address>', 'its address').argParser(parseText).makeOptionMandatory())
      .option('--first-name <name>', 'first name', parseText)
      .option('--last-name <name>', 'last name', parseText)
      .addOption(
        new Option('--role <role>', 'what it may do').choices(['admin', 'member']).default('member'),
      ),
  ).action((userId: string, { account, email, firstName, lastName, role }: AddOptions) =>
    context.withStorage(async (services) => {
      const input = {
        userId,
        email,
        firstName: firstName ?? null,
        lastName: lastName ?? null,
        role: role === 'admin' ? ('org:admin' as const) : ('org:member' as const),
        ...(account !== undefined && { account }),
      };
      const member = showMember(await addMember(operator, input, services));
      context.answer(member, `${member.id} is a member.\n`);
    }),
  );
  ofAccount(
    members.command('remove').description('remove a member; its keys stay').argument('<user>'),
  ).action((userId: string, { account }: { readonly account?: string }) =>
    context.withStorage(async (services) => {
      await removeMember(operator, { userId, ...(account !== undefined && { account }) }, services);
      context.answer({ deleted: true }, `${userId} is no member any more.\n`);
    }),
  );
}
