import type { Command } from 'commander';
import type { Storage } from '../../ports/storage.ts';
import type { CommandContext } from '../context.ts';
import { credentialColumns, credentialRow, showOwnedCredential } from '../credential-view.ts';
import { findAccount } from '../find-account.ts';
import { findCredential } from '../find-credential.ts';
import { formatTable } from '../format-table.ts';
import { addByokAddCommand } from './byok-add.ts';
import { addByokTestCommand } from './byok-test.ts';

const mostListed = 100_000;

/** `byok add`, `list`, `disable`, `enable`, `remove` and `test` (operations.md 2). */
export function addByokCommands(program: Command, context: CommandContext): void {
  const byok = program.command('byok').description("accounts' own provider credentials");
  addByokAddCommand(byok, context);
  byok
    .command('list')
    .description('list credentials; secrets are never shown')
    .option('--account <id>', 'its account (default: the only one)')
    .option('--provider <slug>', 'of this provider alone')
    .action(({ account, provider }: { account?: string; provider?: string }) =>
      context.withStorage(async (storage) => {
        const { id: accountId } = await findAccount(storage, account);
        const query = { accountId, provider, offset: 0, limit: mostListed };
        const { credentials } = await storage.credentials.list(query);
        context.answer(
          { credentials: credentials.map(showOwnedCredential) },
          formatTable(credentialColumns, credentials.map(credentialRow)),
        );
      }),
    );
  addChange(byok, context, 'disable', 'keep a credential but do not use it', (storage, id) =>
    storage.credentials.update(id, () => ({ disabled: true })),
  );
  addChange(byok, context, 'enable', 'use a disabled credential again', (storage, id) =>
    storage.credentials.update(id, () => ({ disabled: false })),
  );
  addChange(byok, context, 'remove', 'delete a credential and wipe its secret', (storage, id) =>
    storage.credentials.delete(id, context.surroundings.clock.now()),
  );
  addByokTestCommand(byok, context);
}

function addChange(
  byok: Command,
  context: CommandContext,
  name: 'disable' | 'enable' | 'remove',
  description: string,
  change: (storage: Storage, id: string) => Promise<unknown>,
): void {
  byok
    .command(name)
    .description(description)
    .argument('<id>', 'the id of "headgate byok list" or its beginning')
    .action((prefix: string) =>
      context.withStorage(async (storage) => {
        const { id, provider, label } = await findCredential(storage, prefix);
        await change(storage, id);
        const done = `${name}d`;
        context.answer({ id, provider, label, done }, `${provider} ${label} ${done}.\n`);
      }),
    );
}
