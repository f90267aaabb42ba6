import { useState } from 'preact/hooks';
import type { ProviderCredentialVerdict } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ModelInput } from '../../parts/model-input.tsx';
import { Money } from '../../parts/money.tsx';
import { State } from '../../parts/state.tsx';
import { useKeyList } from '../../state/keys.ts';
import { href } from '../../state/url.ts';
import { duration, plain } from '../../text/format.ts';
import type { Credential } from './flags.ts';

type Verdict = ProviderCredentialVerdict['data'];

interface TestCredentialProps {
  readonly value: Credential;
  readonly name: string;
  readonly onClose: () => void;
}

/** Makes one short call with a credential, and says what came of it. */
export function TestCredential({ value, name, onClose }: TestCredentialProps) {
  const [model, setModel] = useState('');
  const [key, setKey] = useState('');
  const [verdict, setVerdict] = useState<Verdict>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const test = async () => {
    setBusy(true);
    setFailure(undefined);
    setVerdict(undefined);
    try {
      const body = { ...(model === '' ? {} : { model }), ...(key === '' ? {} : { key_hash: key }) };
      setVerdict((await send('POST', '/byok/{id}/test', { params: { id: value.id }, body })).data);
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <Dialog title={`Test "${name}"`} onClose={onClose}>
      <p>
        Sends one short request to the provider with this credential and no other. It is recorded and charged
        like every request with an own credential.
      </p>
      <label class="label">
        Model
        <ModelInput label="Model" value={model} onChange={setModel} placeholder="the cheapest it is for" />
      </label>
      <KeyChoice value={value} chosen={key} onChange={setKey} />
      <div role="status">
        {isBusy && <p class="note">Waiting for the provider, at most 15 seconds…</p>}
        {verdict !== undefined && <Result verdict={verdict} />}
      </div>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      <div class="dialog-foot">
        <button type="button" class="button" onClick={onClose}>
          Close
        </button>
        <button type="button" class="button primary" disabled={isBusy} onClick={() => void test()}>
          {verdict === undefined ? 'Send' : 'Send again'}
        </button>
      </div>
    </Dialog>
  );
}

interface KeyChoiceProps {
  readonly value: Credential;
  readonly chosen: string;
  readonly onChange: (hash: string) => void;
}

/** The key that the request runs as. */
function KeyChoice({ value, chosen, onChange }: KeyChoiceProps) {
  const { workspace_id: workspace, allowed_api_key_hashes: allowed } = value;
  const keys = (useKeyList().data ?? []).filter(
    (key) =>
      !key.disabled &&
      (workspace === null || key.workspace_id === workspace) &&
      (allowed === null || allowed.includes(key.hash)),
  );
  return (
    <label class="label">
      As key
      <select class="select" value={chosen} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
        <option value="">the newest that may use it</option>
        {keys.map(({ hash, name }) => (
          <option key={hash} value={hash}>
            {plain(name)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Result({ verdict }: { readonly verdict: Verdict }) {
  const { ok, error, model, latency_ms: latency, generation_id: id, byok_cost_nano: list } = verdict;
  return (
    <div class={`note credential-verdict ${ok ? 'good' : 'bad'}`}>
      <strong>
        <State tone={ok ? 'good' : 'bad'}>{ok ? 'It works' : 'It does not work'}</State>
      </strong>
      {error !== null && (
        <p>
          {plain(error.message)}
          {error.provider_code !== null && ` The provider calls it "${plain(error.provider_code)}".`}
        </p>
      )}
      <dl>
        <dt>Model</dt>
        <dd>{plain(model)}</dd>
        <dt>{ok ? 'Answered after' : 'Failed after'}</dt>
        <dd>{duration(latency)}</dd>
        <dt>Charged here</dt>
        <dd>
          <Money nano={verdict.cost_nano} />
        </dd>
        <dt>By the provider</dt>
        <dd>
          {list === null ? (
            'not known'
          ) : (
            <>
              <Money nano={list} /> at list prices
            </>
          )}
        </dd>
      </dl>
      <a href={href(`requests/${id}`)}>Open the request</a>
    </div>
  );
}
