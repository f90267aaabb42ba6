import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { confirmTypedKey, TypedKey } from '../../parts/typed-key.tsx';
import type { Credential } from './flags.ts';
import { SecretField } from './secret-field.tsx';

interface ReplaceSecretProps {
  readonly value: Credential;
  readonly name: string;
  readonly onClose: () => void;
}

/** Stores another secret in place of the one of a credential. All else of it stays. */
export function ReplaceSecret({ value, name, onClose }: ReplaceSecretProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const key = String(new FormData(form).get('key') ?? '').trim();
      await confirmTypedKey(form);
      await send('PATCH', '/byok/{id}', { params: { id: value.id }, body: { key } });
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title={`Replace the secret of "${name}"`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p>
          New requests use the new secret at once; those that run finish with the old one, which is erased
          here. Name, use and lists stay.
        </p>
        <SecretField />
        <TypedKey />
        <DialogFoot action="Replace" failure={failure} onCancel={onClose} isDisabled={isBusy} />
      </form>
    </Dialog>
  );
}
