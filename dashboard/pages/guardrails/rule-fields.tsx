import type { Guardrail } from '../../../clients/headgate-api.ts';
import { actions, builtins, lists, practices, retention } from './rules.ts';

interface RuleFieldsProps {
  readonly guardrail: Guardrail | undefined;
}

/** Models, providers, data practice and filters that are built in. */
export function RuleFields({ guardrail }: RuleFieldsProps) {
  return (
    <>
      <fieldset class="rule-fields">
        <legend>Models and providers</legend>
        {entriesOf(lists).map(([name, label]) => (
          <label key={name} class="label">
            {label}
            <textarea
              name={name}
              rows={1}
              class="mono"
              spellcheck={false}
              defaultValue={(guardrail?.[name] ?? []).join('\n')}
            />
          </label>
        ))}
      </fieldset>
      <fieldset class="rule-fields">
        <legend>Data practice</legend>
        {entriesOf(practices).map(([name, label]) => (
          <label key={name} class="row">
            <input type="checkbox" name={name} defaultChecked={guardrail?.[name] === false} />
            {label}
          </label>
        ))}
        <p class="hint">Only where nothing is kept:</p>
        {entriesOf(retention).map(([name, label]) => (
          <label key={name} class="row">
            <input
              type="checkbox"
              name={name}
              defaultChecked={guardrail?.[name] ?? guardrail?.enforce_zdr ?? false}
            />
            {label}
          </label>
        ))}
      </fieldset>
      <Filters guardrail={guardrail} />
    </>
  );
}

function Filters({ guardrail }: RuleFieldsProps) {
  const set = new Map((guardrail?.content_filter_builtins ?? []).map((one) => [one.slug, one]));
  return (
    <fieldset class="rule-fields">
      <legend>Filters and prompt injection</legend>
      <div class="field-pair">
        {entriesOf(builtins).map(([slug, label]) => (
          <label key={slug} class="label">
            {label}
            <select class="select" name={slug}>
              <option value="">let pass</option>
              {actions.map((action) => (
                <option key={action} value={action} selected={set.get(slug)?.action === action}>
                  {action}
                </option>
              ))}
            </select>
          </label>
        ))}
      </div>
      <label class="label">
        Prompt injection is looked for in
        <select class="select" name="scan_scope">
          <option value="all_messages">all messages</option>
          <option value="user_only" selected={set.get('regex-prompt-injection')?.scan_scope === 'user_only'}>
            text of users
          </option>
        </select>
      </label>
    </fieldset>
  );
}

function entriesOf<Table extends Readonly<Record<string, string>>>(table: Table) {
  return Object.entries(table) as readonly (readonly [keyof Table & string, string])[];
}
