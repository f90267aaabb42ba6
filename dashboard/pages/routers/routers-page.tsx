import type { RouterList } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { Money } from '../../parts/money.tsx';
import { Failed, Loading, State } from '../../parts/state.tsx';
import { useQuery } from '../../state/query.ts';
import { href } from '../../state/url.ts';
import { many, percent, plain } from '../../text/format.ts';
import './routers.css';
import { TryRouter } from './try-router.tsx';

type Router = RouterList['data'][number];

/** Models that choose models: among which, and what they chose. */
export function RoutersPage() {
  const found = useQuery(
    ['routers', principal.value?.n],
    async (signal) => (await get('/routers', { signal })).data,
    { every: 60_000 },
  );
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
  const { id, name, description, candidates, generations, cost_nano: cost, models, tasks } = router;
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
            <strong>{many(generations, 'answer')}</strong> in the last seven days (UTC), <Money nano={cost} />
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
