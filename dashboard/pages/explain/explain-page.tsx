import { useState } from 'preact/hooks';
import type { RoutePlan } from '../../../clients/headgate-api.ts';
import { CallFailure, messageOf } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { Copy } from '../../parts/copy.tsx';
import { ModelInput } from '../../parts/model-input.tsx';
import { RunAsChoice } from '../../parts/run-as-choice.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import type { Loaded } from '../../state/query.ts';
import { useRunAs } from '../../state/run-as.ts';
import { choice, choose } from '../../state/url.ts';
import { usePlan } from '../../state/use-plan.ts';
import { plain } from '../../text/format.ts';
import './explain.css';
import { bodyOf, type Facts, factsOf, toggles } from './facts.ts';
import { PlanView } from './plan-view.tsx';

/** Where a request would go, at which cost, and why not elsewhere. Nothing is sent. */
export function ExplainPage() {
  const runAs = useRunAs();
  const facts = factsOf(choice);
  const [json, setJson] = useState<string>();
  const asked = json === undefined ? bodyOf(facts) : parsed(json);
  const body = typeof asked === 'string' ? undefined : asked;
  const isReady = runAs.hash !== undefined || principal.value?.role === 'key';
  const plan = usePlan(facts.model === '' && json === undefined ? undefined : body, runAs.hash, isReady);
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Route explainer</h1>
        <span class="gap" />
        <RunAsChoice runAs={runAs} />
      </div>
      <div class="explain">
        <section class="card padded stack">
          <div class="row">
            <fieldset class="segments" aria-label="Request as">
              <button type="button" aria-pressed={json === undefined} onClick={() => setJson(undefined)}>
                Form
              </button>
              <button
                type="button"
                aria-pressed={json !== undefined}
                onClick={() => setJson(JSON.stringify(bodyOf(facts), undefined, 2))}
              >
                JSON
              </button>
            </fieldset>
            <Copy text={commandOf(facts)} label="Copy as command" />
          </div>
          {json === undefined ? (
            <Form facts={facts} />
          ) : (
            <label class="label">
              The body of POST /responses
              <textarea
                class="mono"
                rows={14}
                spellcheck={false}
                value={json}
                onInput={({ currentTarget }) => setJson(currentTarget.value)}
              />
              {typeof asked === 'string' && <span class="bad">{asked}</span>}
            </label>
          )}
        </section>
        <div class="stack">
          {!runAs.isMissing && runAs.error === undefined && (
            <Answer isAsked={facts.model !== '' || json !== undefined} plan={plan} />
          )}
        </div>
      </div>
    </div>
  );
}

/** The plan, or why there is none. */
function Answer({ isAsked, plan }: { readonly isAsked: boolean; readonly plan: Loaded<RoutePlan> }) {
  const before = useBefore(plan.data, plan.isStale);
  if (!isAsked) {
    return (
      <section class="card">
        <Empty title="Name a model">
          <p>Headgate then says which endpoint would serve it, at which price, and why not the others.</p>
        </Empty>
      </section>
    );
  }
  if (plan.error !== undefined) return <NoPlan error={plan.error} retry={plan.reload} />;
  if (plan.data === undefined) return <Loading height={300} />;
  return <PlanView plan={plan.data} isStale={plan.isStale} before={before} />;
}

/** Why there is no plan: what is wrong with the request, or with the server, which can be asked again. */
function NoPlan({ error, retry }: { readonly error: Error; readonly retry: () => void }) {
  if (error instanceof CallFailure && error.status >= 400 && error.status < 500) {
    return (
      <p class="note bad" role="alert">
        {plain(error.message)}
      </p>
    );
  }
  return (
    <section class="card">
      <Failed error={error} retry={retry} />
    </section>
  );
}

/** The plan before the shown one, to say what a change has changed. */
function useBefore(plan: RoutePlan | undefined, isStale: boolean): RoutePlan | undefined {
  const [seen, setSeen] = useState<{ now?: RoutePlan; before?: RoutePlan }>({});
  if (plan !== undefined && !isStale && seen.now !== plan) {
    setSeen({ now: plan, ...(seen.now === undefined ? {} : { before: seen.now }) });
  }
  return seen.before;
}

function Form({ facts }: { readonly facts: Facts }) {
  return (
    <>
      <label class="label">
        Model
        <ModelInput
          label="Model"
          value={facts.model}
          onChange={(model) => choose({ model }, { replace: true })}
        />
        <span class="hint">A model, a variant such as maker/model:nitro, or a router</span>
      </label>
      <label class="label">
        Tokens of the prompt, about
        <input
          class="field"
          type="number"
          min="1"
          step="1"
          value={facts.tokens}
          placeholder="100"
          onChange={({ currentTarget }) => choose({ tokens: currentTarget.value }, { replace: true })}
        />
      </label>
      <label class="label">
        Most output tokens
        <input
          class="field"
          type="number"
          min="1"
          step="1"
          value={facts.output}
          placeholder="the model's"
          onChange={({ currentTarget }) => choose({ output: currentTarget.value }, { replace: true })}
        />
      </label>
      <label class="label">
        Order
        <select
          class="select"
          value={facts.sort}
          onChange={({ currentTarget }) => choose({ sort: currentTarget.value }, { replace: true })}
        >
          <option value="">balanced</option>
          <option value="price">cheapest first</option>
          <option value="throughput">fastest output first</option>
          <option value="latency">first token first</option>
        </select>
      </label>
      <div class="field-pair">
        <label class="label">
          Only these providers
          <input
            class="field mono"
            value={facts.only}
            placeholder="any"
            spellcheck={false}
            onChange={({ currentTarget }) => choose({ only: currentTarget.value.trim() }, { replace: true })}
          />
        </label>
        <label class="label">
          Never these
          <input
            class="field mono"
            value={facts.ignore}
            placeholder="none"
            spellcheck={false}
            onChange={({ currentTarget }) =>
              choose({ ignore: currentTarget.value.trim() }, { replace: true })
            }
          />
        </label>
      </div>
      {facts.more !== '' && (
        <label class="label">
          Further members of the request, as JSON
          <textarea
            class="mono"
            rows={4}
            spellcheck={false}
            value={facts.more}
            onChange={({ currentTarget }) => choose({ more: currentTarget.value.trim() }, { replace: true })}
          />
          <span class="hint">Of the replayed call; empty it to leave them out</span>
        </label>
      )}
      {toggles.map(({ name, label }) => (
        <label key={name} class="row">
          <input
            type="checkbox"
            checked={facts[name]}
            onChange={() => choose({ [name]: facts[name] ? undefined : 'on' }, { replace: true })}
          />
          {label}
        </label>
      ))}
    </>
  );
}

function parsed(text: string): Record<string, unknown> | string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : 'The body must be an object.';
  } catch (error) {
    return `This is no JSON: ${plain(messageOf(error))}`;
  }
}

/** The same question for a shell. */
function commandOf(facts: Facts): string {
  const body = JSON.stringify(bodyOf(facts)).replaceAll("'", `'\\''`);
  return `echo '${body}' > body.json && headgate route explain --model ${facts.model || 'MODEL'} --file body.json`;
}
