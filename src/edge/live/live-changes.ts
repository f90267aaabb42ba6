import { type LiveFilter, type LiveRow, liveRow, liveRows, passes } from './live-rows.ts';
import { RecentEnds } from './recent-ends.ts';
import type { EndedCall, RunningCalls } from './running-calls.ts';

/** One event for a viewer. */
export interface LiveEvent {
  readonly name: 'snapshot' | 'begin' | 'attempt' | 'first' | 'tick' | 'end' | 'count' | 'lost' | 'bye';
  readonly data: object;
}

/** Milliseconds between two ticks of a request whose phase stays the same. */
const tickEvery = 1_000;

interface Shown {
  readonly row: LiveRow;
  readonly ticked: number;
}

/** What was sent to one viewer, and what has changed since. */
export class LiveChanges {
  readonly #calls: RunningCalls;
  readonly #filter: LiveFilter;
  readonly #recent = new RecentEnds();
  #shown = new Map<string, Shown>();
  #lastEnd: number;
  #counted = 0;

  constructor(calls: RunningCalls, filter: LiveFilter) {
    this.#calls = calls;
    this.#filter = filter;
    this.#lastEnd = calls.lastEnd;
  }

  /** Everything anew. */
  snapshot(now: number): LiveEvent {
    const { rows, running, streams } = liveRows(this.#calls.running, this.#filter);
    this.#shown = new Map(rows.map((row) => [row.id, { row, ticked: now }]));
    this.#takeEnds();
    this.#counted = now;
    const counts = { running, streams, ...this.#recent.lastMinute(now) };
    return { name: 'snapshot', data: { as_of: new Date(now).toISOString(), ...counts, rows } };
  }

  /** What has changed since the last look; empty where nothing has. */
  take(now: number): readonly LiveEvent[] {
    const ended = this.#takeEnds().map(({ call, at }) => ({ name: 'end', data: liveRow(call, at) }) as const);
    const { rows, running, streams } = liveRows(this.#calls.running, this.#filter);
    const shown = new Map<string, Shown>();
    const events: LiveEvent[] = [];
    for (const row of rows) {
      const before = this.#shown.get(row.id);
      const name = changeOf(before, row, now);
      if (name !== undefined) events.push({ name, data: row });
      shown.set(row.id, name === undefined && before !== undefined ? before : { row, ticked: now });
    }
    this.#shown = shown;
    events.push(...ended);
    if (now - this.#counted >= tickEvery) {
      this.#counted = now;
      const counts = { running, streams, ...this.#recent.lastMinute(now) };
      events.push({ name: 'count', data: { as_of: new Date(now).toISOString(), ...counts } });
    }
    return events;
  }

  /** The ends that the viewer may see, each once. */
  #takeEnds(): readonly EndedCall[] {
    const ends = this.#calls.endedAfter(this.#lastEnd).filter(({ call }) => passes(call, this.#filter));
    this.#lastEnd = this.#calls.lastEnd;
    for (const { call, at } of ends) this.#recent.add(at, call.progress.outcome === 'ok');
    return ends;
  }
}

function changeOf(before: Shown | undefined, row: LiveRow, now: number): LiveEvent['name'] | undefined {
  if (before === undefined) return 'begin';
  const { row: known, ticked } = before;
  if (known.first_token_ms === null && row.first_token_ms !== null) return 'first';
  if (known.attempt !== row.attempt || known.provider !== row.provider) return 'attempt';
  if (known.phase !== row.phase) return 'tick';
  return known.output_tokens !== row.output_tokens && now - ticked >= tickEvery ? 'tick' : undefined;
}
