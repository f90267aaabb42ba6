import { useState } from 'preact/hooks';
import type { RouterList } from '../../../clients/headgate-api.ts';
import { messageOf } from '../../api/errors.ts';
import { RunAsChoice } from '../../parts/run-as-choice.tsx';
import { useRunAs } from '../../state/run-as.ts';
import { usePlan } from '../../state/use-plan.ts';
import { plain } from '../../text/format.ts';
import { RouterBand } from './router-band.tsx';

interface TryRouterProps {
  readonly routers: RouterList['data'];
}

/** Says what a router would choose for a prompt. Nothing is sent to a model. */
export function TryRouter({ routers }: TryRouterProps) {
  const runAs = useRunAs();
  const [router, setRouter] = useState(routers[0]?.id ?? '');
  const [prompt, setPrompt] = useState('');
  const body = prompt.trim() === '' || router === '' ? undefined : { model: router, input: prompt };
  const plan = usePlan(body, runAs.hash, runAs.hash !== undefined);
  if (routers.length === 0) return null;
  return (
    <section class="card padded stack">
      <h2>What would it choose?</h2>
      <p class="muted">Type a prompt: the choice is shown at once, and nothing is sent to a model.</p>
      <RunAsChoice runAs={runAs} />
      <label class="label">
        Router
        <select
          class="select"
          value={router}
          onChange={({ currentTarget }) => setRouter(currentTarget.value)}
        >
          {routers.map(({ id, name }) => (
            <option key={id} value={id}>
              {plain(name)}
            </option>
          ))}
        </select>
      </label>
      <label class="label">
        Prompt
        <textarea
          rows={3}
          value={prompt}
          placeholder="Solve the equation 2x + 3 = 7."
          onInput={({ currentTarget }) => setPrompt(currentTarget.value)}
        />
      </label>
      <div aria-live="polite" class={plan.isStale ? 'stack stale' : 'stack'}>
        {body === undefined ? null : plan.error !== undefined ? (
          <p class="note bad">{messageOf(plan.error)}</p>
        ) : plan.data === undefined ? null : (
          <>
            {plan.data.routers.map(({ slug, summary, data }) => (
              <div key={slug} class="stack">
                <p>{plain(summary)}</p>
                <RouterBand data={data} />
              </div>
            ))}
            <p>
              In this order: <strong>{plan.data.models.map(({ id }) => plain(id)).join(', ')}</strong>
            </p>
          </>
        )}
      </div>
    </section>
  );
}
