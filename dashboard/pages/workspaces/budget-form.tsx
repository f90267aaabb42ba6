import { useState } from 'preact/hooks';
import type { WorkspaceBudgetList } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { nanoOf } from '../../text/format.ts';
import { budgetFaults, budgetSteps, type Interval, intervals, trimmed } from './budget-order.ts';

interface BudgetFormProps {
  readonly workspace: string;
  readonly stored: WorkspaceBudgetList;
  readonly onClose: () => void;
}

const labels: Readonly<Record<Interval, string>> = {
  daily: 'A day',
  weekly: 'A week',
  monthly: 'A month',
  lifetime: 'In all',
};

/** Sets all budgets of a workspace. Their order is checked while they are typed. */
export function BudgetForm({ workspace, stored, onClose }: BudgetFormProps) {
  const before = limitsOf(stored);
  const textOf = (interval: Interval) =>
    trimmed(before[interval] ?? 0n)
      .replace(/^\$0?$/, '')
      .replace('$', '');
  const [typed, setTyped] = useState({
    daily: textOf('daily'),
    weekly: textOf('weekly'),
    monthly: textOf('monthly'),
    lifetime: textOf('lifetime'),
  });
  const [includesOwn, setIncludesOwn] = useState(stored.include_byok_in_budgets);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);
  const faults = budgetFaults(typed);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    setBusy(true);
    setFailure(undefined);
    try {
      const steps = budgetSteps(before, typed);
      await store(workspace, steps, includesOwn);
      const kept = intervals.find((interval) => typed[interval].trim() !== '');
      const isKept = steps.every(({ limit }) => limit === undefined);
      if (isKept && kept !== undefined && includesOwn !== stored.include_byok_in_budgets) {
        await store(
          workspace,
          [{ interval: kept, limit: typed[kept].trim().replace(/^\$/, '') }],
          includesOwn,
        );
      }
      onClose();
    } catch (error) {
      setFailure(messageOf(error));
      setBusy(false);
    }
  };
  return (
    <Dialog title="Budgets in USD" onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <p class="muted">What all keys of the workspace may spend together. Empty is no budget.</p>
        {intervals.map((interval) => (
          <Field
            key={interval}
            interval={interval}
            value={typed[interval]}
            fault={faults[interval]}
            onInput={(text) => setTyped({ ...typed, [interval]: text })}
          />
        ))}
        <label class="row">
          <input
            type="checkbox"
            checked={includesOwn}
            onChange={({ currentTarget }) => setIncludesOwn(currentTarget.checked)}
          />
          Requests on own credentials count at their list price
        </label>
        <DialogFoot
          action="Save"
          failure={failure}
          onCancel={onClose}
          isDisabled={isBusy || Object.keys(faults).length > 0}
        />
      </form>
    </Dialog>
  );
}

interface FieldProps {
  readonly interval: Interval;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onInput: (text: string) => void;
}

function Field({ interval, value, fault, onInput }: FieldProps) {
  const id = `budget-${interval}`;
  return (
    <div class="label">
      <label for={id}>{labels[interval]}</label>
      <input
        id={id}
        class="field"
        inputMode="decimal"
        autocomplete="off"
        placeholder="no budget"
        value={value}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : `${id}-fault`}
        onInput={({ currentTarget }) => onInput(currentTarget.value)}
      />
      {fault !== undefined && (
        <span id={`${id}-fault`} class="bad" role="status">
          {fault}
        </span>
      )}
    </div>
  );
}

function limitsOf({ data }: WorkspaceBudgetList): Partial<Record<Interval, bigint>> {
  return Object.fromEntries(
    data.map(({ reset_interval: reset, limit_usd: limit }) => [reset ?? 'lifetime', nanoOf(limit)]),
  );
}

async function store(id: string, steps: ReturnType<typeof budgetSteps>, includesOwn: boolean): Promise<void> {
  for (const { interval, limit } of steps) {
    const params = { id, interval };
    if (limit === undefined) await send('DELETE', '/workspaces/{id}/budgets/{interval}', { params });
    else {
      // The interface takes a number; nine decimals of at most a million survive it.
      const body = { limit_usd: Number(limit), include_byok_in_budgets: includesOwn };
      await send('PUT', '/workspaces/{id}/budgets/{interval}', { params, body });
    }
  }
}
