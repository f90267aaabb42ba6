import { useState } from 'preact/hooks';
import { LinesField } from '../../parts/lines-field.tsx';
import { useKeyList } from '../../state/keys.ts';
import { plain } from '../../text/format.ts';
import { type Credential, meaningOf, useOf, uses } from './flags.ts';

interface CredentialFieldsProps {
  /** The credential that is changed; undefined for a new one. */
  readonly value?: Credential;
  /** Its workspace; null for one of the whole account. */
  readonly workspace: string | null;
}

/** What the owner of a credential decides, besides its provider and its secret. */
export function CredentialFields({ value, workspace }: CredentialFieldsProps) {
  const isNarrow =
    value !== undefined &&
    (value.allowed_api_key_hashes !== null || value.allowed_user_ids !== null || value.declared_zdr !== null);
  return (
    <>
      <label class="label">
        Name
        <input
          class="field"
          name="name"
          maxLength={255}
          autocomplete="off"
          defaultValue={value?.name ?? ''}
          placeholder="such as eu"
        />
      </label>
      <label class="label">
        Use
        <select class="select" name="use">
          {Object.entries(uses).map(([name, flags]) => (
            <option key={name} value={name} selected={value !== undefined && useOf(value) === name}>
              {meaningOf(flags)}
            </option>
          ))}
        </select>
      </label>
      <LinesField
        label="Models"
        name="allowed_models"
        values={value?.allowed_models}
        hint="One a line, such as acme/atlas-4"
      />
      <details open={isNarrow}>
        <summary>Keys, users and data</summary>
        <div class="stack credential-more">
          <KeyChoice chosen={value?.allowed_api_key_hashes ?? null} workspace={workspace} />
          <LinesField
            label="Users"
            name="allowed_user_ids"
            values={value?.allowed_user_ids}
            hint="Ids of members, one a line: only keys that they created use the credential"
          />
          <Retention declared={value?.declared_zdr ?? null} />
        </div>
      </details>
    </>
  );
}

/** What the owner says of data at the provider. */
function Retention({ declared }: { readonly declared: boolean | null }) {
  const chosen = declared === null ? '' : declared ? 'none' : 'kept';
  return (
    <label class="label">
      Your account at the provider
      <select class="select" name="retention">
        <option value="" selected={chosen === ''}>
          keeps data as the provider usually does
        </option>
        <option value="none" selected={chosen === 'none'}>
          keeps no prompts (zero data retention)
        </option>
        <option value="kept" selected={chosen === 'kept'}>
          keeps prompts
        </option>
      </select>
      <span class="hint">Decides whether requests that allow no retention may use it; nobody checks it</span>
    </label>
  );
}

interface KeyChoiceProps {
  readonly chosen: readonly string[] | null;
  readonly workspace: string | null;
}

/** Which keys use it: all, or those that are marked. */
function KeyChoice({ chosen, workspace }: KeyChoiceProps) {
  const [isSome, setSome] = useState(chosen !== null);
  const keys = (useKeyList().data ?? []).filter(
    (key) => workspace === null || key.workspace_id === workspace || chosen?.includes(key.hash),
  );
  return (
    <>
      <label class="label">
        Keys
        <select
          class="select"
          name="keys"
          value={isSome ? 'some' : 'all'}
          onChange={({ currentTarget }) => setSome(currentTarget.value === 'some')}
        >
          <option value="all">All keys</option>
          <option value="some">Only these</option>
        </select>
      </label>
      {isSome && (
        <fieldset class="credential-keys">
          <legend class="hidden">Keys that use it</legend>
          {keys.length === 0 && <p class="hint">There is no key in its workspace.</p>}
          {keys.map(({ hash, name }) => (
            <label key={hash} class="row">
              <input
                type="checkbox"
                name="key_hash"
                value={hash}
                defaultChecked={chosen?.includes(hash) ?? false}
              />
              <span class="cut">{plain(name)}</span>
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
