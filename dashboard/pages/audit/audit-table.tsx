import type { AuditEntry } from '../../../clients/headgate-api.ts';
import { ListTable } from '../../parts/list-table.tsx';
import { State } from '../../parts/state.tsx';
import { zone } from '../../state/preferences.ts';
import type { Column } from '../../state/table-choices.ts';
import { plain } from '../../text/format.ts';
import { clock, exactTime } from '../../text/time.ts';
import { useNames } from './use-names.ts';
import { changesOf, deedOf, nameOf } from './words.ts';

/** The columns of the log, in their places. */
export const auditColumns: readonly Column[] = [
  { name: 'What', isFixed: true },
  { name: 'Outcome' },
  { name: 'Who', look: 'wide' },
  { name: 'From', look: 'wide' },
  { name: 'Time' },
];

/** Entries of the audit log; each opens to what it changed. */
export function AuditTable({ entries }: { readonly entries: readonly AuditEntry[] }) {
  const names = useNames();
  return (
    <ListTable list="audit" columns={auditColumns}>
      {entries.map((entry) => (
        <Row key={entry.id} entry={entry} names={names} />
      ))}
    </ListTable>
  );
}

const actors = {
  management_key: 'management key',
  workload: 'workload',
  inference_key: 'API key',
  command: 'command line',
  system: 'the server',
  anonymous: 'nobody known',
} as const;

interface RowProps {
  readonly entry: AuditEntry;
  readonly names: ReadonlyMap<string, string>;
}

function Row({ entry, names }: RowProps) {
  const { actor, object, outcome, at } = entry;
  const changes = changesOf(entry, zone());
  const name = nameOf(entry, names);
  return (
    <tr>
      <td>
        <details>
          <summary>
            {deedOf(entry)}
            {object.id !== null &&
              (name === undefined ? (
                <code class="muted"> {plain(object.id.slice(0, 24))}</code>
              ) : (
                <span class="muted" title={plain(object.id)}>
                  {' '}
                  {plain(name)}
                </span>
              ))}
          </summary>
          <dl class="facts audit-facts">
            {changes.map(({ field, before, after }) => (
              <>
                <dt key={field}>{field}</dt>
                <dd>
                  {before !== undefined && <span class="muted">{plain(before)} → </span>}
                  {plain(after)}
                </dd>
              </>
            ))}
            {entry.reason !== null && (
              <>
                <dt>Reason</dt>
                <dd>{plain(entry.reason.replaceAll('_', ' '))}</dd>
              </>
            )}
            <dt>Entry</dt>
            <dd>
              {entry.seq} <code class="muted">{entry.hash.slice(0, 16)}…</code>
            </dd>
            {entry.request_id !== null && (
              <>
                <dt>Request</dt>
                <dd>
                  <code>{plain(entry.request_id)}</code>
                </dd>
              </>
            )}
          </dl>
        </details>
      </td>
      <td>{outcome === 'ok' ? <State tone="good">done</State> : <State tone="bad">refused</State>}</td>
      <td class="wide">
        {actors[actor.type]}
        {actor.key_label !== null && <code class="muted"> {plain(actor.key_label)}</code>}
      </td>
      <td class="wide number">{actor.address === null ? '–' : plain(actor.address)}</td>
      <td class="number" title={exactTime(at, zone())}>
        {clock(at, zone())}
      </td>
    </tr>
  );
}
