import type { ComponentChildren } from 'preact';
import { get } from '../../api/client.ts';
import { mayRead, principal } from '../../api/session-state.ts';
import { Sparkline } from '../../charts/sparkline.tsx';
import { Money } from '../../parts/money.tsx';
import { isOfAllAccounts } from '../../state/all-accounts.ts';
import { useQuery } from '../../state/query.ts';
import { href } from '../../state/url.ts';
import { lastWeek, type Series, type Sums, useSeries } from '../../state/usage.ts';
import { count, duration, many, percent, share, short } from '../../text/format.ts';
import { Change } from './change.tsx';

/** The figures of the range, each leading to the requests it counts. */
export function Cards({
  series,
  isStale,
}: {
  readonly series: Series | undefined;
  readonly isStale: boolean;
}) {
  const hasBalance = principal.value?.role !== 'key' && mayRead('billing');
  const isOfAll = isOfAllAccounts();
  if (series === undefined) return <Frames count={isOfAll ? 6 : hasBalance ? 10 : 9} />;
  // The list of requests is that of one account.
  const requests = (choices?: Readonly<Record<string, string>>) =>
    isOfAll ? undefined : href('requests', choices);
  const { totals } = series.total;
  const { previous } = series;
  const before = previous?.totals;
  const spark = (of: (sums: Sums) => number) => <Sparkline values={series.total.series.map(of)} />;
  const tokens = totals.input_tokens + totals.output_tokens;
  return (
    <div class={`cards${isOfAll ? ' six' : ''}${isStale ? ' stale' : ''}`}>
      <Card
        name="Spend"
        value={<Money nano={totals.cost_nano} />}
        to={requests()}
        spark={spark((sums) => Number(sums.cost_nano))}
      >
        <Change
          now={totals}
          before={previous}
          more="neutral"
          of={(sums) => BigInt(sums.cost_nano)}
          show={(sums) => <Money nano={sums.cost_nano} />}
        />
        {BigInt(totals.byok_cost_nano) > 0n && (
          <span class="line">
            own credentials, list price: <Money nano={totals.byok_cost_nano} />
          </span>
        )}
      </Card>
      <Card
        name="Requests"
        value={<Count value={totals.requests} />}
        to={requests()}
        spark={spark((sums) => sums.requests)}
      >
        <Change
          now={totals}
          before={previous}
          more="neutral"
          of={(sums) => sums.requests}
          show={(sums) => count(sums.requests)}
        />
        {totals.unpriced > 0 && <span class="line">{count(totals.unpriced)} without a price</span>}
      </Card>
      <Card
        name="Tokens"
        value={<Count value={tokens} />}
        to={requests()}
        spark={spark((sums) => sums.input_tokens + sums.output_tokens)}
      >
        {short(totals.input_tokens)} in · {short(totals.output_tokens)} out
        {totals.reasoning_tokens > 0 && ` (${short(totals.reasoning_tokens)} reasoning)`}
      </Card>
      <Card
        name="Failed"
        value={share(totals.failed, totals.requests)}
        to={requests({ outcome: 'failed' })}
        spark={spark((sums) => sums.failed)}
      >
        {many(totals.failed, 'request')}
        <span class="line">
          <Change
            now={totals}
            before={previous}
            more="bad"
            of={rate}
            show={(sums) => share(sums.failed, sums.requests)}
          />
        </span>
      </Card>
      {!isOfAll && <TimesCards times={series.times?.total} to={requests()} />}
      <Card name="Read from cache" value={share(totals.cached_tokens, totals.input_tokens)} to={requests()}>
        of input tokens
        {before &&
          before.input_tokens > 0 &&
          `, ${percent(before.cached_tokens / before.input_tokens)} before`}
      </Card>
      <Card
        name="Fell back"
        value={share(totals.fallbacks, totals.requests)}
        to={requests({ fallback: 'true' })}
      >
        {many(totals.fallbacks, 'request')} tried again elsewhere
      </Card>
      {hasBalance && !isOfAll && <BalanceCard />}
    </div>
  );
}

interface TimesCardsProps {
  readonly times: NonNullable<Series['times']>['total'] | undefined;
  readonly to: string | undefined;
}

/** How long answers took. */
function TimesCards({ times, to }: TimesCardsProps) {
  return (
    <>
      <Card
        name="Time to first token"
        value={times?.first_token_ms ? duration(times.first_token_ms.p50) : '–'}
        to={to}
      >
        {times?.first_token_ms ? `95% within ${duration(times.first_token_ms.p95)}` : 'no answers yet'}
      </Card>
      <Card name="Total time" value={times?.total_ms ? duration(times.total_ms.p50) : '–'} to={to}>
        {times?.total_ms ? `95% within ${duration(times.total_ms.p95)}` : 'no answers yet'}
      </Card>
      <Card
        name="Speed"
        value={times?.tokens_per_second ? `${short(times.tokens_per_second.p50)} tok/s` : '–'}
        to={to}
      >
        {times ? `median of ${many(times.n, 'answer')}` : 'no answers yet'}
      </Card>
    </>
  );
}

/** What stands where the figures will, so that nothing moves when they come. */
function Frames({ count: frames }: { readonly count: number }) {
  return (
    <div class="cards loading" role="status" aria-label="Loading">
      {Array.from({ length: frames }, (_, at) => (
        <div key={at} class="card stat" />
      ))}
    </div>
  );
}

function rate({ failed, requests }: Sums): number {
  return requests === 0 ? 0 : failed / requests;
}

function Count({ value }: { readonly value: number }) {
  return <span title={count(value)}>{value < 100_000 ? count(value) : short(value)}</span>;
}

interface CardProps {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly to: string | undefined;
  readonly spark?: ComponentChildren;
  readonly children: ComponentChildren;
}

function Card({ name, value, to, spark, children }: CardProps) {
  const inner = (
    <>
      <span class="name">{name}</span>
      <span class="value">{value}</span>
      <span class="below">{children}</span>
      {spark}
    </>
  );
  return to === undefined ? (
    <div class="card stat">{inner}</div>
  ) : (
    <a class="card stat" href={to}>
      {inner}
    </a>
  );
}

function BalanceCard() {
  const ledger = useQuery(['balance'], (signal) => get('/ledger', { query: { limit: 1 }, signal }), {
    every: 30_000,
  });
  const week = useSeries({ bucket: 'all', workspace: '' }, lastWeek);
  if (ledger.data === undefined) return null;
  const balance = BigInt(ledger.data.balance.balance_nano);
  const daily = BigInt(week.data?.total.totals.cost_nano ?? 0) / 7n;
  const days = daily > 0n ? Number(balance / daily) : undefined;
  return (
    <Card name="Balance" value={<Money nano={balance} />} to={href('credits')}>
      {days === undefined || balance <= 0n
        ? 'credits less charges'
        : `about ${many(days, 'day')} at the pace of 7 days`}
    </Card>
  );
}
