import type { PresetPlace } from '../../ports/presets.ts';
import { accountOf } from '../accounts/account-of.ts';
import type { Actor } from '../actor.ts';
import type { Uses } from '../services.ts';
import { chooseWorkspace } from '../workspaces/choose-workspace.ts';

/** Whose presets an operation is about. */
export interface PresetScope {
  /** The workspace of the key in use; null and undefined where it has none. */
  readonly ownWorkspace?: string | null;
  /** The workspace that is named instead. */
  readonly workspace?: string;
}

/**
 * The workspace whose presets are meant: the key's own, the one named, else the account's default one.
 * @throws HeadgateError `invalid_request` when it is none of the account's.
 */
export async function presetPlace(
  actor: Actor,
  { ownWorkspace, workspace }: PresetScope,
  services: Uses<'accounts' | 'workspaces'>,
): Promise<PresetPlace> {
  const account = await accountOf(actor, undefined, services);
  const named = ownWorkspace ?? workspace;
  return {
    accountId: account.id,
    workspaceId: await chooseWorkspace(actor, account, named ?? undefined, services),
  };
}
