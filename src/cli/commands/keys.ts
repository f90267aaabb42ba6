import { type Command, InvalidArgumentError, Option } from 'commander';
import { formatUsd, type NanoUsd } from '../../core/money.ts';
import { type Role, roles } from '../../core/roles.ts';
import { operator } from '../../management/actor.ts';
import {
  changeKey,
  createKey,
  deleteKey,
  listAllKeys,
  type NewKey,
  rotateKey,
  usualGrace,
} from '../../management/keys/keys.ts';
import { type KeyWithSpend, showKeyOfAny } from '../../management/keys/show.ts';
import type { ApiKey, KeyChange, KeyScope, LimitReset } from '../../ports/keys.ts';
import { mostAddresses, readAddressEntry } from '../../util/address-list.ts';
import { isoTime } from '../../util/iso-time.ts';
import { mostNames, readNamePattern } from '../../util/name-pattern.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { type Column, formatPairs, formatTable, visible } from '../format-table.ts';
import {
  clearable,
  none,
  orNone,
  parseAmount,
  parseDuration,
  parseHash,
  parseRate,
  parseSwitch,
  parseText,
  parseTime,
} from '../option-values.ts';

/** `keys create`, `update`, `list`, `disable`, `enable`, `rotate` and `delete`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('API keys');
  addKeyWritingCommands(keys, context);
  keys
    .command('list')
    .description('list all keys, newest first')
    .option('--account <id>', 'of this account alone')
    .action(({ account }: { account?: string }) =>
      context.withStorage((services) => list(services, account, context)),
    );
  const setDisabled = (disabled: boolean): KeyAction => {
    return async (hash, services) =>
      (await changeKey(operator, { hash, change: { disabled } }, services)).key;
  };
  addKeyAction(keys, context, 'disable', 'refuse a key until it is enabled again', setDisabled(true));
  addKeyAction(keys, context, 'enable', 'accept a disabled key again', setDisabled(false));
  addRotateCommand(keys, context);
  addKeyAction(keys, context, 'delete', 'delete a key for good', (hash, services) =>
    deleteKey(operator, hash, services),
  );
}

function addRotateCommand(keys: Command, context: CommandContext): void {
  keys
    .command('rotate')
    .description('give a key a new secret and print it once; all else of the key stays')
    .argument('<hash>', 'the hash or its beginning', parseHash)
    .option(
      '--grace <duration>',
      'how long earlier secrets work on, at most 168h (default: 24h)',
      parseDuration,
    )
    .action((hash: string, { grace = usualGrace }: { readonly grace?: number }) =>
      context.withStorage(async (services) => {
        const { key, raw, replaces } = await rotateKey(operator, { hash, grace }, services);
        const until = isoTime(replaces.endsAt);
        context.answer(
          { key: raw, replaces: { label: replaces.label, ends_at: until }, ...showKeyOfAny(key) },
          formatPairs([
            ['Key', raw],
            ['Hash', key.hash],
            [
              'Replaces',
              grace === 0
                ? `${replaces.label}, refused from now on`
                : `${replaces.label}, which works until ${until}`,
            ],
            ['Note', 'keep the key now: it is shown only this once'],
          ]),
        );
      }),
    );
}

async function list(
  services: CommandServices,
  account: string | undefined,
  context: CommandContext,
): Promise<void> {
  const { keys, accountNames } = await listAllKeys(operator, { account }, services);
  const now = services.clock.now();
  // Where there is one account, or one was named, all keys are its.
  const ofMany = account === undefined && accountNames.size > 1;
  const rows = keys.map((one) => {
    const row = keyRow(one, now);
    return ofMany ? [...row, accountNames.get(one.key.accountId) ?? one.key.accountId] : row;
  });
  context.answer(
    { keys: keys.map(({ key, spend }) => showKeyOfAny(key, spend)) },
    formatTable(ofMany ? [...keyColumns, { heading: 'ACCOUNT' }] : keyColumns, rows),
  );
}

type KeyAction = (hash: string, services: CommandServices) => Promise<ApiKey>;

function addKeyAction(
  keys: Command,
  context: CommandContext,
  name: 'disable' | 'enable' | 'delete',
  description: string,
  action: KeyAction,
): void {
  keys
    .command(name)
    .description(description)
    .argument('<hash>', 'the hash or its beginning', parseHash)
    .action((prefix: string) =>
      context.withStorage(async (services) => {
        const key = await action(prefix, services);
        const done = `${name}d`;
        context.answer(
          { hash: key.hash, name: key.name, done },
          `${key.label} "${visible(key.name)}" ${done}.\n`,
        );
      }),
    );
}

const shownHash = 12;

/** Columns of the table of keys. */
const keyColumns: readonly Column[] = [
  { heading: 'HASH' },
  { heading: 'LABEL' },
  { heading: 'NAME' },
  { heading: 'KIND' },
  { heading: 'STATE' },
  { heading: 'SPENT USD', align: 'right' },
  { heading: 'LIMIT USD', align: 'right' },
];

