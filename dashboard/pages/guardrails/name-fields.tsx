import type { Guardrail } from '../../../clients/headgate-api.ts';
import { principal } from '../../api/session-state.ts';
import { choice } from '../../state/url.ts';
import { plain } from '../../text/format.ts';

interface FieldsProps {
  readonly guardrail: Guardrail | undefined;
}

/** Name, description, workspace and mode of a guardrail. */
export function NameFields({ guardrail }: FieldsProps) {
  const { workspaces = [] } = principal.value ?? {};
  return (
    <>
      <label class="label">
        Name
        <input
          class="field"
          name="name"
          required
          maxLength={200}
          autocomplete="off"
          placeholder="No personal data"
          defaultValue={guardrail?.name ?? ''}
        />
      </label>
      <label class="label">
        Description
        <input
          class="field"
          name="description"
          maxLength={1000}
          autocomplete="off"
          defaultValue={guardrail?.description ?? ''}
        />
      </label>
      {guardrail === undefined && workspaces.length > 1 && (
        <label class="label">
          Workspace
          <select class="select" name="workspace_id">
            {workspaces.map(({ id, name }) => (
              <option key={id} value={id} selected={id === choice('workspace')}>
                {plain(name)}
              </option>
            ))}
          </select>
        </label>
      )}
      <label class="label">
        Effect
        <select class="select" name="mode">
          <option value="enforce">enforced</option>
          <option value="observe" selected={guardrail?.mode === 'observe'}>
            only observed: requests go on, and it says what it would have done
          </option>
        </select>
      </label>
    </>
  );
}

/** What a key with the guardrail may spend. */
export function BudgetFields({ guardrail }: FieldsProps) {
  return (
    <fieldset class="rule-fields">
      <legend>Budget</legend>
      <div class="field-pair">
        <label class="label">
          USD
          <input
            class="field"
            name="limit"
            inputMode="decimal"
            autocomplete="off"
            placeholder="no budget"
            defaultValue={guardrail?.limit_usd == null ? '' : String(guardrail.limit_usd)}
          />
        </label>
        <label class="label">
          Resets
          <select class="select" name="reset">
            {['', 'daily', 'weekly', 'monthly'].map((name) => (
              <option key={name} value={name} selected={name === (guardrail?.reset_interval ?? '')}>
                {name === '' ? 'never' : name}
              </option>
            ))}
          </select>
        </label>
      </div>
      <label class="row">
        <input type="checkbox" name="byok" defaultChecked={guardrail?.include_byok_in_budgets ?? false} />
        Requests on own credentials count
      </label>
    </fieldset>
  );
}
