import { messageOf } from '../../api/errors.ts';
import { principal } from '../../api/session-state.ts';
import { usePlan } from '../../state/use-plan.ts';
import { nanoOf, plain, usd } from '../../text/format.ts';
import { type Draft, requestOf } from './draft.ts';
import { pictures, withShortPictures } from './pictures.ts';

interface CeilingProps {
  readonly draft: Draft;
  readonly model: string;
  readonly keyHash: string | undefined;
}

/** Where the request would go, and the most that it may cost. */
export function Ceiling({ draft, model, keyHash }: CeilingProps) {
  const request = requestOf(
    draft,
    model,
    pictures.value.map(({ data }) => data),
  );
  const isAskable = 'body' in request && draft.prompt.trim() !== '';
  const body = isAskable ? withShortPictures(request.body) : undefined;
  const plan = usePlan(body, keyHash, keyHash !== undefined || principal.value?.role === 'key');
  if ('fault' in request) return <p class="hint ceiling bad">{plain(request.fault)}</p>;
  if (body === undefined) return <p class="hint ceiling">The cost is estimated once there is a prompt.</p>;
  if (plan.error !== undefined && !plan.isLoading)
    return <p class="hint ceiling bad">{plain(messageOf(plan.error))}</p>;
  const { data } = plan;
  if (data === undefined) return <p class="hint ceiling">…</p>;
  const first = data.plan[0];
  const refusal = (data.verdict.error ?? data.refusal) as { readonly message?: string } | null;
  if (!data.verdict.admitted)
    return <p class="hint ceiling bad">{plain(refusal?.message ?? 'It would be refused.')}</p>;
  return (
    <p class="hint ceiling">
      {first !== undefined &&
        (model === '' ? `${plain(first.model)}, ${plain(first.provider)}` : plain(first.provider))}
      {data.cost_ceiling !== null && `, at most ${usd(nanoOf(data.cost_ceiling))}`}
      {first !== undefined &&
        first.alterations.length > 0 &&
        `, ${first.alterations.length} of its fields altered`}
    </p>
  );
}
