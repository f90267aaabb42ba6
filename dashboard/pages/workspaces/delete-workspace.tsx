import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { loadSession } from '../../api/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
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
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string>();
  const remove = async (event: Event) => {
    event.preventDefault();
    try {
      await send('DELETE', '/workspaces/{id}', { params: { id: workspace.id } });
      await loadSession();
      void queries.invalidateQueries({ queryKey: ['workspaces'] });
      go(href('workspaces', { workspace: undefined }));
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title={`Delete "${plain(workspace.name)}"?`} onClose={onClose}>
      <form class="stack" onSubmit={remove}>
        <p>
          Its provider credentials go with it. Keys that still work must be disabled or deleted before. What
          was spent stays on record. This cannot be undone.
        </p>
        <label class="label">
          <span>
            Type <code>{workspace.slug}</code> to confirm
          </span>
          <input
            class="field"
            autocomplete="off"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
        {failure !== undefined && (
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button danger" disabled={typed !== workspace.slug}>
            Delete for good
          </button>
        </div>
      </form>
    </Dialog>
  );
}
