import {
  countLive,
  type LiveCounts,
  type LiveFilter,
  type LiveRow,
  liveRow,
  liveRows,
  mostLiveRows,
  passes,
} from './live-rows.ts';
import { type RemoteLook, type RemoteRows, sumCounts } from './remote-rows.ts';
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
  readonly #others: RemoteRows | undefined;
  #counted: number;
  #countsOfOthers: LiveCounts = sumCounts([]);

  /**
   * @param calls They tell of ends until `stop`.
   * @param now Unix milliseconds, as everywhere here.
   * @param others What other processes run.
   */
  constructor(calls: RunningCalls, filter: LiveFilter, now: number, others?: RemoteRows) {
    this.#calls = calls;
    this.#filter = filter;
    this.#others = others;
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
    const others = this.#others?.look(performance.now(), now);
    if (others !== undefined) this.#hear(others);
    const rows = merged(liveRows(this.#calls.oldestFirst(), this.#filter), others?.rows ?? []);
    if (others?.isAnew === true) return this.#anew(rows, now);
    for (const row of rows) {
      const before = this.#shown.get(row.id);
      if (before === undefined && added === mostNewRows) continue;
      const name = changeOf(before, row, now);
      if (name === 'begin') added += 1;
      if (name !== undefined) events.push({ name, data: row });
      shown.set(row.id, name === undefined && before !== undefined ? before : { row, ticked: now });
    }
    events.push(...this.#takeEnds());
    this.#shown = shown;
    if (now - this.#counted >= tickEvery) {
      this.#counted = now;
      events.push({ name: 'count', data: this.#count(now) });
    }
    return events;
  }

  /** Everything at once, after ends: what another process has told anew would take many batches. */
  #anew(rows: readonly LiveRow[], now: number): readonly LiveEvent[] {
    const ends = this.#takeEnds();
    this.#shown = new Map(rows.map((row) => [row.id, { row, ticked: now }]));
    return [...ends, this.snapshot(now)];
  }

  #takeEnds(): readonly LiveEvent[] {
    const ends = [...this.#ended, ...this.#unseen];
    this.#ended = [];
    this.#unseen = [];
    return ends;
  }

  #count(now: number) {
    const own = {
      ...countLive(this.#calls.oldestFirst(), this.#filter),
      ...this.#recent.lastMinute(now),
    };
    return { as_of: new Date(now).toISOString(), ...sumCounts([own, this.#countsOfOthers]) };
  }

  #hear({ ended, counts }: RemoteLook): void {
    this.#countsOfOthers = counts;
    for (const row of ended) this.#addEnd(row);
  }

  #end(call: LiveCall, at: number): void {
    if (!passes(call, this.#filter)) return;
    this.#recent.add(at, call.progress.outcome === 'ok');
    const isShown = this.#shown.has(call.facts.generationId);
    if (isShown || this.#unseen.length < mostNewRows) this.#addEnd(liveRow(call, at));
  }

  #addEnd(row: LiveRow): void {
    const isShown = this.#shown.has(row.id);
    if (!isShown && this.#unseen.length === mostNewRows) return;
    (isShown ? this.#ended : this.#unseen).push({ name: 'end', data: row });
  }
}

/** The longest-running ones of two lists. */
function merged(own: readonly LiveRow[], others: readonly LiveRow[]): readonly LiveRow[] {
  if (others.length === 0) return own;
  const all = [...own, ...others].sort((one, other) => (one.began_at < other.began_at ? -1 : 1));
  return all.slice(0, mostLiveRows);
}

function changeOf(before: Shown | undefined, row: LiveRow, now: number): LiveEvent['name'] | undefined {
  if (before === undefined) return 'begin';
  const { row: known, ticked } = before;
  if (known.first_token_ms === null && row.first_token_ms !== null) return 'first';
  if (known.attempt !== row.attempt || known.provider !== row.provider) return 'attempt';
  if (known.phase !== row.phase) return 'tick';
  return known.output_tokens !== row.output_tokens && now - ticked >= tickEvery ? 'tick' : undefined;
}

/** Seconds whose ends are counted. */
const countedSeconds = 60;

interface Second {
  readonly second: number;
  done: number;
  failed: number;
}

/** Counts the requests that ended within the last minute. */
class RecentEnds {
  readonly #seconds: Second[] = [];

  /** @param at Unix milliseconds, never earlier than the one before. */
  add(at: number, isDone: boolean): void {
    const second = Math.floor(at / 1000);
    let last = this.#seconds.at(-1);
    if (last?.second !== second) {
      last = { second, done: 0, failed: 0 };
      this.#seconds.push(last);
      if (this.#seconds.length > countedSeconds) this.#seconds.shift();
    }
    if (isDone) last.done += 1;
    else last.failed += 1;
  }

  /** How many came to their end, and how many did not. @param now Unix milliseconds. */
  lastMinute(now: number): { readonly done: number; readonly failed: number } {
    const since = Math.floor(now / 1000) - countedSeconds;
    const recent = this.#seconds.filter(({ second }) => second > since);
    return {
      done: recent.reduce((sum, { done }) => sum + done, 0),
      failed: recent.reduce((sum, { failed }) => sum + failed, 0),
    };
  }
}
