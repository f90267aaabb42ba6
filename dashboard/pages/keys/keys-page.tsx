import { useState } from 'preact/hooks';
import type { Key } from '../../../clients/headgate-api.ts';
import { mayChange } from '../../api/session-state.ts';
import { Icon } from '../../parts/icon.tsx';
import { LimitBar } from '../../parts/limit-bar.tsx';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { Empty, Failed, Loading } from '../../parts/state.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { askedDialog } from '../../state/asked-dialog.ts';
import { useKeyList, useLastUses } from '../../state/keys.ts';
import type { Column } from '../../state/table-choices.ts';
import { choice, choose, href } from '../../state/url.ts';
import { lastWeek, useSeries } from '../../state/usage.ts';
import { count, nanoOf, plain } from '../../text/format.ts';
import { KeyDetail } from './key-detail.tsx';
import { KeyMenu } from './key-menu.tsx';
import { KeyState, TwoSecrets } from './key-state.tsx';
import './keys.css';
import { type KeyOrder, keyOrders, orderedKeys } from './last-use.ts';
import { LastUsed } from './last-used.tsx';
import { NewKey } from './new-key.tsx';

/** The inference keys: who may spend how much. */
export function KeysPage({ id }: { readonly id: string | undefined }) {
  if (id !== undefined) return <KeyDetail hash={id} />;
  return <KeyListPage />;
}

function KeyListPage() {
  const keys = useKeyList(30_000);
  const [text, setText] = useState('');
  const [isMaking, setMaking] = askedDialog('make', 'key');
  const words = text.toLowerCase().split(/\s+/);
  const shown = keys.data?.filter(({ name, label }) =>
    words.every((word) => `${name} ${label}`.toLowerCase().includes(word)),
  );
  return (
    <div class="page">
      <div class="page-head">
        <h1 tabIndex={-1}>Keys</h1>
        <span class="gap" />
        <input
          class="field search"
          data-search
          type="search"
          aria-label="Search keys"
          placeholder="Search by name or label…"
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <OrderChoice />
        <TableTools list="keys" columns={keyColumns} hasViews />
        {mayChange('keys') && (
          <button type="button" class="button primary" onClick={() => setMaking(true)}>
            <Icon name="plus" /> New key
          </button>
        )}
      </div>
      {keys.error !== undefined && keys.data === undefined ? (
        <Failed error={keys.error} retry={keys.reload} />
      ) : shown === undefined ? (
        <Loading height={420} />
      ) : (
        <section class="card">
          {shown.length > 0 ? (
            <KeyTable keys={shown} reload={keys.reload} />
          ) : keys.data?.length === 0 ? (
            <Empty title="No keys yet">
              <p>Applications call the gateway with a key. Give each one its own, with a limit.</p>
              {mayChange('keys') && (
                <button type="button" class="button primary" onClick={() => setMaking(true)}>
                  Create the first key
                </button>
              )}
            </Empty>
          ) : (
            <Empty title="No key matches">
              <button type="button" class="button small" onClick={() => setText('')}>
                Clear the search
              </button>
            </Empty>
          )}
        </section>
      )}
      {isMaking && mayChange('keys') && (
        <NewKey
          onClose={() => {
            setMaking(false);
            keys.reload();
          }}
        />
      )}
    </div>
  );
}

const keyColumns: readonly Column[] = [
  { name: 'Key', isFixed: true },
  { name: 'State', look: 'wide' },
  { name: 'Limit' },
  { name: 'Today', look: 'end wide roomy' },
  { name: 'This month', look: 'end wide' },
  { name: 'Requests, 7 days', look: 'end wide roomy' },
  { name: 'Last used', look: 'end wide' },
];

function chosenOrder(): KeyOrder {
  const asked = choice('order') ?? '';
  return asked in keyOrders ? (asked as KeyOrder) : 'newest';
}

function OrderChoice() {
  return (
    <select
      class="select inline"
      aria-label="Order"
      value={chosenOrder()}
      onChange={({ currentTarget: { value } }) =>
        choose({ order: value === 'newest' ? undefined : value }, { replace: true })
      }
    >
      {Object.entries(keyOrders).map(([order, words]) => (
        <option key={order} value={order}>
          {words}
        </option>
      ))}
    </select>
  );
}

function KeyTable({ keys, reload }: { readonly keys: readonly Key[]; readonly reload: () => void }) {
  const usage = useSeries({ group: 'key', bucket: 'all', top: 50 }, lastWeek);
  const used = new Map((usage.data?.groups ?? []).map((group) => [group.value, group.totals]));
  const last = useLastUses().data;
  const uses = new Map((last?.data ?? []).map((use) => [use.key, use]));
  return (
    <ListTable list="keys" columns={keyColumns} hasActions>
      {orderedKeys(keys, chosenOrder(), uses).map((key) => (
        <tr key={key.hash}>
          <td>
            <a href={href(`keys/${key.hash}`)} title={plain(key.name)}>
              {plain(key.name)}
            </a>
            <span class="hint cut key-label">{key.label}</span>
            <TwoSecrets value={key} />
            <span class="small-screens">
              <KeyState value={key} />
            </span>
          </td>
          <td class="wide">
            <KeyState value={key} />
          </td>
          <td class="limit-cell">
            <Limit value={key} />
          </td>
          <td class="end wide roomy">
            <Money nano={nanoOf(key.usage_daily)} />
          </td>
          <td class="end wide">
            <Money nano={nanoOf(key.usage_monthly)} />
          </td>
          <td class="end wide roomy">{count(used.get(key.hash)?.requests ?? 0)}</td>
          <td class="end wide">
            {last !== undefined && (
              <LastUsed use={uses.get(key.hash)} since={last.since} created={key.created_at} />
            )}
          </td>
          <td class="end">
            <KeyMenu value={key} onChange={reload} />
          </td>
        </tr>
      ))}
    </ListTable>
  );
}

function Limit({
  value: { limit, limit_remaining: left, limit_reset: reset, name },
}: {
  readonly value: Key;
}) {
  if (limit === null) return <span class="muted">no limit</span>;
  return (
    <>
      <span class="number">
        <span class="whole">
          <Money nano={nanoOf(left ?? 0)} /> left
        </span>{' '}
        <span class="whole">
          of <Money nano={nanoOf(limit)} /> {reset}
        </span>
      </span>
      <LimitBar
        used={1 - (left ?? 0) / Math.max(limit, 1e-9)}
        label={`${plain(name)}: used part of its limit`}
      />
    </>
  );
}
