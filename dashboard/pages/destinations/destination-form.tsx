import { useState } from 'preact/hooks';
import type { Destination, DestinationType } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { Copy } from '../../parts/copy.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { confirmTypedKey, TypedKey } from '../../parts/typed-key.tsx';
import { choice } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { ConfigFields, SentFields } from './destination-fields.tsx';
import { changedConfig, readDestinationForm } from './read-form.ts';

interface DestinationFormProps {
  readonly types: readonly DestinationType[];
  /** The one that is changed; undefined for a new one. */
  readonly destination?: Destination;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Creates a destination, or changes one. It is tested before it is stored. */
export function DestinationForm({ types, destination, onClose, onDone }: DestinationFormProps) {
  const { workspaces = [] } = principal.value ?? {};
  const [name, setType] = useState(destination?.type ?? types[0]?.type ?? '');
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const [secret, setSecret] = useState<string>();
  const type = types.find((one) => one.type === name);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement) || type === undefined) return;
    setBusy(true);
    setFailure(undefined);
    try {
      const data = new FormData(form);
      const { config, ...settings } = readDestinationForm(data, type);
      await confirmTypedKey(form);
      if (destination !== undefined) {
        const changed = changedConfig(config, destination);
        const body = { ...settings, ...(changed !== undefined && { config: changed }) };
        await send('PATCH', '/observability/destinations/{id}', { params: { id: destination.id }, body });
      } else {
        const workspace = String(data.get('workspace') ?? workspaces[0]?.id ?? '');
        const body = { ...settings, type: name, config, workspace_id: workspace };
        const made = (await send('POST', '/observability/destinations', { body })).data.config.signingSecret;
        // One that the person gave needs not be shown.
        if (typeof made === 'string' && config.signingSecret === undefined) return setSecret(made);
      }
      onDone();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  if (secret !== undefined) return <SigningSecret secret={secret} onClose={onDone} />;
  return (
    <Dialog title={destination === undefined ? 'New destination' : 'Edit destination'} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <div class="field-pair">
          <label class="label">
            Type
            <select
              class="select"
              value={name}
              disabled={destination !== undefined}
              onChange={({ currentTarget }) => setType(currentTarget.value)}
            >
              {types.map((one) => (
                <option key={one.type} value={one.type}>
                  {one.type}
                </option>
              ))}
            </select>
          </label>
          <label class="label">
            Name
            <input
              class="field"
              name="name"
              required
              maxLength={100}
              autocomplete="off"
              placeholder="Traces of production"
              defaultValue={destination?.name ?? ''}
            />
          </label>
        </div>
        {destination === undefined && workspaces.length > 1 && (
          <label class="label">
            Workspace
            <select class="select" name="workspace">
              {workspaces.map(({ id, name: label }) => (
                <option key={id} value={id} selected={id === choice('workspace')}>
                  {plain(label)}
                </option>
              ))}
            </select>
          </label>
        )}
        {type !== undefined && <ConfigFields key={name} type={type} destination={destination} />}
        <SentFields destination={destination} />
        <p class="hint">An empty export is sent first; nothing is stored unless it is taken.</p>
        <TypedKey />
        <DialogFoot
          action={isBusy ? 'Testing…' : destination === undefined ? 'Test and create' : 'Save'}
          failure={failure}
          onCancel={onClose}
          isDisabled={isBusy}
        />
      </form>
    </Dialog>
  );
}

/** The one time that a secret which was made is seen. */
function SigningSecret({ secret, onClose }: { readonly secret: string; readonly onClose: () => void }) {
  return (
    <Dialog title="The destination is ready" onClose={onClose} mustStay>
      <p>Each export is signed with this secret. Copy it now: it is never shown again.</p>
      <pre class="signing-secret">{secret}</pre>
      <div class="dialog-foot">
        <Copy text={secret} label="Copy the secret" isPrimary />
        <button type="button" class="button" onClick={onClose}>
          Done
        </button>
      </div>
    </Dialog>
  );
}
