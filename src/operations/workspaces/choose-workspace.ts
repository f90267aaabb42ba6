import type { Account } from '../../ports/accounts.ts';
import { malformed } from '../../schema/fault.ts';
import { type Actor, refusal } from '../actor.ts';
import type { Uses } from '../services.ts';

/**
 * The id of the workspace an operation works in: the one named, or the account's default one. The operator may also
 * name it by its slug.
 * @param advice What the operator can do where the default one was deleted.
 * @throws HeadgateError `invalid_request` when it is none of the account's, or when none is named and the default one
 *   was deleted.
 */
export async function chooseWorkspace(
  actor: Actor,
  account: Account,
  named: string | undefined,
  { storage }: Uses<'workspaces'>,
  advice = 'name one with --workspace',
): Promise<string> {
  const wanted = (actor.kind === 'key' ? named?.toLowerCase() : named) ?? account.defaultWorkspaceId;
  const found = wanted === null ? undefined : await storage.workspaces.find(account.id, wanted);
  if (found !== undefined && (actor.kind === 'operator' || found.id === wanted)) return found.id;
  throw named === undefined
    ? refusal(
        actor,
        malformed('workspace_id', 'the default workspace was deleted; name another one'),
        `the default workspace was deleted; ${advice}`,
      )
    : refusal(
        actor,
        malformed('workspace_id', 'is no workspace of this account'),
        `the account has no workspace "${named}"; GET /api/v1/workspaces with a management key lists them`,
      );
}
