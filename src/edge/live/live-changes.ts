import { countLive, type LiveFilter, type LiveRow, liveRow, liveRows, passes } from './live-rows.ts';
import { RecentEnds } from './recent-ends.ts';
import type { LiveCall, RunningCalls } from './running-calls.ts';

/** One event for a viewer. */
export interface LiveEvent {
  readonly name: 'snapshot' | 'begin' | 'attempt' | 'first' | 'tick' | 'end' | 'count' | 'lost' | 'bye';
  readonly data: object;
}

/** Milliseconds between two ticks of a request whose phase stays the same. */
const tickEvery = 1_000;

/** New rows of a batch, and besides rows that ended before the viewer had them: nobody reads more. */
export const mostNewRows = 10;

interface Shown {
  readonly row: LiveRow;
  readonly ticked: number;
}

/** What the viewers of a filter know, and what has changed since. */
export class LiveChanges {
  readonly #calls: RunningCalls;
  readonly #filter: LiveFilter;
  readonly #recent = new RecentEnds();
  readonly #leave: () => void;
  #shown: ReadonlyMap<string, Shown>;
  /** Ends of rows that were sent, and the first ones of others. */
  #ended: LiveEvent[] = [];
  #unseen: LiveEvent[] = [];
  #counted: number;

  /** @param calls They tell of ends until `stop`. @param now Unix milliseconds, as everywhere here. */
  constructor(calls: RunningCalls, filter: LiveFilter, now: number) {
    this.#calls = calls;
    this.#filter = filter;
    this.#counted = now;
    const rows = liveRows(calls.oldestFirst(), filter);
    this.#shown = new Map(rows.map((row) => [row.id, { row, ticked: now }]));
    this.#leave = calls.watch((call, at) => this.#end(call, at));
  }

  stop(): void {
    this.#leave();
  }

  /** Everything as of the last look, for who knows nothing yet. */
  snapshot(now: number): LiveEvent {
    const rows = [...this.#shown.values()].map(({ row }) => row);
    return { name: 'snapshot', data: { ...this.#count(now), rows } };
  }

  /** What has changed since the last look; empty where nothing has. */
  take(now: number): readonly LiveEvent[] {
    const shown = new Map<string, Shown>();
    const events: LiveEvent[] = [];
    let added = 0;
    for (const row of liveRows(this.#calls.oldestFirst(), this.#filter)) {
      const before = this.#shown.get(row.id);
      if (before === undefined && added === mostNewRows) continue;
      const name = changeOf(before, row, now);
      if (name === 'begin') added += 1;
      if (name !== undefined) events.push({ name, data: row });
      shown.set(row.id, name === undefined && before !== undefined ? before : { row, ticked: now });
    }
    events.push(...this.#ended, ...this.#unseen);
    this.#shown = shown;
    this.#ended = [];
    this.#unseen = [];
    if (now - this.#counted >= tickEvery) {
      this.#counted = now;
      events.push({ name: 'count', data: this.#count(now) });
    }
    return events;
  }

  #count(now: number) {
    const counts = countLive(this.#calls.oldestFirst(), this.#filter);
    return { as_of: new Date(now).toISOString(), ...counts, ...this.#recent.lastMinute(now) };
  }

  #end(call: LiveCall, at: number): void {
    if (!passes(call, this.#filter)) return;
    this.#recent.add(at, call.progress.outcome === 'ok');
    const isShown = this.#shown.has(call.facts.generationId);
    if (!isShown && this.#unseen.length === mostNewRows) return;
    (isShown ? this.#ended : this.#unseen).push({ name: 'end', data: liveRow(call, at) });
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
