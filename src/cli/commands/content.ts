import type { Command } from 'commander';
import { deleteContents } from '../../management/content/contents.ts';
import { findKey } from '../../management/keys/keys.ts';
import { findWorkspace } from '../../management/workspaces/workspaces.ts';
import type { CommandContext } from '../context.ts';
import { operatorFor, withAccount } from '../operator-for.ts';
import { parseHash, parseTime } from '../option-values.ts';

interface DeleteOptions {
  readonly before?: number;
  readonly key?: string;
  readonly workspace?: string;
}

/** `content delete`. */
export function addContentCommands(program: Command, context: CommandContext): void {
  const content = withAccount(
    program.command('content').description('what was said in calls, where it is kept'),
  );
  const command = content
    .command('delete')
    .description('delete what was said in calls of an account; their records stay')
    .option('--before <time>', 'in calls before this time', parseTime)
    .option('--key <hash>', 'in calls of this key: its hash or the beginning', parseHash)
    .option('--workspace <id>', 'in calls of this workspace: its id or slug');
  command.action(({ before, key, workspace }: DeleteOptions) => {
    if (before === undefined && key === undefined && workspace === undefined) {
      command.error('error: say what to delete: --before, --key or --workspace');
    }
    return context.withStorage(async (services) => {
      const actor = operatorFor(content);
      const found = workspace === undefined ? undefined : await findWorkspace(actor, workspace, services);
      // Of a key that was deleted, only the whole hash is known.
      const isWhole = key === undefined || key.length === 64;
      const keyHash = isWhole ? key : (await findKey(actor, key, services)).hash;
      const deleted = await deleteContents(actor, { before, keyHash, workspaceId: found?.id }, services);
      context.answer({ deleted }, `Deleted what was said in ${deleted} calls.\n`);
    });
  });
}