/** A key as a row of the table. */
function keyRow({ key, spend }: KeyWithSpend, now: number): readonly string[] {
  const reset = key.limitReset === null ? '' : ` ${key.limitReset}`;
  return [
    key.hash.slice(0, shownHash),
    key.label,
    key.name,
    key.kind,
    stateOf(key, now),
    formatUsd(spend.usage.total),
    key.limit === null ? '-' : `${formatUsd(key.limit)}${reset}`,
  ];
}

function stateOf({ disabled, expiresAt }: ApiKey, now: number): string {
  if (disabled) return 'disabled';
  if (expiresAt === null) return 'active';
  return expiresAt <= now ? 'expired' : `until ${isoTime(expiresAt).slice(0, 10)}`;
}

const intervals = ['daily', 'weekly', 'monthly'] as const;

interface CreateOptions {
  readonly name: string;
  readonly limit?: NanoUsd;
  readonly limitReset?: Exclude<LimitReset, null>;
  readonly management?: boolean;
  readonly expires?: number;
  readonly workspace?: string;
  readonly account?: string;
  readonly includeByok?: boolean;
  readonly allowedIps?: readonly string[];
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly parallel?: number;
  readonly allowedModels?: readonly string[];
  readonly scopes?: readonly KeyScope[];
  readonly role?: Role;
  readonly member?: string;
  readonly contentLogging?: ApiKey['contentLogging'];
}

/** `keys create` and `keys update`. */
function addKeyWritingCommands(keys: Command, context: CommandContext): void {
  addCreateCommand(keys, context);
  addUpdateCommand(keys, context);
}

/** The only command that prints a raw key, and only this once. */
function addCreateCommand(keys: Command, context: CommandContext): void {
  keys
    .command('create')
    .description('create a key and print it once')
    .addOption(new Option('--name <name>', 'its name').argParser(parseText).makeOptionMandatory())
    .option('--limit <usd>', 'most it may spend', parseAmount)
    .addOption(new Option('--limit-reset <interval>', 'when the limit starts anew').choices(intervals))
    .option('--management', 'a management key: no inference, no limit')
    .option('--expires <time>', 'from then on it is refused', parseTime)
    .option(
      '--workspace <id>',
      "its workspace, by id or slug (default: the account's default workspace)",
      parseText,
    )
    .option('--account <id>', 'its account (default: the only one)')
    .option('--include-byok', "count what the account's own provider credentials serve toward the limit")
    .option('--allowed-ips <list>', 'addresses and networks it may be used from', parseAddresses)
    .option('--requests-per-minute <n>', 'requests it may make in any minute', parseRate)
    .option('--tokens-per-minute <n>', 'tokens it may use in any minute', parseRate)
    .option('--parallel <n>', 'requests that may run at the same time', parseRate)
    .option('--allowed-models <list>', 'models it may use: slugs and patterns such as acme/*', parseModels)
    .option('--scopes <list>', 'what a management key may do: read', parseScopes)
    .addOption(roleOption('what a management key is in its account (default: owner)'))
    .option('--member <id>', 'the member of the organization that a management key acts for', parseText)
    .addOption(contentLoggingOption())
    .action((options: CreateOptions, command: Command) => {
      const mistake = contradiction(options, context.environment.clock.now());
      if (mistake !== undefined) command.error(`error: ${mistake}`);
      return create(options, context);
    });
}

function roleOption(help: string): Option {
  return new Option('--role <role>', help).choices(roles);
}

function contentLoggingOption(): Option {
  const help = 'whether what is said with it may be kept where its workspace wants that';
  return new Option('--content-logging <word>', help).choices(['inherit', 'off']);
}

interface UpdateOptions {
  readonly name?: string;
  readonly limit?: NanoUsd | typeof none;
  readonly limitReset?: (typeof intervals)[number] | typeof none;
  readonly includeByok?: boolean;
  readonly allowedIps?: readonly string[] | typeof none;
  readonly requestsPerMinute?: number | typeof none;
  readonly tokensPerMinute?: number | typeof none;
  readonly parallel?: number | typeof none;
  readonly allowedModels?: readonly string[] | typeof none;
  readonly scopes?: readonly KeyScope[] | typeof none;
  readonly role?: Role;
  readonly contentLogging?: ApiKey['contentLogging'];
}

