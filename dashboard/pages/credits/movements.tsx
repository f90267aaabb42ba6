import { useState } from 'preact/hooks';
import type { LedgerEntry, LedgerPage } from '../../../clients/headgate-api.ts';
import { messageOf } from '../../api/errors.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { Money } from '../../parts/money.tsx';
import { zone } from '../../state/preferences.ts';
import type { Column } from '../../state/table-choices.ts';
import { plain } from '../../text/format.ts';
import { exactTime, fullDay } from '../../text/time.ts';
import { readOlder } from './queries.ts';

/** The columns of movements, in their places. */
export const movementColumns: readonly Column[] = [
  { name: 'Movement', isFixed: true },
  { name: 'Amount', isFixed: true, look: 'end' },
  { name: 'Reference', look: 'wide' },
  { name: 'Expires', look: 'wide' },
  { name: 'By', look: 'wide' },
  { name: 'Date', look: 'end' },
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
      <ListTable list="movements" columns={movementColumns}>
        {[...first.data, ...older].map((entry) => (
          <Row key={entry.id} entry={entry} />
        ))}
      </ListTable>
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
