import { useState } from 'preact/hooks';
import type { ProviderList } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { confirmTypedKey, TypedKey } from '../../parts/typed-key.tsx';
import { plain } from '../../text/format.ts';
import { CredentialFields } from './credential-fields.tsx';
import { readCredentialForm } from './read-form.ts';
import { SecretField } from './secret-field.tsx';

interface NewCredentialProps {
  readonly providers: ProviderList['data'];
  readonly onClose: () => void;
}

/** Stores a credential. Its secret is written once and never shown. */
export function NewCredential({ providers, onClose }: NewCredentialProps) {
  const { workspaces = [] } = principal.value ?? {};
  const [workspace, setWorkspace] = useState(workspaces[0]?.id ?? null);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const data = new FormData(form);
      const settings = readCredentialForm(data);
      await confirmTypedKey(form);
      await send('POST', '/byok', {
        body: {
          provider: String(data.get('provider')),
          key: String(data.get('key') ?? '').trim(),
          ...(workspace === null ? {} : { workspace_id: workspace }),
          ...settings,
        },
      });
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="New credential" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <label class="label">
          Provider
          <select class="select" name="provider">
            {providers.map(({ slug, name }) => (
              <option key={slug} value={slug}>
                {plain(name)}
              </option>
            ))}
          </select>
        </label>
        <SecretField />
        {workspaces.length > 1 && (
          <label class="label">
            Workspace
            <select
              class="select"
              value={workspace ?? ''}
              onChange={({ currentTarget }) => setWorkspace(currentTarget.value)}
            >
              {workspaces.map(({ id, name }) => (
                <option key={id} value={id}>
                  {plain(name)}
                </option>
              ))}
            </select>
          </label>
        )}
        <CredentialFields workspace={workspace} />
        <TypedKey />
        <DialogFoot action="Store" failure={failure} onCancel={onClose} isDisabled={isBusy} />
      </form>
    </Dialog>
  );
}
