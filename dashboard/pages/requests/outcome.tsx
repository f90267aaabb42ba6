import { State } from '../../parts/state.tsx';
import type { CallRow } from './use-calls.ts';

interface OutcomeProps {
  readonly row: Pick<CallRow, 'outcome' | 'error_type' | 'status'>;
  /** Whether there is little room. */
  readonly isShort?: boolean;
}

/** How a call ended, in a word. */
export function Outcome({ row, isShort = false }: OutcomeProps) {
  if (row.outcome === 'ok') return <State tone="good">ok</State>;
  if (row.outcome === 'cancelled') return <State tone="warn">cancelled</State>;
  const words = (row.error_type ?? 'failed').replaceAll('_', ' ');
  const status = row.status !== null && row.status >= 400 ? `${row.status} ` : '';
  return (
    <State tone="bad">
      {row.outcome === 'refused' && (isShort ? 'refused ' : 'refused: ')}
      {status}
      {row.outcome === 'refused' && isShort ? '' : words}
    </State>
  );
}
