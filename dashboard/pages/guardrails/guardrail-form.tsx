import { useState } from 'preact/hooks';
import type { Guardrail } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { nanoOfText } from '../../text/nano-of.ts';
import { BudgetFields, NameFields } from './name-fields.tsx';
import { PatternRows } from './pattern-rows.tsx';
import { RuleFields } from './rule-fields.tsx';
import { type Custom, readRules } from './rules.ts';

interface GuardrailFormProps {
  readonly guardrail?: Guardrail;
  readonly onClose: () => void;
  /** Called with the id once it is stored. */
  readonly onDone: (id: string) => void;
}

/** Creates a guardrail, or changes one. */
export function GuardrailForm({ guardrail, onClose, onDone }: GuardrailFormProps) {
  const [patterns, setPatterns] = useState<readonly Custom[]>(guardrail?.content_filters ?? []);
  const [failure, setFailure] = useState<string>();
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement)) return;
    const data = new FormData(form);
    const budget = readBudget(data);
    if (budget === undefined) {
      return setFailure('Write the budget as USD with at most nine decimals, such as 25 or 0.5.');
    }
    const written = patterns.filter(({ pattern }) => pattern !== '');
    const body = {
      ...readRules(data, guardrail),
      ...budget,
      content_filters: written.length === 0 ? null : written,
    };
    const workspace = String(data.get('workspace_id') ?? '');
    try {
      const { data: stored } =
        guardrail === undefined
          ? await send('POST', '/guardrails', {
              body: { ...body, ...(workspace === '' ? {} : { workspace_id: workspace }) },
            })
          : await send('PATCH', '/guardrails/{id}', { params: { id: guardrail.id }, body });
      onClose();
      onDone(stored.id);
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title={guardrail === undefined ? 'New guardrail' : 'Edit guardrail'} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <NameFields guardrail={guardrail} />
        <BudgetFields guardrail={guardrail} />
        <RuleFields guardrail={guardrail} />
        <PatternRows patterns={patterns} onChange={setPatterns} />
        <DialogFoot
          action={guardrail === undefined ? 'Create' : 'Save'}
          failure={failure}
          onCancel={onClose}
        />
      </form>
    </Dialog>
  );
}

function readBudget(data: FormData) {
  const limit = String(data.get('limit') ?? '').trim();
  const reset = (['daily', 'weekly', 'monthly'] as const).find((name) => name === data.get('reset'));
  const include_byok_in_budgets = data.get('byok') !== null;
  if (limit === '') return { limit_usd: null, reset_interval: null, include_byok_in_budgets };
  if (nanoOfText(limit) === undefined) return undefined;
  return {
    limit_usd: Number(limit.replace(/^\$/, '')),
    reset_interval: reset ?? null,
    include_byok_in_budgets,
  };
}
