import { useState } from 'preact/hooks';
import { messageOf } from '../../api/errors.ts';
import { mayChange, principal } from '../../api/session-state.ts';
import { State } from '../../parts/state.tsx';
import { useKeyList } from '../../state/keys.ts';
import { zone } from '../../state/preferences.ts';
import { plain } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';
import { CredentialMenu } from './credential-menu.tsx';
import { type Credential, meaningOf, scopeOf } from './flags.ts';

interface CredentialRowProps {
  readonly credential: Credential;
  readonly above: Credential | undefined;
  readonly below: Credential | undefined;
  readonly onChange: () => void;
}

/** One credential: what it is for, and what can be done to it. */
export function CredentialRow({ credential, above, below, onChange }: CredentialRowProps) {
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
  const keys = new Map((useKeyList().data ?? []).map((key) => [key.hash, key.name]));
  const name = plain(credential.name ?? credential.label);
  const scope = scopeOf(credential, keys);
  return (
    <li class="credential">
      <div class="credential-text">
        <p class="credential-head">
          <strong>{name}</strong>
          <code class="muted">{plain(credential.label)}</code>
          {credential.disabled ? <State tone="muted">disabled</State> : <State tone="good">active</State>}
        </p>
        <p>{meaningOf(credential)}</p>
        <p class="hint">
          {scope !== undefined && `${plain(scope)}. `}
          {credential.declared_zdr === true && 'Keeps no prompts. '}
          {credential.declared_zdr === false && 'Keeps prompts. '}
          {placeOf(credential)}, since {fullDay(credential.created_at, zone())}
        </p>
        {failure !== undefined && (
          <p class="bad" role="alert">
            {failure}
          </p>
        )}
      </div>
      {mayChange('credentials') && (
        <CredentialMenu
          credential={credential}
          name={name}
          above={above}
          below={below}
          onChange={onChange}
          attempt={attempt}
        />
      )}
    </li>
  );
}

/** Whose requests may use it. */
function placeOf({ workspace_id: id }: Credential): string {
  if (id === null) return 'Whole account';
  const found = principal.value?.workspaces.find((workspace) => workspace.id === id);
  return found === undefined ? 'One workspace' : `Workspace ${plain(found.name)}`;
}
