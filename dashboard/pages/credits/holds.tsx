import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { TableTools } from '../../parts/table-tools.tsx';
import { useKeyList } from '../../state/keys.ts';
import { zone } from '../../state/preferences.ts';
import type { Column } from '../../state/table-choices.ts';
import { href } from '../../state/url.ts';
import { duration, many, plain } from '../../text/format.ts';
import { ago, exactTime } from '../../text/time.ts';
import { shownAccount, useHolds } from './queries.ts';

const holdColumns: readonly Column[] = [
  { name: 'Request', isFixed: true },
  { name: 'Model', look: 'wide' },
  { name: 'Key', look: 'wide' },
  { name: 'Reserved', look: 'end' },
  { name: 'Began', look: 'end' },
  { name: 'Lapses in', look: 'end wide' },
];

/** What running requests reserve; nothing where nothing is reserved. */
export function Holds() {
  const { data } = useHolds();
  const keys = useKeyList(60_000);
  if (data === undefined || data.holds.length === 0) return null;
  const names = new Map((keys.data ?? []).map(({ hash, name }) => [hash, name]));
  const asOf = Date.parse(data.as_of);
  return (
    <section class="card">
      <div class="card-head">
        <h2>Reserved by running requests</h2>
        <span class="gap" />
        {data.running > data.holds.length && (
          <span class="hint">
            {many(data.holds.length, 'request')} of {many(data.running, 'request')}
          </span>
        )}
        <TableTools list="holds" page="credits" columns={holdColumns} hasViews />
      </div>
      <ListTable list="holds" columns={holdColumns}>
        {data.holds.map(({ request_id: id, model, key_hash: key, began_at: began, ...hold }) => (
          <tr key={id}>
            <td>
              {shownAccount() === undefined ? (
                <a href={href('requests', { request: id })}>{plain(id)}</a>
              ) : (
                <code>{plain(id)}</code>
              )}
            </td>
            <td class="wide">{plain(model ?? '–')}</td>
            <td class="wide">{plain(names.get(key ?? '') ?? key?.slice(0, 8) ?? '–')}</td>
            <td class="end">
              <Money nano={hold.amount_nano} />
            </td>
            <td class="end" title={began === null ? '' : exactTime(began, zone())}>
              {began === null ? '–' : ago(began, asOf)}
            </td>
            <td class="end wide">{duration(hold.lease_ms)}</td>
          </tr>
        ))}
      </ListTable>
    </section>
  );
}
