import { Money } from '../../parts/money.tsx';
import { useKeyList } from '../../state/keys.ts';
import { zone } from '../../state/preferences.ts';
import { href } from '../../state/url.ts';
import { duration, many, plain } from '../../text/format.ts';
import { ago, exactTime } from '../../text/time.ts';
import { shownAccount, useHolds } from './queries.ts';

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
      </div>
      <div class="table-wrap">
        <table class="table fluid">
          <thead>
            <tr>
              <th scope="col">Request</th>
              <th scope="col" class="wide">
                Model
              </th>
              <th scope="col" class="wide">
                Key
              </th>
              <th scope="col" class="end">
                Reserved
              </th>
              <th scope="col" class="end">
                Began
              </th>
              <th scope="col" class="end wide">
                Lapses in
              </th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </div>
    </section>
  );
}
