import { State } from '../../parts/state.tsx';
import type { CallRow } from './use-calls.ts';

/** How a call ended, in a word. */
export function Outcome({ row }: { readonly row: Pick<CallRow, 'outcome' | 'error_type' | 'status'> }) {
  if (row.outcome === 'ok') return <State tone="good">ok</State>;
  if (row.outcome === 'cancelled') return <State tone="warn">cancelled</State>;
  const words = (row.error_type ?? 'failed').replaceAll('_', ' ');
  const status = row.status !== null && row.status >= 400 ? `${row.status} ` : '';
  return (
    <State tone="bad">
      {row.outcome === 'refused' && 'refused: '}
      {status}
      {words}
    </State>
  );
}
