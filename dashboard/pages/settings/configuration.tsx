import { useState } from 'preact/hooks';
import type { Configuration as ConfigurationAnswer } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { Failed, Loading } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import { useQuery } from '../../state/query.ts';
import { count, plain } from '../../text/format.ts';
import { exactTime } from '../../text/time.ts';
import './configuration.css';

type Data = ConfigurationAnswer['data'];
type Value = Data['values'][number];

/** The configuration that the server goes by, and where each value comes from. */
export function Configuration() {
  const { data, error, reload } = useQuery(
    ['config'],
    async (signal) => (await get('/config', { signal })).data,
  );
  if (error !== undefined && data === undefined) return <Failed error={error} retry={reload} />;
  if (data === undefined) return <Loading height={300} />;
  return (
    <section class="card" aria-label="Configuration">
      <div class="padded-top stack">
        <h2>Configuration in use</h2>
        <p class="muted">
          {data.file === null ? (
            'There is no configuration file.'
          ) : (
            <>
              From <code class="long-name">{plain(data.file)}</code>, read {exactTime(data.loaded_at, zone())}
              .
            </>
          )}{' '}
          It is changed there, not here.
        </p>
        <Reload data={data} />
      </div>
      <Values values={data.values} />
    </section>
  );
}

function Reload({ data: { refused, needs_restart: waiting } }: { readonly data: Data }) {
  return (
    <>
      {refused !== null && (
        <div class="note bad">
          <p>The file as it is now cannot be used; the values below are those before it.</p>
          <ul class="plain-list">
            {refused.reasons.map((reason) => (
              <li key={reason}>{plain(reason)}</li>
            ))}
          </ul>
        </div>
      )}
      {waiting.length > 0 && (
        <p class="note warn">Changed in the file, in use after a restart: {waiting.map(plain).join(', ')}.</p>
      )}
    </>
  );
}

function Values({ values }: { readonly values: readonly Value[] }) {
  const [text, setText] = useState('');
  const isSet = values.filter(({ source }) => source !== null);
  const [all, setAll] = useState(isSet.length === 0);
  const words = text.toLowerCase().split(/\s+/);
  const found = (all ? values : isSet).filter(({ key, value }) => {
    const line = `${key} ${value}`.toLowerCase();
    return words.every((word) => line.includes(word));
  });
  return (
    <>
      <div class="row config-bar">
        <input
          class="field"
          type="search"
          data-search
          aria-label="Search the configuration"
          placeholder="Search keys and values…"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <fieldset class="segments" aria-label="Which values">
          <button type="button" aria-pressed={!all} onClick={() => setAll(false)}>
            Set ({count(isSet.length)})
          </button>
          <button type="button" aria-pressed={all} onClick={() => setAll(true)}>
            All ({count(values.length)})
          </button>
        </fieldset>
      </div>
      {found.length === 0 && (
        <p class="muted config-none">{text === '' ? 'Everything is a default.' : 'Nothing is found.'}</p>
      )}
      {sectionsOf(found).map(([name, members]) => (
        <div key={name} class="config-section">
          <h3>{name}</h3>
          <dl>
            {members.map((value) => (
              <Line key={value.key} value={value} />
            ))}
          </dl>
        </div>
      ))}
    </>
  );
}

/** Values under the first part of their keys, in the order of the file. */
function sectionsOf(values: readonly Value[]): readonly (readonly [string, readonly Value[]])[] {
  const grouped = Object.groupBy(values, ({ key }) =>
    key.includes('.') ? (key.split('.')[0] ?? '') : 'general',
  );
  return Object.entries(grouped)
    .map(([name, members = []]) => [name, members] as const)
    .toSorted(([left], [right]) => Number(right === 'general') - Number(left === 'general'));
}

function Line({ value: { key, value, source } }: { readonly value: Value }) {
  const below = key.slice(key.indexOf('.') + 1);
  return (
    <div class="config-line">
      <dt>
        <code>{plain(below)}</code>
      </dt>
      <dd>
        {value === 'null' ? <span class="muted">not set</span> : <code>{plain(value)}</code>}
        <small class="muted" title={source === null ? undefined : plain(source)}>
          {source === null ? 'default' : plain(source.replace(/^.*[/]/, ''))}
        </small>
      </dd>
    </div>
  );
}
