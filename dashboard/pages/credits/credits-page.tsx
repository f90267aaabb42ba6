import { useState } from 'preact/hooks';
import { mayChange, principal } from '../../api/session-state.ts';
import { ExportMenu } from '../../parts/export-menu.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { zone } from '../../state/preferences.ts';
import { many } from '../../text/format.ts';
import { fullDay } from '../../text/time.ts';
import { AccountChoice } from './account-choice.tsx';
import { BalanceChart } from './balance-chart.tsx';
import { emptyAt } from './balance-history.ts';
import './credits.css';
import { Grant } from './grant.tsx';
import { Holds } from './holds.tsx';
import { Movements, movementColumns } from './movements.tsx';
import { accountQuery, shownAccount, useHolds, useLedger, usePace } from './queries.ts';
import { Verification } from './verification.tsx';

/** The money of an account: what was booked, what is reserved, and whether the ledger adds up. */
export function CreditsPage() {
  const ledger = useLedger();
  const [isBooking, setBooking] = useState(false);
  const isOperator = principal.value?.role === 'operator';
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Credits & ledger</h1>
        <span class="gap" />
        {isOperator && <AccountChoice />}
        {isOperator && mayChange('installation') && (
          <button type="button" class="button primary" onClick={() => setBooking(true)}>
            Book credits…
          </button>
        )}
      </div>
      {ledger.error !== undefined && ledger.data === undefined ? (
        <Failed error={ledger.error} retry={ledger.reload} />
      ) : ledger.data === undefined ? (
        <Loading height={420} />
      ) : (
        <>
          <Figures balance={ledger.data.balance} mode={ledger.data.account.billing_mode} />
          {shownAccount() === undefined && <BalanceChart page={ledger.data} />}
          <Holds />
          <section class="card">
            <div class="card-head">
              <h2>Movements</h2>
              <span class="gap" />
              <ExportMenu path="ledger/export" query={accountQuery} name="ledger" />
              <TableTools list="movements" page="credits" columns={movementColumns} hasViews />
            </div>
            {ledger.data.data.length === 0 ? (
              <Empty title="No movements yet">
                <p>Purchases, grants and refunds stand here. What requests cost is on the overview.</p>
              </Empty>
            ) : (
              <Movements key={`${shownAccount()} ${ledger.data.data[0]?.id}`} first={ledger.data} />
            )}
          </section>
          {isOperator && <Verification />}
        </>
      )}
      {isBooking && ledger.data !== undefined && (
        <Grant
          account={ledger.data.account}
          balance={ledger.data.balance.balance_nano}
          onClose={() => {
            setBooking(false);
            ledger.reload();
          }}
        />
      )}
    </div>
  );
}

interface FiguresProps {
  readonly balance: {
    readonly balance_nano: string;
    readonly purchased_nano: string;
    readonly spent_nano: string;
  };
  readonly mode: string;
}

function Figures({ balance, mode }: FiguresProps) {
  const holds = useHolds().data;
  const budget = holds?.budget_nano ?? null;
  return (
    <div class="credit-figures">
      <Figure name="Balance" nano={balance.balance_nano}>
        {mode === 'prepaid' ? <Pace balance={balance.balance_nano} /> : `paid by ${mode}`}
      </Figure>
      <Figure name="Bought" nano={balance.purchased_nano}>
        decides how many requests to free models are allowed
      </Figure>
      <Figure name="Spent" nano={balance.spent_nano}>
        charged since the account exists
      </Figure>
      <Figure name="Reserved now" nano={holds?.running_nano ?? '0'}>
        {many(holds?.running ?? 0, 'running request')}
      </Figure>
      <Figure name="Settling" nano={holds?.settling_nano ?? '0'}>
        {budget === null ? (
          'finished, not charged yet'
        ) : (
          <>
            finished, not charged yet; with what is reserved <Money nano={holds?.in_flight_nano ?? '0'} /> of
            at most <Money nano={budget} />
          </>
        )}
      </Figure>
    </div>
  );
}

function Figure({
  name,
  nano,
  children,
}: {
  readonly name: string;
  readonly nano: string;
  readonly children: preact.ComponentChildren;
}) {
  return (
    <div class="card credit-figure">
      <span class="name">{name}</span>
      <span class="value">
        <Money nano={nano} />
      </span>
      <span class="below">{children}</span>
    </div>
  );
}

function Pace({ balance }: { readonly balance: string }) {
  const perDay = usePace();
  if (shownAccount() !== undefined || perDay === undefined) return <>credits less charges</>;
  const at = emptyAt(BigInt(balance), perDay, Date.now());
  if (at === undefined) return <>credits less charges</>;
  return <>at the pace of 7 days: empty on {fullDay(at, zone())}</>;
}
