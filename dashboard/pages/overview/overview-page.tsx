import { mayRead, principal } from '../../api/session-state.ts';
import { ErrorChart } from '../../charts/error-chart.tsx';
import { TimesChart } from '../../charts/times-chart.tsx';
import { AccountsChoice } from '../../parts/accounts-choice.tsx';
import { FailedPage } from '../../parts/state.tsx';
import { isOfAllAccounts } from '../../state/all-accounts.ts';
import { choice, choose, href } from '../../state/url.ts';
import { ofAll, useSeries } from '../../state/usage.ts';
import { Budgets } from './budgets.tsx';
import { Cards } from './cards.tsx';
import { ExploreChart } from './explore-chart.tsx';
import { FirstCall } from './first-call.tsx';
import './overview.css';
import { NearestLimit } from './nearest-limit.tsx';
import { OwnKey } from './own-key.tsx';
import { SharesChart } from './shares-chart.tsx';
import { TopTable } from './top-table.tsx';

/** What was spent, on what, compared with before, and whether anything is wrong. */
export function OverviewPage() {
  const isCompared = choice('compare') !== 'off';
  const isOfAll = isOfAllAccounts();
  const main = useSeries({
    ...(isOfAll ? ofAll() : { times: 'true' as const }),
    ...(isCompared ? { compare: 'previous' } : {}),
  });
  const isKey = principal.value?.role === 'key';
  if (main.error !== undefined && main.data === undefined)
    return <FailedPage title="Overview" error={main.error} retry={main.reload} />;
  const isEmpty = main.data?.total.totals.requests === 0;
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Overview</h1>
        <span class="gap" />
        <AccountsChoice label="Whose usage" />
        <label class="row">
          <input
            type="checkbox"
            checked={isCompared}
            onChange={() => choose({ compare: isCompared ? 'off' : undefined })}
          />
          Compare with the time before
        </label>
      </div>
      {isKey && <OwnKey />}
      <Cards series={main.data} isStale={main.isStale} />
      {isEmpty && !isOfAll && <FirstCall />}
      <div class="overview-charts">
        <ExploreChart />
        {!isOfAll && <TimesChart series={main.data} isStale={main.isStale} />}
        <ErrorChart of={ofAll()} all={main.data} />
        {isOfAll && <SharesChart series={main.data} isStale={main.isStale} />}
      </div>
      {!isOfAll && (
        <div class="overview-pair">
          <NearestLimit />
          <SharesChart series={main.data} isStale={main.isStale} />
        </div>
      )}
      <div class="overview-tables">
        <TopTable
          title="Top models"
          dimension="model"
          link={(value) => href(`models/${encodeURIComponent(value)}`)}
        />
        <TopTable
          title="Top providers"
          dimension="provider"
          link={isOfAll ? undefined : (value) => href('requests', { provider: value })}
        />
        {!isKey && !isOfAll && (
          <TopTable title="Top keys" dimension="key" link={(value) => href('requests', { key: value })} />
        )}
        {!isKey && !isOfAll && mayRead('billing') && <Budgets />}
      </div>
      {isOfAll && (
        <p class="hint">
          All accounts together, by model, provider, endpoint and error; days are those of UTC. Keys,
          workspaces, times and limits are those of single accounts.
        </p>
      )}
    </div>
  );
}
