import { type Command, Option } from 'commander';
import type { NanoUsd } from '../../core/money.ts';
import { operator } from '../../operations/actor.ts';
import { createKey, type NewKey } from '../../operations/keys/create-key.ts';
import { showKeyOfAny } from '../../operations/keys/show-key.ts';
import type { LimitReset } from '../../ports/keys.ts';
import type { CommandContext } from '../context.ts';
import { formatPairs } from '../format-table.ts';
import { parseAmount, parseText, parseTime } from '../option-values.ts';

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
      return create(options, context);
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

async function create(options: CreateOptions, context: CommandContext): Promise<void> {
  const { account, workspace, management, includeByok, expires, ...settings } = options;
  const input: NewKey = {
    ...settings,
    account,
    workspace,
    kind: management === true ? 'management' : 'inference',
    includeByokInLimit: includeByok === true,
    expiresAt: expires ?? null,
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
