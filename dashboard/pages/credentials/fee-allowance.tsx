import { LimitBar } from '../../parts/limit-bar.tsx';
import { Money } from '../../parts/money.tsx';
import { Failed, Loading } from '../../parts/state.tsx';
import { percent } from '../../text/format.ts';
import { ago } from '../../text/time.ts';
import { useMonthCost, useTerms } from './queries.ts';

/** What own credentials cost at the providers this month, and how much of it is still without a fee. */
export function FeeAllowance() {
  const [cost, asked] = [useMonthCost(), useTerms()];
  const [month, terms] = [cost.data, asked.data];
  const failed = [cost, asked].find(({ error, data }) => error !== undefined && data === undefined);
  if (failed?.error !== undefined) {
    return (
      <section class="card">
        <Failed error={failed.error} retry={failed.reload} />
      </section>
    );
  }
  if (month === undefined || terms === undefined) return <Loading height={92} />;
  const free = BigInt(terms.monthly_allowance_nano);
  return (
    <section class="card credential-month" aria-labelledby="credential-month">
      <div class="row">
        <h2 id="credential-month">At your providers this month</h2>
        <span class="gap" />
        <strong>
          <Money nano={month.total} />
        </strong>
      </div>
      {terms.fee_rate > 0 && free > 0n && (
        <LimitBar used={Number(month.total) / Number(free)} label="Used part of what is free of the fee" />
      )}
      <p class="hint">
        {terms.fee_rate === 0 ? (
          'At list prices, whole account. Requests on your own credentials cost no fee here.'
        ) : (
          <>
            <Fee used={month.total} free={free} rate={terms.fee_rate} /> The next month begins{' '}
            {ago(month.endsAt, Date.now())} (00:00 UTC).
          </>
        )}
      </p>
    </section>
  );
}

interface FeeProps {
  readonly used: bigint;
  readonly free: bigint;
  readonly rate: number;
}

function Fee({ used, free, rate }: FeeProps) {
  if (free === 0n) return <>At list prices, whole account; a fee of {percent(rate)} comes on top.</>;
  if (used >= free) {
    return (
      <>
        The first <Money nano={free} /> of the month were free of the fee; {percent(rate)} is charged on the
        rest.
      </>
    );
  }
  return (
    <>
      At list prices, whole account. <Money nano={free - used} /> of <Money nano={free} /> are still free of
      the fee, beyond that it is {percent(rate)}.
    </>
  );
}
