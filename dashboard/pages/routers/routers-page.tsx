import { Money } from '../../parts/money.tsx';
import { Failed, Loading, State } from '../../parts/state.tsx';
import { href } from '../../state/url.ts';
import { many, percent, plain } from '../../text/format.ts';
import { RouterCharts } from './router-charts.tsx';
import './routers.css';
import { type Router, useRouters } from './queries.ts';
import { TryRouter } from './try-router.tsx';

/** Models that choose models: among which, and what they chose. */
export function RoutersPage() {
  const found = useRouters();
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Routers</h1>
      </div>
      <p class="muted">
        Name a router as the model of a request, and it chooses one. Their rules are in the configuration
        file.
      </p>
      {found.error !== undefined && found.data === undefined ? (
        <Failed error={found.error} retry={found.reload} />
      ) : found.data === undefined ? (
        <Loading height={500} />
      ) : (
        <>
          <TryRouter routers={found.data.filter(({ candidates }) => candidates.length > 0)} />
          <div class="router-cards">
            {found.data
              .filter(({ generations }) => generations > 0)
              .map((router) => (
                <RouterCharts key={router.id} router={router} />
              ))}
          </div>
          <div class="router-cards">
            {found.data.map((router) => (
              <RouterCard key={router.id} router={router} />
            ))}
          </div>
        </>
      )}
    </div>
  );
}

function RouterCard({ router }: { readonly router: Router }) {
  const { id, name, description, candidates, generations, fallbacks } = router;
  const { cost_nano: cost, models, tasks } = router;
  return (
    <section class="card padded stack">
      <div class="row">
        <h2>{plain(name)}</h2>
        <code class="muted">{id}</code>
        <span class="gap" />
        {candidates.length > 0 ? (
          <State tone="good">{many(candidates.length, 'model')}</State>
        ) : (
          <State tone="muted">no model to choose from</State>
        )}
      </div>
      <p class="muted">{plain(description)}</p>
      {generations === 0 ? (
        <p>Not used in the last seven days.</p>
      ) : (
        <>
          <p>
            <a href={href('requests', { router: id, range: '7d' })}>
              <strong>{many(generations, 'answer')}</strong>
            </a>{' '}
            in the last seven days (UTC), <Money nano={cost} />
          </p>
          <p>
            <a href={href('requests', { router: id, fallback: 'true', range: '7d' })}>
              {percent(fallbacks / generations)} after a fallback
            </a>
          </p>
          <Shares title="What it chose" rows={models} all={generations} />
          <Shares title="For which tasks" rows={tasks} all={generations} />
        </>
      )}
      {candidates.length > 0 && (
        <details>
          <summary>Models to choose from</summary>
          <ul class="plain-list candidates">
            {candidates.map((model) => (
              <li key={model}>
                <a href={href(`models/${encodeURIComponent(model)}`)}>{plain(model)}</a>
              </li>
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

interface SharesProps {
  readonly title: string;
  readonly rows: Router['models'];
  readonly all: number;
}

function Shares({ title, rows, all }: SharesProps) {
  return (
    <div class="stack shares">
      <h3>{title}</h3>
      <dl class="facts">
        {rows.map(({ name, generations, cost_nano: cost }) => (
          <>
            <dt key={name}>{name === '' ? 'not recognised' : plain(name)}</dt>
            <dd>
              {many(generations, 'answer')}, {percent(generations / all)}, <Money nano={cost} />
            </dd>
          </>
        ))}
      </dl>
    </div>
  );
}
