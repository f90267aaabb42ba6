import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { CredentialFields } from './credential-fields.tsx';
import type { Credential } from './flags.ts';
import { changesOf, readCredentialForm } from './read-form.ts';

interface EditCredentialProps {
  readonly value: Credential;
  readonly onClose: () => void;
}

/** Changes what a credential is called, when it is used and for what. */
export function EditCredential({ value, onClose }: EditCredentialProps) {
  const [failure, setFailure] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setFailure(undefined);
    try {
      const body = changesOf(value, readCredentialForm(new FormData(form)));
      if (Object.keys(body).length > 0) {
        await send('PATCH', '/byok/{id}', { params: { id: value.id }, body });
      }
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title="Edit credential" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <CredentialFields value={value} workspace={value.workspace_id} />
        <DialogFoot action="Save" failure={failure} onCancel={onClose} />
      </form>
    </Dialog>
  );
}
