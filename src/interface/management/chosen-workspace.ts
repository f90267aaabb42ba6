import type { AppServices } from '../../edge/app-services.ts';
import { malformed } from '../../schema/fault.ts';
import type { Caller } from '../../settlement/caller.ts';

/**
 * The id of the workspace a request names, or of the account's default one.
 * @throws HeadgateError `invalid_request` when it is none of the account's, or when none is named and the default one
 * was deleted.
 */
export async function chosenWorkspace(
  asked: string | undefined,
  { account }: Caller,
  { storage }: AppServices,
): Promise<string> {
  const id = asked?.toLowerCase() ?? account.defaultWorkspaceId;
  const found = id === null ? undefined : await storage.workspaces.find(account.id, id);
  if (found !== undefined && found.id === id) return found.id;
  throw asked === undefined
    ? malformed('workspace_id', 'the default workspace was deleted; name another one')
    : malformed('workspace_id', 'is no workspace of this account');
}
