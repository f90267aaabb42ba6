import { Money } from '../../parts/money.tsx';
import { zone } from '../../state/preferences.ts';
import { href } from '../../state/url.ts';
import { plain } from '../../text/format.ts';
import { clock } from '../../text/time.ts';
import { Outcome } from './outcome.tsx';
import type { CallRow } from './use-calls.ts';

/** The other calls of the same request: further turns, and calls for tools. */
export function Related({ rows }: { readonly rows: readonly CallRow[] }) {
  return (
    <div class="table-wrap" tabIndex={0} role="region" aria-label="Other calls of the request">
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Outcome</th>
            <th scope="col">Model</th>
            <th scope="col" class="end">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.id}>
              <td>
                <a href={href(`requests/${encodeURIComponent(row.id)}`)}>{clock(row.settled_at, zone())}</a>
              </td>
              <td>
                <Outcome row={row} />
              </td>
              <td>{plain(row.model ?? row.requested_model)}</td>
              <td class="end">
                <Money nano={row.cost_nano} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
