import type { LiveRequest, LiveSnapshot } from '../../../clients/headgate-api.ts';

type Counts = Omit<LiveSnapshot, 'rows' | 'as_of'>;

/** Running requests as a page knows them. Times are Unix milliseconds of the server's clock. */
export interface LiveState {
  readonly rows: ReadonlyMap<string, LiveRequest>;
  readonly counts: Counts | undefined;
  /** What the server's clock is ahead of this one's. */
  readonly offset: number;
  /** Batches that were missed because this page read too slowly. */
  readonly lost: number;
}

export const nothingYet: LiveState = { rows: new Map(), counts: undefined, offset: 0, lost: 0 };

/** How long a request that has ended stays in sight. */
const stays = 10_000;

/** The state after an event of the stream. @param now This page's clock. */
export function afterEvent(
  state: LiveState,
  { name, data }: { readonly name: string; readonly data: object },
  now: number,
): LiveState {
  switch (name) {
    case 'snapshot': {
      const { rows, as_of: asOf, ...counts } = data as LiveSnapshot;
      const ended = [...state.rows].filter(([, { phase }]) => phase === 'ended');
      const all = new Map([...ended, ...rows.map((row) => [row.id, row] as const)]);
      return { ...state, rows: all, counts, offset: Date.parse(asOf) - now };
    }
    case 'count': {
      const { as_of: asOf, ...counts } = data as LiveSnapshot;
      return { ...withoutOld(state, now), counts, offset: Date.parse(asOf) - now };
    }
    case 'lost':
      return { ...state, lost: state.lost + (data as { readonly count: number }).count };
    case 'begin':
    case 'attempt':
    case 'first':
    case 'tick':
    case 'end': {
      const row = data as LiveRequest;
      return { ...state, rows: new Map([...state.rows, [row.id, row]]) };
    }
    default:
      return state;
  }
}

function withoutOld(state: LiveState, now: number): LiveState {
  const server = now + state.offset;
  const rows = [...state.rows].filter(
    ([, { ended_at: ended }]) => ended === null || server - Date.parse(ended) < stays,
  );
  return rows.length === state.rows.size ? state : { ...state, rows: new Map(rows) };
}

/** Rows in the order of their beginning; those that began last first, where that is wanted. */
export function inOrder({ rows }: LiveState, newestFirst: boolean): readonly LiveRequest[] {
  const sorted = [...rows.values()].sort((one, other) => one.began_at.localeCompare(other.began_at));
  return newestFirst ? sorted.reverse() : sorted;
}

/** Tokens a second since the first one; undefined before it. */
export function speedOf(row: LiveRequest, at: number): number | undefined {
  if (row.first_token_ms === null || row.output_tokens === 0) return undefined;
  const end = row.ended_at === null ? at : Date.parse(row.ended_at);
  const seconds = (end - Date.parse(row.began_at) - row.first_token_ms) / 1000;
  return seconds < 0.2 ? undefined : row.output_tokens / seconds;
}
