import { type Command, Option } from 'commander';
import { createRawKey } from '../../core/api-key.ts';
import type { NanoUsd } from '../../core/money.ts';
import { newKey } from '../../operations/new-key.ts';
import type { LimitReset } from '../../ports/keys.ts';
import type { CommandContext } from '../context.ts';
import { findAccount } from '../find-account.ts';
import { findWorkspace } from '../find-workspace.ts';
import { formatPairs } from '../format-table.ts';
import { showKey } from '../key-view.ts';
import { parseAmount, parseText, parseTime } from '../option-values.ts';

const otherwise = 'name one with --workspace';

interface CreateOptions {
  readonly name: string;
  readonly limit?: NanoUsd;
  readonly limitReset?: Exclude<LimitReset, null>;
  readonly management?: boolean;
  readonly expires?: number;
  readonly workspace?: string;
  readonly account?: string;
  readonly includeByok?: boolean;
}

/** `keys create`: the only command that prints a raw key, and only this once. */
export function addCreateKeyCommand(keys: Command, context: CommandContext): void {
  keys
    .command('create')
    .description('create a key and print it once')
    .addOption(new Option('--name <name>', 'its name').argParser(parseText).makeOptionMandatory())
    .option('--limit <usd>', 'most it may spend', parseAmount)
    .addOption(
      new Option('--limit-reset <interval>', 'when the limit starts anew').choices([
        'daily',
        'weekly',
        'monthly',
      ]),
    )
    .option('--management', 'a management key: no inference, no limit')
    .option('--expires <time>', 'from then on it is refused', parseTime)
    .option(
      '--workspace <id>',
      "its workspace, by id or slug (default: the account's default workspace)",
      parseText,
    )
    .option('--account <id>', 'its account (default: the only one)')
    .option('--include-byok', "count what the account's own provider credentials serve toward the limit")
    .action((options: CreateOptions, command: Command) => {
      const mistake = contradiction(options, context.surroundings.clock.now());
      if (mistake !== undefined) command.error(`error: ${mistake}`);
      return createKey(options, context);
    });
}

function contradiction(options: CreateOptions, now: number): string | undefined {
  const { limit, limitReset, management, workspace, includeByok, expires } = options;
  const forInference = limit !== undefined || workspace !== undefined || includeByok === true;
  if (management === true && forInference) {
    return 'a management key has no --limit, --workspace or --include-byok';
  }
  if (limitReset !== undefined && limit === undefined) return '--limit-reset needs --limit';
  return expires !== undefined && expires <= now ? '--expires lies in the past' : undefined;
}

async function createKey(options: CreateOptions, context: CommandContext): Promise<void> {
  await context.withStorage(async (storage) => {
    const account = await findAccount(storage, options.account);
    const raw = createRawKey();
    const isManagement = options.management === true;
    const key = newKey(raw, {
      accountId: account.id,
      kind: isManagement ? 'management' : 'inference',
      name: options.name,
      workspaceId: isManagement ? null : await findWorkspace(storage, account, options.workspace, otherwise),
      createdAt: context.surroundings.clock.now(),
      limit: options.limit ?? null,
      limitReset: options.limitReset ?? null,
      includeByokInLimit: options.includeByok === true,
      expiresAt: options.expires ?? null,
    });
    await storage.keys.create(key);
    context.answer(
      { key: raw, ...showKey(key) },
      formatPairs([
        ['Key', raw],
        ['Hash', key.hash],
        ['Note', 'keep the key now: it is shown only this once'],
      ]),
    );
  });
}
