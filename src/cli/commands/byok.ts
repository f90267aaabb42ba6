import type { Command } from 'commander';
import { operator } from '../../operations/actor.ts';
import { deleteCredential } from '../../operations/credentials/delete-credential.ts';
import { disableCredential } from '../../operations/credentials/disable-credential.ts';
import { listAllCredentials } from '../../operations/credentials/list-credentials.ts';
import { showCredentialOfAny } from '../../operations/credentials/show-credential.ts';
import type { ProviderCredential } from '../../ports/credentials.ts';
import type { CommandContext, CommandServices } from '../context.ts';
import { credentialColumns, credentialRow } from '../credential-view.ts';
import { formatTable } from '../format-table.ts';
import { addByokAddCommand } from './byok-add.ts';
import { addByokTestCommand } from './byok-test.ts';

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
