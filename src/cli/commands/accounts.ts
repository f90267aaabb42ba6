import { type Command, Option } from 'commander';
import { formatUsd, usdToNumber } from '../../core/money.ts';
import { newAccount } from '../../operations/new-account.ts';
import type { Account, AccountChange, BillingMode } from '../../ports/accounts.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { type Column, formatTable } from '../format-table.ts';
import { inBatches } from '../in-batches.ts';
import { parseSwitch, parseText } from '../option-values.ts';
import {
  addPrivacyOptions,
  changePrivacy,
  checkProviders,
  type PrivacyOptions,
  showPrivacy,
} from '../privacy-options.ts';

const billingModes = ['prepaid', 'invoice', 'subscription', 'enterprise'] as const;

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
      context.withStorage(async (storage, config) => {
        const now = context.surroundings.clock.now();
        const kind = organization === true ? 'organization' : 'personal';
        const account = newAccount(name, billing ?? config.bootstrap.billingMode, now, kind);
        await storage.accounts.create(account);
        context.answer(showAccount(account), `${account.id}\n`);
      }),
    );
  accounts
    .command('list')
    .description('list all accounts, oldest first')
    .action(() =>
      context.withStorage(async (storage) => {
        const found = await inBatches(await storage.accounts.list(), async (account) => ({
          account,
          balance: (await storage.ledger.balance(account.id)).balance,
        }));
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
    .option('--disabled <true|false>', 'refuse every key of it', parseSwitch);
  addPrivacyOptions(command).action((id: string, options: SetOptions) => {
    if (Object.keys(options).length === 0) {
      command.error('error: nothing to change; "headgate accounts set --help" lists what can be');
    }
    return context.withStorage(async (storage, { catalogue }) => {
      checkProviders(options, catalogue.providers);
      const account = await storage.accounts.update(id, (current) => ({
        ...readChange(options),
        privacy: changePrivacy(current.privacy, options),
      }));
      if (account === undefined) throw new CommandFailure(`no account "${id}"; see "headgate accounts list"`);
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
}: SetOptions): AccountChange {
  return {
    ...(billing !== undefined && { billingMode: billing }),
    ...(freeExempt !== undefined && { freeLimitExempt: freeExempt }),
    ...(inflightExempt !== undefined && { inflightExempt }),
    ...(zeroRetention !== undefined && { zeroRetention }),
    ...(disabled !== undefined && { disabled }),
  };
}

function switches({ disabled, freeLimitExempt, inflightExempt, zeroRetention, privacy }: Account): string {
  const on = [
    disabled && 'disabled',
    freeLimitExempt && 'free-exempt',
    inflightExempt && 'inflight-exempt',
    zeroRetention && 'zero-retention',
    privacy !== undefined && 'privacy',
  ];
  return on.filter((word) => word !== false).join(' ');
}

function showAccount(account: Account) {
  return {
    id: account.id,
    name: account.name,
    kind: account.kind,
    billing_mode: account.billingMode,
    free_limit_exempt: account.freeLimitExempt,
    inflight_exempt: account.inflightExempt,
    zero_retention: account.zeroRetention,
    privacy: showPrivacy(account.privacy),
    disabled: account.disabled,
    default_workspace_id: account.defaultWorkspaceId,
    created_at: new Date(account.createdAt).toISOString(),
  };
}
