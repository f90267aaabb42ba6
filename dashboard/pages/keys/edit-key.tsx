import { useState } from 'preact/hooks';
import type { Key } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { notify } from '../../state/notice.ts';
import { plain } from '../../text/format.ts';
import { KeyFields, readKeyForm } from './key-form.tsx';

/** Changes the settings of a key. */
export function EditKey({ value, onClose }: { readonly value: Key; readonly onClose: () => void }) {
  const [failure, setFailure] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    try {
      const body = readKeyForm(form);
      await send('PATCH', '/keys/{hash}', { params: { hash: value.hash }, body });
      notify(`Saved ${plain(body.name)}`);
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Edit key" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <KeyFields value={value} />
        <DialogFoot action="Save" failure={failure} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
