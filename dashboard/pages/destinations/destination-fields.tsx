import type { Destination, DestinationType } from '../../../clients/headgate-api.ts';
import { useKeyList } from '../../state/keys.ts';
import { plain } from '../../text/format.ts';
import { headerLines } from './read-form.ts';

interface DestinationFieldsProps {
  readonly type: DestinationType;
  readonly destination: Destination | undefined;
}

/** The members of a type's config. A secret that is there stays while its mask is not changed. */
export function ConfigFields({ type, destination }: DestinationFieldsProps) {
  const { config = {} } = destination ?? {};
  return (
    <>
      {type.fields.map(({ name, required, secret, default: usual, choices }) => (
        <label key={name} class="label">
          {wordsOf(name)}
          {choices === null ? (
            <input
              class={`field${secret ? ' mono' : ''}`}
              name={`config.${name}`}
              required={required}
              autocomplete="off"
              spellcheck={false}
              placeholder={usual ?? (required ? '' : 'not set')}
              defaultValue={String(config[name] ?? '')}
            />
          ) : (
            <select class="select" name={`config.${name}`}>
              {choices.map((one) => (
                <option key={one} value={one} selected={one === (config[name] ?? usual)}>
                  {one}
                </option>
              ))}
            </select>
          )}
          {hints[name] !== undefined && <span class="hint">{hints[name]}</span>}
        </label>
      ))}
    </>
  );
}

const hints: Readonly<Record<string, string>> = {
  signingSecret: 'Made and shown once where you give none.',
  pathTemplate: 'May hold {prefix}, {date} and {hour}.',
};

/** The name of a member in words: `baseUrl` is "Base URL". */
export function wordsOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\b(url|api|id|dsn)\b/g, (word) => word.toUpperCase())
    .replace(/\botlp\b/, 'OTLP');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What is sent, and of which requests. */
export function SentFields({ destination }: Pick<DestinationFieldsProps, 'destination'>) {
  const keys = useKeyList();
  const chosen = destination?.api_key_hashes ?? [];
  const rules = destination?.filter_rules ?? null;
  return (
    <>
      <fieldset class="sent-choices">
        <legend>What is sent besides models, times, tokens and outcomes</legend>
        {(
          [
            ['says', 'What is said', !(destination?.privacy_mode ?? true)],
            ['cost', 'Amounts', destination?.broadcast_generation_cost ?? false],
            ['identity', 'The user and the key', destination?.broadcast_generation_identity ?? false],
            ['context', 'The application', destination?.broadcast_generation_request_context ?? false],
          ] as const
        ).map(([name, label, isOn]) => (
          <label key={name} class="row">
            <input type="checkbox" name={name} defaultChecked={isOn} /> {label}
          </label>
        ))}
      </fieldset>
      <label class="label">
        Part of sessions, in percent
        <input
          class="field"
          name="share"
          inputMode="decimal"
          defaultValue={String(Math.round((destination?.sampling_rate ?? 1) * 1_000_000) / 10_000)}
        />
        <span class="hint">A session is sent whole or not at all.</span>
      </label>
      <details>
        <summary>More settings</summary>
        <div class="stack more-settings">
          <fieldset class="sent-choices">
            <legend>Only requests of these keys; none chosen is all</legend>
            <div class="key-choices">
              {(keys.data ?? []).map(({ hash, name }) => (
                <label key={hash} class="row">
                  <input type="checkbox" name="key" value={hash} defaultChecked={chosen.includes(hash)} />
                  {plain(name)}
                </label>
              ))}
            </div>
          </fieldset>
          <label class="label">
            Further headers
            <textarea
              name="headers"
              rows={2}
              spellcheck={false}
              placeholder="name: value"
              defaultValue={headerLines(destination?.config ?? {})}
            />
            <span class="hint">One a line. Values are sealed.</span>
          </label>
          <label class="label">
            Filters, as JSON
            <textarea
              class="mono"
              name="rules"
              rows={4}
              spellcheck={false}
              placeholder='{"groups":[{"rules":[{"field":"total_cost","operator":"gt","value":0.1}]}]}'
              defaultValue={rules === null ? '' : JSON.stringify(rules, undefined, 2)}
            />
            <span class="hint">Every group has to be passed; empty lets all pass.</span>
          </label>
        </div>
      </details>
    </>
  );
}
