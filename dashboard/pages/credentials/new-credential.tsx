import { useState } from 'preact/hooks';
import type { ProviderList } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { confirmTypedKey, TypedKey } from '../../parts/typed-key.tsx';
import { plain } from '../../text/format.ts';
import { meaningOf } from './flags.ts';

interface NewCredentialProps {
  readonly providers: ProviderList['data'];
  readonly onClose: () => void;
}

/** How a credential stands to the shared capacity. */
const uses = {
  first: { is_required: false, is_fallback: false, is_byok_only: false },
  instead: { is_required: true, is_fallback: false, is_byok_only: false },
  only: { is_required: false, is_fallback: false, is_byok_only: true },
  fallback: { is_required: false, is_fallback: true, is_byok_only: false },
} as const;

type Use = keyof typeof uses;

/** Stores a credential. Its secret is written once and never shown. */
export function NewCredential({ providers, onClose }: NewCredentialProps) {
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const text = (name: string) => String(data.get(name) ?? '').trim();
    const models = text('allowed_models')
      .split(/[\s,]+/)
      .filter(Boolean);
    const workspace = text('workspace_id');
    setBusy(true);
    setFailure(undefined);
    try {
      await confirmTypedKey(form);
      await send('POST', '/byok', {
        body: {
          provider: text('provider'),
          key: text('key'),
          ...uses[text('use') as Use],
          ...(text('name') === '' ? {} : { name: text('name') }),
          ...(workspace === '' ? {} : { workspace_id: workspace }),
          ...(models.length === 0 ? {} : { allowed_models: models }),
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
        <CredentialFields providers={providers} />
        <TypedKey />
        <DialogFoot action="Store" failure={failure} onCancel={onClose} isDisabled={isBusy} />
      </form>
    </Dialog>
  );
}

function CredentialFields({ providers }: Pick<NewCredentialProps, 'providers'>) {
  const { workspaces = [] } = principal.value ?? {};
  return (
    <>
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
      <label class="label">
        Secret
        <textarea name="key" required rows={2} class="mono" spellcheck={false} autocomplete="off" />
        <span class="hint">
          An API key; for cloud providers the JSON that their page for credentials gives you
        </span>
      </label>
      <label class="label">
        Name
        <input class="field" name="name" autocomplete="off" placeholder="such as eu" />
      </label>
      {workspaces.length > 1 && (
        <label class="label">
          Workspace
          <select class="select" name="workspace_id">
            {workspaces.map(({ id, name }) => (
              <option key={id} value={id}>
                {plain(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="label">
        Use
        <select class="select" name="use">
          {Object.entries(uses).map(([name, flags]) => (
            <option key={name} value={name}>
              {meaningOf(flags)}
            </option>
          ))}
        </select>
      </label>
      <label class="label">
        Models
        <textarea name="allowed_models" rows={2} placeholder="any" spellcheck={false} />
        <span class="hint">One a line, such as acme/atlas-4</span>
      </label>
    </>
  );
}
