import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallList } from '../../../clients/headgate-api.ts';
import { get } from '../../api/client.ts';
import { chosenRange } from '../../state/range.ts';

export type CallRow = CallList['data'][number];

/** The list of calls as far as it was read. */
export interface Calls {
  readonly rows: readonly CallRow[];
  readonly isLoading: boolean;
  readonly error: Error | undefined;
  readonly searchedTo: string | undefined;
  readonly isComplete: boolean;
  /** Calls that ended since. */
  readonly newer: number;
  readonly older: () => void;
  readonly showNewer: () => void;
  readonly reload: () => void;
}

interface State {
  readonly rows: readonly CallRow[];
  readonly next: string | null;
  readonly searchedTo: string | undefined;
  readonly isLoading: boolean;
  readonly error: Error | undefined;
  readonly fresh: CallList | undefined;
}

const pageLength = 50;
/** Rows that the page shows; older ones drop out at its top. */
const mostRows = 500;
/** Parts that are searched by themselves before the person is asked. */
const mostSteps = 10;
const pollEvery = 10_000;
/** Where there is nothing yet, the first is waited for. */
const pollEmptyEvery = 3_000;
const start: State = {
  rows: [],
  next: null,
  searchedTo: undefined,
  isLoading: true,
  error: undefined,
  fresh: undefined,
};

/** Reads calls by filters, newest first, part after part. */
export function useCalls(filters: Readonly<Record<string, string>>): Calls {
  const [state, setState] = useState(start);
  const [attempt, setAttempt] = useState(0);
  const range = chosenRange();
  const name = JSON.stringify([filters, range.name === 'custom' ? [range.from, range.to] : range.name]);
  const abort = useRef(new AbortController());

  const read = (cursor: string | null, before: readonly CallRow[], signal: AbortSignal) => {
    setState((earlier) => ({ ...earlier, isLoading: true, error: undefined }));
    readParts(filters, cursor, signal).then(
      ({ rows, next, searchedTo }) =>
        setState({
          ...start,
          isLoading: false,
          rows: [...before, ...rows].slice(-mostRows),
          next,
          searchedTo,
        }),
      (error: Error) => {
        if (!signal.aborted) setState((earlier) => ({ ...earlier, isLoading: false, error }));
      },
    );
  };

  useEffect(() => {
    abort.current = new AbortController();
    read(null, [], abort.current.signal);
    return () => abort.current.abort();
  }, [name, attempt]);

  const pollPause = state.rows.length === 0 ? pollEmptyEvery : pollEvery;
  useEffect(() => {
    if (range.name === 'custom') return;
    const timer = setInterval(() => {
      if (document.hidden) return;
      readPart(filters, null, abort.current.signal).then(
        (fresh) => setState((earlier) => withFresh(earlier, fresh)),
        () => undefined,
      );
    }, pollPause);
    return () => clearInterval(timer);
  }, [name, pollPause]);

  const known = new Set(state.rows.map(({ id }) => id));
  return {
    ...state,
    isComplete: state.next === null,
    newer: state.fresh?.data.filter(({ id }) => !known.has(id)).length ?? 0,
    older: () => read(state.next, state.rows, abort.current.signal),
    showNewer: () => setAttempt(attempt + 1),
    reload: () => setAttempt(attempt + 1),
  };
}

/** Newer calls wait until they are asked for, so that no row moves; where there is no row they are shown at once. */
function withFresh(earlier: State, fresh: CallList): State {
  if (earlier.rows.length > 0 || earlier.isLoading || fresh.data.length === 0) return { ...earlier, fresh };
  return { ...start, isLoading: false, rows: fresh.data, next: fresh.next };
}

/** Reads on while parts are empty: a filter that matches little may lead far back. */
async function readParts(
  filters: Readonly<Record<string, string>>,
  cursor: string | null,
  signal: AbortSignal,
) {
  const rows: CallRow[] = [];
  let next = cursor;
  let searchedTo: string | undefined;
  for (let step = 0; step < mostSteps; step += 1) {
    const part = await readPart(filters, next, signal);
    rows.push(...part.data);
    next = part.next;
    searchedTo = part.searched_to;
    if (next === null || rows.length >= pageLength / 2) break;
  }
  return { rows, next, searchedTo };
}

function readPart(
  filters: Readonly<Record<string, string>>,
  cursor: string | null,
  signal: AbortSignal,
): Promise<CallList> {
  const { from, to } = chosenRange();
  const query = { ...filters, from, to, limit: pageLength, ...(cursor === null ? {} : { cursor }) };
  return get('/generations', { query, signal });
}
