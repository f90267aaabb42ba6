import type { RoutePlan } from '../../../clients/headgate-api.ts';
import { State } from '../../parts/state.tsx';
import { count, many, nanoOf, plain, tokenPrice, usd } from '../../text/format.ts';
import { placeOf, reasonOf } from '../../text/reasons.ts';

interface PlanViewProps {
  readonly plan: RoutePlan;
  readonly isStale: boolean;
  readonly before: RoutePlan | undefined;
}

/** A plan: the verdict, the endpoints in the order of attempts, and those that are left out. */
export function PlanView({ plan, isStale, before }: PlanViewProps) {
  return (
    <div class={`stack${isStale ? ' stale' : ''}`}>
      <Verdict plan={plan} />
      <Difference plan={plan} before={before} />
      {plan.plan.length > 0 && (
        <section class="card" aria-label="Endpoints in the order of attempts">
          <div class="card-head">
            <h2>Would be asked, in this order</h2>
          </div>
          <ol class="lanes">
            {plan.plan.map((target) => (
              <Target key={`${target.position} ${target.tag}`} target={target} />
            ))}
          </ol>
        </section>
      )}
      {plan.excluded.length > 0 && (
        <section class="card" aria-label="Left out">
          <div class="card-head">
            <h2>Left out</h2>
          </div>
          <ul class="lanes">
            {plan.excluded.map((one) => (
              <li key={`${one.model} ${one.tag}`} class="lane out">
                <span class="mark" aria-hidden="true">
                  ✕
                </span>
                <div>
                  <strong>{plain(one.provider)}</strong> <code class="muted">{plain(one.tag)}</code>{' '}
                  <span class="muted">{plain(one.model)}</span>
                  <p>
                    {reasonOf(one.reason)} <code class="chip">{one.reason}</code>
                  </p>
                </div>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}

function Verdict({ plan }: { readonly plan: RoutePlan }) {
  const { verdict, models, prompt_tokens: tokens, cost_ceiling: ceiling, requested } = plan;
  const error = (verdict.error ?? plan.refusal) as { readonly message?: string } | null;
  const changed = models.filter(({ requested: asked, id }) => asked !== id);
  return (
    <section class="card padded stack">
      <div class="row">
        {verdict.admitted ? (
          <State tone="good">would be sent</State>
        ) : (
          <State tone="bad">would be refused</State>
        )}
        <span class="muted">
          {requested.map(plain).join(', ')}
          {changed.length > 0 && ` → ${changed.map(({ id }) => plain(id)).join(', ')}`}
        </span>
      </div>
      {error?.message !== undefined && <p>{plain(error.message)}</p>}
      <p class="hint">
        About {count(tokens)} tokens of prompt
        {plan.max_output_tokens !== null && `, ${count(plan.max_output_tokens)} of output at most`}
        {ceiling !== null && `; at most ${usd(nanoOf(ceiling))}`}. Planned by what is known now; with load
        balancing the next request may go elsewhere.
      </p>
      {plan.routers.map(({ slug, summary }) => (
        <p key={slug}>
          <strong>{plain(slug)}</strong> {plain(summary)}
        </p>
      ))}
    </section>
  );
}

function Target({ target }: { readonly target: RoutePlan['plan'][number] }) {
  const pricing = target.pricing as { readonly prompt?: string; readonly completion?: string } | null;
  const credential = {
    own: 'own credential',
    shared: 'shared credential',
    own_fallback: 'own credential, after the shared one',
  }[target.credential];
  return (
    <li class="lane">
      <span class="mark" aria-hidden="true">
        {target.position}
      </span>
      <div>
        <strong>{plain(target.provider)}</strong> <code class="muted">{plain(target.tag)}</code>{' '}
        <span class="muted">{plain(target.model)}</span>
        <p class="number">
          {pricing?.prompt !== undefined &&
            `${tokenPrice(pricing.prompt)} in, ${tokenPrice(pricing.completion ?? '0')} out a million`}
          {pricing === null && 'price unknown'}
          {target.list_cost_ceiling !== null && `; at most ${usd(nanoOf(target.list_cost_ceiling))}`}
        </p>
        <p>{placeOf(target.because, target.position - 1)}</p>
        <p class="hint">
          {credential}
          {target.credential_label !== null && ` ${plain(target.credential_label)}`}
          {target.tier !== 'default' && `, tier ${target.tier}`}
        </p>
        {target.alterations.map(({ field, action, how }) => (
          <p key={field} class="warn">
            <code>{field}</code> {action}: {plain(how)}
          </p>
        ))}
      </div>
    </li>
  );
}

/** What the last change of the request changed. */
function Difference({ plan, before }: { readonly plan: RoutePlan; readonly before: RoutePlan | undefined }) {
  if (before === undefined) return null;
  const names = (one: RoutePlan) => one.plan.map(({ tag, model }) => `${tag} ${model}`);
  const [now, then] = [names(plan), names(before)];
  const gone = then.filter((name) => !now.includes(name));
  const come = now.filter((name) => !then.includes(name));
  const parts = [
    ...(gone.length > 0 ? [`${many(gone.length, 'endpoint')} less: ${gone.join(', ')}`] : []),
    ...(come.length > 0 ? [`${many(come.length, 'endpoint')} more: ${come.join(', ')}`] : []),
    ...(gone.length + come.length === 0 && now.join() !== then.join() ? ['Another order'] : []),
  ];
  if (parts.length === 0) return null;
  return (
    <p class="note" role="status">
      Compared with before: {plain(parts.join('; '))}.
    </p>
  );
}
