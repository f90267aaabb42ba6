import { useState } from 'preact/hooks';
import type { CreatedKey } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { plain } from '../../text/format.ts';
import { KeyFields, readKeyForm } from './key-form.tsx';

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
  if (made !== undefined) return <ShownOnce made={made} onClose={onClose} />;
  return (
    <Dialog title="New key" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <KeyFields />
        {failure !== undefined && (
          <p class="note bad" role="alert">
            {failure}
          </p>
        )}
        <div class="dialog-foot">
          <button type="button" class="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="button primary" disabled={isBusy}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** The one time that a raw key is seen. It lives in this dialog only. */
function ShownOnce({ made, onClose }: { readonly made: CreatedKey; readonly onClose: () => void }) {
  const [isKept, setKept] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const address = new URL('../api/v1', document.baseURI).href;
  const variable = `HEADGATE_API_KEY=${made.key}`;
  const curl = `curl ${address}/responses -H "Authorization: Bearer ${made.key}" -H "Content-Type: application/json" -d '{"model":"sandbox/echo","input":"Hello"}'`;
  return (
    <Dialog title={`Key "${plain(made.data.name)}" is ready`} onClose={onClose} mustStay>
      <p>Copy it now: it is stored nowhere and never shown again.</p>
      <pre class="raw-key">{made.key}</pre>
      <div class="row">
        <Copy text={made.key} label="Copy key" onCopy={() => setKept(true)} />
        <Copy text={variable} label="Copy as variable" onCopy={() => setKept(true)} />
        <Copy text={curl} label="Copy curl" onCopy={() => setKept(true)} />
      </div>
      {isAsked && !isKept && (
        <p class="note warn" role="alert">
          You have not copied the key. Press again to close all the same.
        </p>
      )}
      <div class="dialog-foot">
        <button
          type="button"
          class="button primary"
          onClick={() => (isKept || isAsked ? onClose() : setAsked(true))}
        >
          Done
        </button>
      </div>
    </Dialog>
  );
}
