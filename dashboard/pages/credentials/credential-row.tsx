import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { plain } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';
import { type Credential, meaningOf, scopeOf } from './flags.ts';

interface CredentialRowProps {
  readonly credential: Credential;
  readonly above: Credential | undefined;
  readonly below: Credential | undefined;
  readonly onChange: () => void;
}

/** One credential: what it is for, and what can be done to it. */
export function CredentialRow({ credential, above, below, onChange }: CredentialRowProps) {
  const [isAsked, setAsked] = useState(false);
  const [failure, setFailure] = useState<string>();
  const attempt = async (work: () => Promise<unknown>) => {
    setFailure(undefined);
    try {
      await work();
      onChange();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const change = (id: string, body: { disabled?: boolean; sort_order?: number }) =>
    send('PATCH', '/byok/{id}', { params: { id }, body });
  const swap = (other: Credential) =>
    attempt(async () => {
      await change(credential.id, { sort_order: other.sort_order });
      await change(other.id, { sort_order: credential.sort_order });
    });
  const name = plain(credential.name ?? credential.label);
  const scope = scopeOf(credential);
  return (
    <li class="credential">
      <div class="credential-text">
        <p>
          <strong>{name}</strong> <code class="muted">{plain(credential.label)}</code>{' '}
          {credential.disabled ? <State tone="muted">disabled</State> : <State tone="good">active</State>}
        </p>
        <p>{meaningOf(credential)}</p>
        <p class="hint">
          {scope !== undefined && `${plain(scope)}. `}
          {credential.workspace_id === null ? 'Whole account' : 'One workspace'}, since{' '}
          {fullDay(credential.created_at, zone())}
        </p>
        {failure !== undefined && (
          <p class="bad" role="alert">
            {failure}
          </p>
        )}
      </div>
      {mayChange() && (
        <Menu label={`Actions for ${name}`} button={<Icon name="more" />}>
          {above !== undefined && (
            <button type="button" onClick={() => void swap(above)}>
              Try earlier
            </button>
          )}
          {below !== undefined && (
            <button type="button" onClick={() => void swap(below)}>
              Try later
            </button>
          )}
          <button
            type="button"
            onClick={() => void attempt(() => change(credential.id, { disabled: !credential.disabled }))}
          >
            {credential.disabled ? 'Enable' : 'Disable'}
          </button>
          <button type="button" class="danger" onClick={() => setAsked(true)}>
            Delete…
          </button>
        </Menu>
      )}
      {isAsked && (
        <Dialog title={`Delete "${name}"?`} onClose={() => setAsked(false)}>
          <p>The stored secret is erased. This cannot be undone; to pause it, disable it instead.</p>
          <div class="dialog-foot">
            <button type="button" class="button" onClick={() => setAsked(false)}>
              Cancel
            </button>
            <button
              type="button"
              class="button danger"
              onClick={() => {
                setAsked(false);
                void attempt(() => send('DELETE', '/byok/{id}', { params: { id: credential.id } }));
              }}
            >
              Delete for good
            </button>
          </div>
        </Dialog>
      )}
    </li>
  );
}
