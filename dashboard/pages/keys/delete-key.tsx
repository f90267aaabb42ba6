import { useState } from 'preact/hooks';
import type { Key } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { plain } from '../../text/format.ts';

interface DeleteKeyProps {
  readonly value: Key;
  readonly onClose: () => void;
  readonly onDelete: () => void;
}

/** Asks for the name before a key is deleted for good. */
export function DeleteKey({ value, onClose, onDelete }: DeleteKeyProps) {
  const [typed, setTyped] = useState('');
  const [failure, setFailure] = useState<string>();
  const remove = async (event: Event) => {
    event.preventDefault();
    try {
      await send('DELETE', '/keys/{hash}', { params: { hash: value.hash } });
      onDelete();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Delete key" onClose={onClose}>
      <form class="stack" onSubmit={remove}>
        <p>
          This cannot be undone. What it spent stays on record. To be able to go back, disable it instead.
        </p>
        <label class="label">
          <span>
            Type <code>{plain(value.name)}</code> to confirm
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
          <button type="submit" class="button danger" disabled={typed !== plain(value.name)}>
            Delete for good
          </button>
        </div>
      </form>
    </Dialog>
  );
}
