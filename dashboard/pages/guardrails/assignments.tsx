import { useState } from 'preact/hooks';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Failed, Loading } from '../../parts/state.tsx';
import { useKeyList } from '../../state/keys.ts';
import { href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { useKeysOf } from './queries.ts';

/** The keys that a guardrail is given to. */
export function Assignments({ id }: { readonly id: string }) {
  const here = useKeysOf(id);
  const all = useKeyList();
  const [failure, setFailure] = useState<string>();
  const change = async (action: 'add' | 'remove', hash: string) => {
    setFailure(undefined);
    const options = { params: { id }, body: { key_hashes: [hash] } };
    try {
      if (action === 'add') await send('POST', '/guardrails/{id}/assignments/keys', options);
      else await send('POST', '/guardrails/{id}/assignments/keys/remove', options);
      here.reload();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  const given = new Set(here.data?.map(({ key_hash: hash }) => hash));
  const others = (all.data ?? []).filter(({ hash }) => !given.has(hash));
  return (
    <section class="card padded stack">
      <h2>Given to keys</h2>
      {here.error !== undefined && here.data === undefined ? (
        <Failed error={here.error} retry={here.reload} />
      ) : here.data === undefined ? (
        <Loading />
      ) : here.data.length === 0 ? (
        <p class="muted">No single key. The guardrail of a workspace holds for all its keys anyway.</p>
      ) : (
        <ul class="plain-list">
          {here.data.map(({ key_hash: hash, key_name: name }) => (
            <li key={hash} class="row assigned">
              <a class="cut" href={href(`keys/${hash}`)}>
                {plain(name)}
              </a>
              <span class="gap" />
              {mayChange('guardrails') && (
                <button
                  type="button"
                  class="button small"
                  aria-label={`Take away from ${plain(name)}`}
                  onClick={() => void change('remove', hash)}
                >
                  Take away
                </button>
              )}
            </li>
          ))}
        </ul>
      )}
      {mayChange('guardrails') && others.length > 0 && (
        <label class="label">
          Give to
          <select
            class="select"
            value=""
            onChange={({ currentTarget }) => {
              if (currentTarget.value !== '') void change('add', currentTarget.value);
              currentTarget.value = '';
            }}
          >
            <option value="">Choose a key…</option>
            {others.map(({ hash, name }) => (
              <option key={hash} value={hash}>
                {plain(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
    </section>
  );
}
