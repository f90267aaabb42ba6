import { useState } from 'preact/hooks';
import type { Guardrail } from '../../../clients/headgate-api.ts';
import { send } from '../../api/client.ts';
import { messageOf } from '../../api/errors.ts';
import { mayChange } from '../../api/session-state.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { DialogFoot } from '../../parts/dialog-foot.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Menu } from '../../parts/menu.tsx';
import { Money } from '../../parts/money.tsx';
import { FailedPage, Loading } from '../../parts/state.tsx';
import { go, href } from '../../state/url.ts';
import { nanoOf, plain } from '../../text/format.ts';
import { Assignments } from './assignments.tsx';
import { GuardrailForm } from './guardrail-form.tsx';
import { MemberAssignments } from './member-assignments.tsx';
import { useGuardrail } from './queries.ts';
import { rulesOf } from './rules.ts';
import { TestBox } from './test-box.tsx';

/** One guardrail: its rules in words, who has it, and a text to try. */
export function GuardrailDetail({ id }: { readonly id: string }) {
  const { data: guardrail, error, reload } = useGuardrail(id);
  if (error !== undefined && guardrail === undefined)
    return (
      <FailedPage
        title="Guardrail"
        error={error}
        retry={reload}
        back={<a href={href('guardrails')}>Guardrails</a>}
      />
    );
  if (guardrail === undefined) return <Loading height={500} />;
  return (
    <div class="page">
      <p>
        <a href={href('guardrails')}>Guardrails</a>
      </p>
      <Head guardrail={guardrail} reload={reload} />
      {guardrail.description !== null && <p class="muted">{plain(guardrail.description)}</p>}
      <div class="guardrail-cards">
        <Rules guardrail={guardrail} />
        <div class="stack">
          <Assignments id={guardrail.id} />
          <MemberAssignments id={guardrail.id} />
        </div>
      </div>
      <TestBox guardrails={[guardrail]} />
    </div>
  );
}

function Head({ guardrail, reload }: { readonly guardrail: Guardrail; readonly reload: () => void }) {
  const [dialog, setDialog] = useState<'edit' | 'delete'>();
  const name = plain(guardrail.name);
  const mayEdit = mayChange('guardrails') && guardrail.source !== 'file';
  return (
    <div class="page-head">
      <h1 tabIndex={-1} class="long-name">
        {name}
      </h1>
      <span class="muted">
        {guardrail.source === 'file' ? 'from the configuration file' : ''}
        {guardrail.mode === 'observe' ? ' only observes' : ''}
      </span>
      <span class="gap" />
      {mayEdit && (
        <>
          <button type="button" class="button" onClick={() => setDialog('edit')}>
            Edit
          </button>
          <Menu label={`Actions for ${name}`} button={<Icon name="more" />}>
            <button type="button" class="danger" onClick={() => setDialog('delete')}>
              Delete…
            </button>
          </Menu>
        </>
      )}
      {dialog === 'edit' && (
        <GuardrailForm guardrail={guardrail} onClose={() => setDialog(undefined)} onDone={reload} />
      )}
      {dialog === 'delete' && <Delete guardrail={guardrail} onClose={() => setDialog(undefined)} />}
    </div>
  );
}

function Delete({ guardrail, onClose }: { readonly guardrail: Guardrail; readonly onClose: () => void }) {
  const [failure, setFailure] = useState<string>();
  const remove = async () => {
    try {
      await send('DELETE', '/guardrails/{id}', { params: { id: guardrail.id } });
      go(href('guardrails'));
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <Dialog title={`Delete "${plain(guardrail.name)}"?`} onClose={onClose}>
      <p>Keys and members that have it lose its rules at once. This cannot be undone.</p>
      <DialogFoot
        action="Delete for good"
        failure={failure}
        onCancel={onClose}
        onAct={() => void remove()}
        isDanger
      />
    </Dialog>
  );
}

function Rules({ guardrail }: { readonly guardrail: Guardrail }) {
  const groups = rulesOf(guardrail);
  const { limit_usd: limit, reset_interval: reset } = guardrail;
  return (
    <section class="card padded stack">
      <h2>Rules</h2>
      {limit !== null && (
        <>
          <h3>Budget</h3>
          <p>
            <Money nano={nanoOf(limit)} /> {reset ?? 'in all'}
            {guardrail.include_byok_in_budgets && ', own credentials included'}
          </p>
        </>
      )}
      {groups.map(({ title, lines }) => (
        <div key={title} class="stack rule-group">
          <h3>{title}</h3>
          <ul>
            {lines.map((line) => (
              <li key={line}>{plain(line)}</li>
            ))}
          </ul>
        </div>
      ))}
      {limit === null && groups.length === 0 && <p class="muted">None: everything is allowed.</p>}
    </section>
  );
}
