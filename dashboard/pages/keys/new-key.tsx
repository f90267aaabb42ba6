import { useState } from 'preact/hooks';
import type { CreatedKey } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { notify } from '../../state/notice.ts';
import { plain } from '../../text/format.ts';
import { KeyFields, readKeyForm } from './key-form.tsx';
import { ShownOnce } from './shown-once.tsx';

/** Makes a key and shows it once. */
export function NewKey({ onClose }: { readonly onClose: () => void }) {
  const [made, setMade] = useState<CreatedKey>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const days = Number(data.get('expires') ?? 0);
    const workspace = data.get('workspace_id');
    setBusy(true);
    setFailure(undefined);
    try {
      const body = {
        ...readKeyForm(form),
        ...(days > 0 ? { expires_at: new Date(Date.now() + days * 86_400_000).toISOString() } : {}),
        ...(typeof workspace === 'string' ? { workspace_id: workspace } : {}),
      };
      setMade(await send('POST', '/keys', { body }));
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  if (made !== undefined) {
    const { name } = made.data;
    const close = () => {
      notify(`Created ${plain(name)}`);
      onClose();
    };
    return <ShownOnce title={`Key "${plain(name)}" is ready`} secret={made.key} onClose={close} />;
  }
  return (
    <Dialog title="New key" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <KeyFields />
        <DialogFoot action="Create" failure={failure} onCancel={onClose} isDisabled={isBusy} />
      </form>
    </Dialog>
  );
}
