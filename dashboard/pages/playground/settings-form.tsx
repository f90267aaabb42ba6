import { useState } from 'preact/hooks';
import type { Settings } from './draft.ts';
import { EffortChoice } from './effort-choice.tsx';

interface SettingsFormProps {
  /** The models that the settings are for, as typed. */
  readonly models: readonly string[];
  readonly settings: Settings;
  readonly change: (changed: Partial<Settings>) => void;
  /** Whose they are, where each column has its own. */
  readonly of?: string;
}

/** What may be set besides the prompt. */
export function SettingsForm({ models, settings, change, of }: SettingsFormProps) {
  const isSet = Object.values(settings).filter((one) => one !== '').length;
  // As it was at first: it must not close while the last field is emptied.
  const [isOpen] = useState(isSet > 0);
  return (
    <details
      open={isOpen}
      class="settings-form"
      {...(of === undefined ? {} : { 'aria-label': `Settings of ${of}` })}
    >
      <summary>Settings{isSet > 0 && ` (${isSet})`}</summary>
      <div class="stack settings">
        <label class="label">
          Instructions
          <textarea
            rows={2}
            value={settings.instructions}
            placeholder="none"
            onInput={({ currentTarget }) => change({ instructions: currentTarget.value })}
          />
        </label>
        <Sampling models={models} settings={settings} change={change} />
        <div class="settings-pair">
          {jsonFields.map(({ name, label, example, hint }) => (
            <label key={name} class="label">
              {label}
              <textarea
                class="mono"
                rows={5}
                value={settings[name]}
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
] as const satisfies readonly { readonly name: keyof Settings; readonly [part: string]: string }[];

function Sampling({ models, settings, change }: Omit<SettingsFormProps, 'of'>) {
  return (
    <div class="settings-row">
      <label class="label">
        Temperature
        <input
          class="field"
          inputMode="decimal"
          value={settings.temperature}
          placeholder="the model's"
          onInput={({ currentTarget }) => change({ temperature: currentTarget.value.trim() })}
        />
      </label>
      <label class="label">
        Most output tokens
        <input
          class="field"
          inputMode="numeric"
          value={settings.maxTokens}
          placeholder="the model's"
          onInput={({ currentTarget }) => change({ maxTokens: currentTarget.value.trim() })}
        />
      </label>
      <EffortChoice models={models} value={settings.effort} onChange={(effort) => change({ effort })} />
    </div>
  );
}
