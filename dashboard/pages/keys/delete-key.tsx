import type { Key } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { DeleteDialog } from '../../parts/delete-dialog.tsx';
import { notify } from '../../state/notice.ts';
import { plain } from '../../text/format.ts';

interface DeleteKeyProps {
  readonly value: Key;
  readonly onClose: () => void;
  readonly onDelete: () => void;
}

/** Asks for the name before a key is deleted for good. */
export function DeleteKey({ value, onClose, onDelete }: DeleteKeyProps) {
  const remove = async () => {
    await send('DELETE', '/keys/{hash}', { params: { hash: value.hash } });
    notify(`Deleted ${plain(value.name)}`);
    onDelete();
  };
  return (
    <DeleteDialog title="Delete key" name={plain(value.name)} onConfirm={remove} onClose={onClose}>
      This cannot be undone. What it spent stays on record. To be able to go back, disable it instead.
    </DeleteDialog>
  );
}
