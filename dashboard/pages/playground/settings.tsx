import type { Draft } from './draft.ts';

/** What may be set besides the prompt. */
export function Settings({
  draft,
  change,
}: {
  readonly draft: Draft;
  readonly change: (changed: Partial<Draft>) => void;
}) {
  const isSet = [draft.instructions, draft.temperature, draft.maxTokens, draft.effort, draft.more].filter(
    (one) => one !== '',
  ).length;
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
        <label class="label">
          Further members of the request, as JSON
          <textarea
            class="mono"
            rows={3}
            value={draft.more}
            spellcheck={false}
            placeholder={'{ "provider": { "sort": "price" }, "tools": [] }'}
            onInput={({ currentTarget }) => change({ more: currentTarget.value })}
          />
        </label>
      </div>
    </details>
  );
}
