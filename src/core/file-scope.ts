import { createHash } from 'node:crypto';

/** What the ids of the gateway's own files begin with. */
export const ownFilePrefix = 'file_hg_';

/** The name of an owner's files in databases and directories: 32 hexadecimal digits. */
export function fileScope(owner: {
  readonly accountId: string;
  readonly workspaceId: string | null;
}): string {
  const { accountId, workspaceId } = owner;
  return createHash('sha256')
    .update(`${accountId}\0${workspaceId ?? ''}`)
    .digest('hex')
    .slice(0, 32);
}
