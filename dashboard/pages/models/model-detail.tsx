import type { Model } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { Copy } from '../../parts/copy.tsx';
import { FailedPage, Loading } from '../../parts/state.tsx';
import { useQuery } from '../../state/query.ts';
import { href } from '../../state/url.ts';
import { count, plain } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';
import { EndpointCards } from './endpoint-cards.tsx';
import { ModelCharts } from './model-charts.tsx';

/** One model: what it can do, who serves it, and what it cost. */
export function ModelDetail({ id }: { readonly id: string }) {
  const model = useQuery(['model', id], (signal) =>
    get('/model/{author}/{slug}', { params: partsOf(id), signal }),
  );
  const found = model.data?.data;
  if (model.error !== undefined && found === undefined)
    return (
      <FailedPage
        title={plain(id)}
        error={model.error}
        retry={model.reload}
        back={<a href={href('models')}>Models & providers</a>}
      />
    );
  if (found === undefined) return <Loading height={500} />;
  return (
    <div class="page">
      <p>
        <a href={href('models')}>Models & providers</a>
      </p>
      <div class="page-head">
        <h1 tabIndex={-1}>{plain(found.name)}</h1>
        <code class="muted">{plain(found.id)}</code>
        <Copy text={found.id} label="Copy id" />
        <span class="gap" />
        <a class="button" href={href('explain', { model: found.id })}>
          Explain a route
        </a>
        <a class="button primary" href={href('playground', { models: found.id })}>
          Try it
        </a>
      </div>
      {found.description !== '' && <p class="muted description">{plain(found.description)}</p>}
      <Facts model={found} />
      <h2>Endpoints</h2>
      <EndpointCards id={id} />
      <ModelCharts id={found.id} />
    </div>
  );
}

/** An id as the two parts of its path. */
export function partsOf(id: string): { author: string; slug: string } {
  const at = id.indexOf('/');
  return { author: id.slice(0, Math.max(0, at)), slug: id.slice(at + 1) };
}

function Facts({ model }: { readonly model: Model }) {
  const {
    architecture,
    context_length: context,
    top_provider: top,
    supported_parameters: parameters,
  } = model;
  return (
    <section class="card padded">
      <dl class="facts">
        <dt>Context</dt>
        <dd>
          {context === null ? 'unknown' : `${count(context)} tokens`}
          {top.max_completion_tokens !== null &&
            `, of them ${count(top.max_completion_tokens)} output at most`}
        </dd>
        <dt>Reads</dt>
        <dd>{architecture.input_modalities.join(', ')}</dd>
        <dt>Writes</dt>
        <dd>{architecture.output_modalities.join(', ')}</dd>
        {model.created > 0 && (
          <>
            <dt>Released</dt>
            <dd>{fullDay(model.created * 1000, 'UTC')}</dd>
          </>
        )}
        {model.expiration_date !== null && (
          <>
            <dt>Retires</dt>
            <dd class="warn">{model.expiration_date}</dd>
          </>
        )}
        <dt>Parameters</dt>
        <dd class="row">
          {parameters.map((name) => (
            <span key={name} class="chip">
              {name}
            </span>
          ))}
        </dd>
      </dl>
    </section>
  );
}
