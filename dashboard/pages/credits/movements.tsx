import { useState } from 'preact/hooks';
import type { LedgerEntry, LedgerPage } from '../../../clients/headgate-api.ts';
import { messageOf } from '../../api/errors.ts';
import { Money } from '../../parts/money.tsx';
import { zone } from '../../state/preferences.ts';
import { type Column, hiddenColumns } from '../../state/table-choices.ts';
import { plain } from '../../text/format.ts';
import { exactTime, fullDay } from '../../text/time.ts';
import { readOlder } from './queries.ts';

/** The columns of movements, in their places. */
export const movementColumns: readonly Column[] = [
  { name: 'Movement', isFixed: true },
  { name: 'Amount', isFixed: true },
  { name: 'Reference' },
  { name: 'Expires' },
  { name: 'By' },
  { name: 'Date' },
];

/** Movements of credits, newest first; older ones follow on demand. */
export function Movements({ first }: { readonly first: LedgerPage }) {
  const [older, setOlder] = useState<readonly LedgerEntry[]>([]);
  const [next, setNext] = useState(first.next);
  const [failure, setFailure] = useState<string>();
  const [isLoading, setLoading] = useState(false);
  const more = async () => {
    if (next === null) return;
    setLoading(true);
    setFailure(undefined);
    try {
      const page = await readOlder(next);
      setOlder([...older, ...page.data]);
      setNext(page.next);
    } catch (error) {
      setFailure(messageOf(error));
    }
    setLoading(false);
  };
  return (
    <>
      <div class={`table-wrap ${hiddenColumns('movements', movementColumns)}`}>
        <table class="table fluid">
          <thead>
            <tr>
              <th scope="col">Movement</th>
              <th scope="col" class="end">
                Amount
              </th>
              <th scope="col" class="wide">
                Reference
              </th>
              <th scope="col" class="wide">
                Expires
              </th>
              <th scope="col" class="wide">
                By
              </th>
              <th scope="col" class="end">
                Date
              </th>
            </tr>
          </thead>
          <tbody>
            {[...first.data, ...older].map((entry) => (
              <Row key={entry.id} entry={entry} />
            ))}
          </tbody>
        </table>
      </div>
      {failure !== undefined && (
        <p class="note bad" role="alert">
          {failure}
        </p>
      )}
      {next !== null && (
        <div class="list-end">
          <button type="button" class="button small" disabled={isLoading} onClick={() => void more()}>
            {isLoading ? 'Reading…' : 'Older'}
          </button>
        </div>
      )}
    </>
  );
}

function Row({ entry }: { readonly entry: LedgerEntry }) {
  const { type, amount_nano: amount, note, created_at: created, expires_at: expires } = entry;
  const isAdded = BigInt(amount) > 0n;
  return (
    <tr>
      <td title={note === null ? '' : plain(note)}>
        {type}
        {note !== null && <span class="hint cut movement-note">{plain(note)}</span>}
      </td>
      <td class={`end ${isAdded ? 'good' : ''}`}>
        {isAdded && '+'}
        <Money nano={amount} />
      </td>
      <td class="wide">{entry.external_ref === null ? '–' : plain(entry.external_ref)}</td>
      <td class="wide">{expires === null ? 'never' : fullDay(expires, zone())}</td>
      <td class="wide">{plain(entry.created_by ?? 'the server')}</td>
      <td class="end" title={exactTime(created, zone())}>
        {fullDay(created, zone())}
      </td>
    </tr>
  );
}
