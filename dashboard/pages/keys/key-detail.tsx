import { useRef } from 'preact/hooks';
import type { Key } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { principal } from '../../api/session-state.ts';
import { BurnDownCard, type DrawnLimit } from '../../charts/burn-down-card.tsx';
import { ChartCard } from '../../charts/chart-card.tsx';
import { spendData } from '../../charts/spend-data.ts';
import { LimitBar } from '../../parts/limit-bar.tsx';
import { Money } from '../../parts/money.tsx';
import { FailedPage, Loading } from '../../parts/state.tsx';
import { useLastUses } from '../../state/keys.ts';
import { limitCalendar, limitZone } from '../../state/limit-calendar.ts';
import { zone } from '../../state/preferences.ts';
import { failureOf, useQuery } from '../../state/query.ts';
import { limitWindow, resetsAt } from '../../state/resets-at.ts';
import { go, href } from '../../state/url.ts';
import { useSeries } from '../../state/usage.ts';
import { count, many, nanoOf, plain } from '../../text/format.ts';
import { resetWords } from '../../text/reset-words.ts';
import { ago, exactTime, fullDay } from '../../text/time.ts';
import { KeyMenu } from './key-menu.tsx';
import { KeyState } from './key-state.tsx';
import { LastUsed } from './last-used.tsx';
import { WhatApplies } from './what-applies.tsx';

/** One key: its limit, its settings and what it was used for. */
export function KeyDetail({ hash }: { readonly hash: string }) {
  const found = useQuery(['key', hash], (signal) => get('/keys/{hash}', { params: { hash }, signal }), {
    every: 20_000,
  });
  const key = found.data?.data;
  if (found.error !== undefined && key === undefined)
    return (
      <FailedPage
        title="Key"
        error={found.error}
        retry={found.reload}
        back={<a href={href('keys')}>Keys</a>}
      />
    );
  if (key === undefined) return <Loading height={500} />;
  return (
    <div class="page">
      <p>
        <a href={href('keys')}>Keys</a>
      </p>
      <div class="page-head">
        <h1 tabIndex={-1} class="long-name">
          {plain(key.name)}
        </h1>
        <code class="muted">{key.label}</code>
        <KeyState value={key} />
        <span class="gap" />
        <a class="button" href={href('requests', { key: hash })}>
          Its requests
        </a>
        <KeyMenu value={key} onChange={found.reload} onDelete={() => go(href('keys'))} isWide />
      </div>
      <div class="key-cards">
        <Spending value={key} />
        <Settings value={key} />
      </div>
      {key.limit !== null && (
        <BurnDownCard title="What is left of the limit" value={limitOf(key, key.limit)} />
      )}
      <WhatApplies hash={key.hash} />
      <Use hash={key.hash} />
    </div>
  );
}

function limitOf(key: Key, limit: number): DrawnLimit {
  const own = key.include_byok_in_limit ? nanoOf(key.byok_usage) : 0n;
  return {
    limit: nanoOf(limit),
    reset: limitWindow(key.limit_reset),
    includesOwn: key.include_byok_in_limit,
    spent: nanoOf(key.usage) + own,
    of: { key: key.hash },
  };
}

function Spending({ value }: { readonly value: Key }) {
  const { limit, limit_remaining: left, limit_reset: reset } = value;
  const now = Date.now();
  const next = resetsAt(reset, now, limitCalendar.value);
  return (
    <section class="card padded stack">
      <h2>Spending</h2>
      {limit === null ? (
        <p class="muted">No limit.</p>
      ) : (
        <div class="stack">
          <p>
            <strong class="left-over">
              <Money nano={nanoOf(left ?? 0)} />
            </strong>{' '}
            left of <Money nano={nanoOf(limit)} />
            {next !== undefined && (
              <span class="muted">, {resetWords(next, now, zone(), limitZone.value)}</span>
            )}
          </p>
          <LimitBar used={1 - (left ?? 0) / Math.max(limit, 1e-9)} label="Used part of the limit" />
        </div>
      )}
      <dl class="facts">
        <dt>Today</dt>
        <dd>
          <Money nano={nanoOf(value.usage_daily)} />
        </dd>
        <dt>This week</dt>
        <dd>
          <Money nano={nanoOf(value.usage_weekly)} />
        </dd>
        <dt>This month</dt>
        <dd>
          <Money nano={nanoOf(value.usage_monthly)} />
        </dd>
        <dt>In all</dt>
        <dd>
          <Money nano={nanoOf(value.usage)} />
        </dd>
        {value.byok_usage > 0 && (
          <>
            <dt>Own credentials</dt>
            <dd>
              <Money nano={nanoOf(value.byok_usage)} /> at the providers
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

function Settings({ value }: { readonly value: Key }) {
  const workspace = principal.value?.workspaces.find(({ id }) => id === value.workspace_id);
  const { rates } = value;
  const uses = useLastUses().data;
  return (
    <section class="card padded stack">
      <h2>Settings</h2>
      <dl class="facts">
        <dt>Workspace</dt>
        <dd>{plain(workspace?.name ?? value.workspace_id)}</dd>
        <dt>Created</dt>
        <dd>{fullDay(value.created_at, zone())}</dd>
        <dt>Last used</dt>
        <dd>
          {uses && (
            <LastUsed
              use={uses.data.find(({ key }) => key === value.hash)}
              since={uses.since}
              created={value.created_at}
            />
          )}
        </dd>
        <dt>Expires</dt>
        <dd>{value.expires_at == null ? 'never' : fullDay(value.expires_at, zone())}</dd>
        {value.rotated_at !== null && (
          <>
            <dt>Rotated</dt>
            <dd>
              {fullDay(value.rotated_at, zone())}
              <PreviousSecret ends={value.previous_secret_ends_at} />
            </dd>
          </>
        )}
        <dt>Rates</dt>
        <dd>
          {rates === null
            ? 'as the installation sets them'
            : `${rates.requests_per_minute === null ? 'any number of' : count(rates.requests_per_minute)} requests and ${rates.tokens_per_minute === null ? 'any number of' : count(rates.tokens_per_minute)} tokens a minute`}
        </dd>
        <dt>At the same time</dt>
        <dd>{value.parallel === null ? 'as the installation sets it' : many(value.parallel, 'request')}</dd>
        <dt>Models</dt>
        <dd>{value.allowed_models?.map(plain).join(', ') ?? 'any'}</dd>
        <dt>Addresses</dt>
        <dd>{value.allowed_ips?.join(', ') ?? 'any'}</dd>
      </dl>
    </section>
  );
}

/** Until when an earlier secret works beside the newest one. */
function PreviousSecret({ ends }: { readonly ends: string | null }) {
  const now = Date.now();
  const end = ends === null ? 0 : Date.parse(ends);
  if (end <= now) return null;
  return (
    <span class="muted" title={exactTime(end, zone())}>
      {' '}
      (the earlier secret ends {ago(end, now)})
    </span>
  );
}

function Use({ hash }: { readonly hash: string }) {
  const tones = useRef(new Map<string, number>());
  const loaded = useSeries({ group: 'model', key: hash, top: 6 });
  const totals = loaded.data?.total.totals;
  return (
    <ChartCard
      title="Spend by model"
      data={loaded.data && spendData(loaded.data, tones.current)}
      kind="bars"
      summary={`Spend of this key over time, ${many(totals?.requests ?? 0, 'request')} in all.`}
      empty={totals?.requests === 0 ? 'Not used in this range.' : undefined}
      isStale={loaded.isStale}
      failure={failureOf(loaded)}
    />
  );
}
