import type { Account } from '../ports/accounts.ts';
import type { Storage } from '../ports/storage.ts';
import { CommandFailure } from './command-failure.ts';

/**
 * The id of the workspace a command works in: the one of the account that is named by id or slug, or its default one.
 * @param otherwise What to do when the default one was deleted, for the message.
 * @throws CommandFailure when there is none.
 */
export async function findWorkspace(
  { workspaces }: Storage,
  account: Account,
  named: string | undefined,
  otherwise: string,
): Promise<string> {
  const wanted = named ?? account.defaultWorkspaceId;
  const found = wanted === null ? undefined : await workspaces.find(account.id, wanted);
  if (found !== undefined) return found.id;
  throw new CommandFailure(
    named === undefined
      ? `the default workspace was deleted; ${otherwise}`
      : `the account has no workspace "${named}"; GET /api/v1/workspaces with a management key lists them`,
  );
}
