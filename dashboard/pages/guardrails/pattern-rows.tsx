import { Icon } from '../../parts/icon.tsx';
import { actions, type Custom } from './rules.ts';

interface PatternRowsProps {
  readonly patterns: readonly Custom[];
  readonly onChange: (patterns: readonly Custom[]) => void;
}

/** Patterns of the guardrail's own. */
export function PatternRows({ patterns, onChange }: PatternRowsProps) {
  const change = (index: number, to: Partial<Custom>) =>
    onChange(patterns.map((one, at) => (at === index ? { ...one, ...to } : one)));
  return (
    <fieldset class="rule-fields">
      <legend>Own patterns</legend>
      {patterns.map(({ pattern, action, label }, index) => (
        <div key={index} class="pattern-row">
          <input
            class="field mono"
            aria-label={`Pattern ${index + 1}`}
            placeholder="ticket-[0-9]+"
            spellcheck={false}
            value={pattern}
            onInput={({ currentTarget }) => change(index, { pattern: currentTarget.value })}
          />
          <input
            class="field"
            aria-label={`Name of pattern ${index + 1}`}
            placeholder="TICKET"
            maxLength={100}
            value={label ?? ''}
            onInput={({ currentTarget: { value } }) => change(index, { label: value === '' ? null : value })}
          />
          <select
            class="select"
            aria-label={`What happens to pattern ${index + 1}`}
            value={action}
            onChange={({ currentTarget }) => {
              const chosen = actions.find((one) => one === currentTarget.value);
              if (chosen !== undefined) change(index, { action: chosen });
            }}
          >
            {actions.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </select>
          <button
            type="button"
            class="button plain small"
            aria-label={`Remove pattern ${index + 1}`}
            onClick={() => onChange(patterns.filter((_, at) => at !== index))}
          >
            <Icon name="close" />
          </button>
        </div>
      ))}
      <button
        type="button"
        class="button small"
        onClick={() => onChange([...patterns, { pattern: '', action: 'redact', label: null }])}
      >
        <Icon name="plus" /> Pattern
      </button>
    </fieldset>
  );
}
