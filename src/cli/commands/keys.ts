import type { Command } from 'commander';
import { operator } from '../../operations/actor.ts';
import { changeKey } from '../../operations/keys/change-key.ts';
import { deleteKey } from '../../operations/keys/delete-key.ts';
import { listAllKeys } from '../../operations/keys/list-keys.ts';
import { rotateKey, usualGrace } from '../../operations/keys/rotate-key.ts';
import { showKeyOfAny } from '../../operations/keys/show-key.ts';
import type { ApiKey } from '../../ports/keys.ts';
import { isoTime } from '../../util/iso-time.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { formatPairs, formatTable, visible } from '../format-table.ts';
import { keyColumns, keyRow } from '../key-view.ts';
import { parseDuration, parseHash } from '../option-values.ts';
import { addKeyWritingCommands } from './write-key.ts';

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
