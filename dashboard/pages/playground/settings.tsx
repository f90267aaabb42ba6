import type { Draft } from './draft.ts';

interface SettingsProps {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}

/** What may be set besides the prompt. */
export function Settings({ draft, change }: SettingsProps) {
  const { prompt: _, ...settings } = draft;
  const isSet = Object.values(settings).filter((one) => one !== '').length;
  return (
    <details open={isSet > 0}>
      <summary>Settings{isSet > 0 && ` (${isSet})`}</summary>
      <div class="stack settings">
        <label class="label">
          Instructions
          <textarea
            rows={2}
            value={draft.instructions}
            placeholder="none"
            onInput={({ currentTarget }) => change({ instructions: currentTarget.value })}
          />
        </label>
        <Sampling draft={draft} change={change} />
        <div class="settings-pair">
          {jsonFields.map(({ name, label, example, hint }) => (
            <label key={name} class="label">
              {label}
              <textarea
                class="mono"
                rows={5}
                value={draft[name]}
                spellcheck={false}
                placeholder={example}
                onInput={({ currentTarget }) => change({ [name]: currentTarget.value })}
              />
              <span class="hint">{hint}</span>
            </label>
          ))}
        </div>
      </div>
    </details>
  );
}

const jsonFields = [
  {
    name: 'tools',
    label: 'Tools, as a JSON array',
    example:
      '[{ "type": "function", "name": "weather",\n  "parameters": { "type": "object",\n    "properties": { "city": { "type": "string" } } } }]',
    hint: 'You type the results of functions by hand. Tools of the gateway run by themselves.',
  },
  {
    name: 'schema',
    label: 'Output schema, as JSON schema',
    example:
      '{ "type": "object",\n  "properties": { "city": { "type": "string" } },\n  "required": ["city"], "additionalProperties": false }',
    hint: 'The answer is checked against it.',
  },
  {
    name: 'provider',
    label: 'Provider preferences, as a JSON object',
    example: '{ "sort": "price", "zdr": true }',
    hint: 'Which providers may serve, and in which order.',
  },
  {
    name: 'more',
    label: 'Further members of the request, as a JSON object',
    example: '{ "top_p": 0.9, "verbosity": "low" }',
    hint: 'Anything else that a request takes. They replace what is set above.',
  },
] as const satisfies readonly { readonly name: keyof Draft; readonly [part: string]: string }[];

function Sampling({ draft, change }: SettingsProps) {
  return (
    <div class="settings-row">
      <label class="label">
        Temperature
        <input
          class="field"
          inputMode="decimal"
          value={draft.temperature}
          placeholder="the model's"
          onInput={({ currentTarget }) => change({ temperature: currentTarget.value.trim() })}
        />
      </label>
      <label class="label">
        Most output tokens
        <input
          class="field"
          inputMode="numeric"
          value={draft.maxTokens}
          placeholder="the model's"
          onInput={({ currentTarget }) => change({ maxTokens: currentTarget.value.trim() })}
        />
      </label>
      <label class="label">
        Reasoning
        <select
          class="select"
          value={draft.effort}
          onChange={({ currentTarget }) => change({ effort: currentTarget.value })}
        >
          <option value="">the model's</option>
          <option value="low">low</option>
          <option value="medium">medium</option>
          <option value="high">high</option>
        </select>
      </label>
    </div>
  );
}