function addUpdateCommand(keys: Command, context: CommandContext): void {
  const command = keys
    .command('update')
    .description('change a key')
    .argument('<hash>', 'the hash or its beginning', parseHash)
    .option('--name <name>', 'its name', parseText)
    .option('--limit <usd>', `most it may spend, or "${none}"`, orNone(parseAmount))
    .addOption(
      new Option('--limit-reset <interval>', 'when the limit starts anew').choices([...intervals, none]),
    )
    .option('--include-byok <true|false>', "whether the account's own credentials count", parseSwitch)
    .option(
      '--allowed-ips <list>',
      `addresses and networks it may be used from, or "${none}" for any`,
      orNone(parseAddresses),
    )
    .option(
      '--requests-per-minute <n>',
      `requests it may make in any minute, or "${none}"`,
      orNone(parseRate),
    )
    .option('--tokens-per-minute <n>', `tokens it may use in any minute, or "${none}"`, orNone(parseRate))
    .option('--parallel <n>', `requests that may run at the same time, or "${none}"`, orNone(parseRate))
    .option(
      '--allowed-models <list>',
      `models it may use: slugs and patterns such as acme/*, or "${none}" for any`,
      orNone(parseModels),
    )
    .option(
      '--scopes <list>',
      `what a management key may do: read, or "${none}" for all`,
      orNone(parseScopes),
    )
    .addOption(roleOption('what a management key is in its account'))
    .addOption(contentLoggingOption());
  command.action((hash: string, options: UpdateOptions) => {
    if (Object.keys(options).length === 0) {
      command.error('error: nothing to change; "headgate keys update --help" lists what can be');
    }
    return update(hash, options, context);
  });
}

function contradiction(options: CreateOptions, now: number): string | undefined {
  const { limit, limitReset, management, workspace, includeByok, expires } = options;
  const { requestsPerMinute, tokensPerMinute, parallel, role, member } = options;
  const rated = [requestsPerMinute, tokensPerMinute, parallel].some((rate) => rate !== undefined);
  const forInference = limit !== undefined || workspace !== undefined || includeByok === true;
  if (management === true && forInference) {
    return 'a management key has no --limit, --workspace or --include-byok';
  }
  if (management === true && rated) {
    return 'a management key has no --requests-per-minute, --tokens-per-minute or --parallel';
  }
  if (management !== true && (role !== undefined || member !== undefined)) {
    return '--role and --member need --management';
  }
  if (limitReset !== undefined && limit === undefined) return '--limit-reset needs --limit';
  return expires !== undefined && expires <= now ? '--expires lies in the past' : undefined;
}

async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { account, workspace, management, includeByok, expires, member, ...settings } = options;
  const input: NewKey = {
    ...settings,
    account,
    workspace,
    kind: management === true ? 'management' : 'inference',
    includeByokInLimit: includeByok === true,
    expiresAt: expires ?? null,
    creatorUserId: member ?? null,
  };
  await context.withStorage(async (services) => {
    const { key, raw } = await createKey(operator, input, services);
    context.answer(
      { key: raw, ...showKeyOfAny(key) },
      formatPairs([
        ['Key', raw],
        ['Hash', key.hash],
        ['Note', 'keep the key now: it is shown only this once'],
      ]),
    );
  });
}

async function update(hash: string, options: UpdateOptions, context: CommandContext): Promise<void> {
  const { name, limit, limitReset, includeByok, ...settings } = options;
  const change: KeyChange = {
    ...(name !== undefined && { name }),
    ...(limit !== undefined && { limit: clearable(limit) }),
    ...(limitReset !== undefined && { limitReset: clearable(limitReset) }),
    ...(includeByok !== undefined && { includeByokInLimit: includeByok }),
    ...cleared(settings),
  };
  await context.withStorage(async (services) => {
    const { key, spend } = await changeKey(operator, { hash, change }, services);
    context.answer(showKeyOfAny(key, spend), `${key.label} "${visible(key.name)}" updated.\n`);
  });
}

type Clearable = Pick<UpdateOptions, 'allowedIps' | 'requestsPerMinute' | 'tokensPerMinute' | 'parallel'>;

/** Settings of which the word for none is null. What was not given stays absent. */
function cleared(settings: Clearable): KeyChange {
  const entries = Object.entries(settings).map(([name, value]) => [name, clearable(value)]);
  return Object.fromEntries(entries);
}

/** Addresses and networks with commas between them. */
const parseAddresses = (text: string) => parseList(text, mostAddresses, readAddressEntry);

/** Slugs and patterns with commas between them. */
const parseModels = (text: string) => parseList(text, mostNames, readNamePattern);

const parseScopes = (text: string) => parseList(text, 1, readScope);

function readScope(text: string): KeyScope {
  if (text.trim() !== 'read') throw new RangeError('must be read');
  return 'read';
}

/** @param read Throws RangeError with what an entry must be. */
function parseList<Entry>(text: string, most: number, read: (entry: string) => Entry): readonly Entry[] {
  const entries = text.split(',');
  if (entries.length > most) throw new InvalidArgumentError(`It must have at most ${most} entries.`);
  try {
    return entries.map(read);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InvalidArgumentError(`Every entry ${error.message}.`);
  }
}
