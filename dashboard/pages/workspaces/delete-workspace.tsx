import { send } from '../../api/client.ts';
import { loadSession } from '../../api/session.ts';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { queries } from '../../state/query.ts';
import { go, href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import type { Workspace } from './queries.ts';

interface DeleteWorkspaceProps {
  readonly workspace: Workspace;
  readonly onClose: () => void;
}

/** Asks for the short name before a workspace is deleted for good. */
export function DeleteWorkspace({ workspace, onClose }: DeleteWorkspaceProps) {
  const remove = async () => {
    await send('DELETE', '/workspaces/{id}', { params: { id: workspace.id } });
    await loadSession();
    void queries.invalidateQueries({ queryKey: ['workspaces'] });
    go(href('workspaces', { workspace: undefined }));
  };
  return (
    <DeleteDialog
      title={`Delete "${plain(workspace.name)}"?`}
      name={workspace.slug}
      onConfirm={remove}
      onClose={onClose}
    >
      Its provider credentials go with it. Keys that still work must be disabled or deleted before. What was
      spent stays on record. This cannot be undone.
    </DeleteDialog>
  );
}
