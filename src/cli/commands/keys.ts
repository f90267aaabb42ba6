import type { Command } from 'commander';
import type { ApiKey } from '../../ports/keys.ts';
import type { Storage } from '../../ports/storage.ts';
import { CommandFailure } from '../command-failure.ts';
import type { CommandContext } from '../context.ts';
import { findAccount } from '../find-account.ts';
import { formatTable, visible } from '../format-table.ts';
import { inBatches } from '../in-batches.ts';
import { keyColumns, keyRow, showKey } from '../key-view.ts';
import { parseHash } from '../option-values.ts';
import { addCreateKeyCommand } from './create-key.ts';

const mostListed = 100_000;

/** `keys create`, `list`, `disable`, `enable` and `delete`. */
export function addKeyCommands(program: Command, context: CommandContext): void {
  const keys = program.command('keys').description('API keys');
  addCreateKeyCommand(keys, context);
  keys
    .command('list')
    .description('list all keys, newest first')
    .option('--account <id>', 'of this account alone')
    .action(({ account }: { account?: string }) =>
      context.withStorage((storage) => listKeys(storage, account, context)),
    );
  addKeyAction(keys, context, 'disable', 'refuse a key until it is enabled again', (storage, { hash }, now) =>
    storage.keys.setDisabled(hash, true, now),
  );
  addKeyAction(keys, context, 'enable', 'accept a disabled key again', (storage, { hash }, now) =>
    storage.keys.setDisabled(hash, false, now),
  );
  addKeyAction(keys, context, 'delete', 'delete a key for good', (storage, { hash }, now) =>
    storage.keys.delete(hash, now),
  );
}

async function listKeys(
  storage: Storage,
  account: string | undefined,
  context: CommandContext,
): Promise<void> {
  const now = context.surroundings.clock.now();
  const only = account === undefined ? undefined : await findAccount(storage, account);
  const keys = await storage.keys.listByPrefix('', mostListed);
  const asked = only === undefined ? keys : keys.filter(({ accountId }) => accountId === only.id);
  const found = await inBatches(asked, async (key) => ({
    key,
    spend: await storage.ledger.keySpend(key.hash, now),
  }));
  const names = new Map((await storage.accounts.list()).map(({ id, name }) => [id, name]));
  // Where there is one account, or one was named, all keys are its.
  const ofMany = only === undefined && names.size > 1;
  const rows = found.map(({ key, spend }) => {
    const row = keyRow(key, spend, now);
    return ofMany ? [...row, names.get(key.accountId) ?? key.accountId] : row;
  });
  context.answer(
    { keys: found.map(({ key, spend }) => showKey(key, spend)) },
    formatTable(ofMany ? [...keyColumns, { heading: 'ACCOUNT' }] : keyColumns, rows),
  );
}

type KeyAction = (storage: Storage, key: ApiKey, now: number) => Promise<boolean>;

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
      context.withStorage(async (storage) => {
        const key = await findKey(storage, prefix);
        if (!(await action(storage, key, context.surroundings.clock.now()))) throw noSuchKey(prefix);
        const done = `${name}d`;
        context.answer(
          { hash: key.hash, name: key.name, done },
          `${key.label} "${visible(key.name)}" ${done}.\n`,
        );
      }),
    );
}

async function findKey(storage: Storage, prefix: string): Promise<ApiKey> {
  const [key, ...others] = await storage.keys.listByPrefix(prefix, mostListed);
  if (key === undefined) throw noSuchKey(prefix);
  if (others.length === 0) return key;
  throw new CommandFailure(
    `"${prefix}" is the beginning of ${others.length + 1} hashes; give more characters of it`,
  );
}

function noSuchKey(prefix: string): CommandFailure {
  return new CommandFailure(`no key has a hash that begins with "${prefix}"; see "headgate keys list"`);
}
