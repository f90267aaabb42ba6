import { isObject } from '../../util/json.ts';
import type { LiveCounts, LiveRow } from './live-rows.ts';
import { mostLiveRows } from './live-rows.ts';

/** Processes whose rows are kept, and milliseconds without a word after which one is gone. */
const [mostPeers, silence] = [100, 5_000];

/** Ends that wait for the next look. */
const mostEnded = 1_000;

interface Peer {
  /** The number of its last message. */
  number: number;
  heardAt: number;
  counts: LiveCounts;
  readonly rows: Map<string, LiveRow>;
}

/** What other processes run, since the last look. */
export interface RemoteLook {
  readonly rows: readonly LiveRow[];
  /** Of requests that ended, or that nothing is known of any more. */
  readonly ended: readonly LiveRow[];
  readonly counts: LiveCounts;
  /** Whether a process has told everything anew. */
  readonly isAnew: boolean;
}

/** The rows of one filter that other processes told this one. */
export class RemoteRows {
  readonly #peers = new Map<string, Peer>();
  #ended: LiveRow[] = [];
  #isAnew = false;

  /** Whether any other process was heard. */
  get hasPeers(): boolean {
    return this.#peers.size > 0;
  }

  /**
   * Hears a message of a process.
   * @param now Milliseconds of a clock that only goes on.
   * @returns False where messages before it are missing, so that it has to tell everything anew.
   */
  hear(
    from: string,
    number: number,
    said: { readonly snapshot?: unknown; readonly events?: unknown },
    now: number,
  ): boolean {
    const known = this.#peers.get(from);
    if (isObject(said.snapshot)) {
      if (known === undefined && this.#peers.size >= mostPeers) return true;
      this.#replace(from, number, said.snapshot, now);
      return true;
    }
    if (known === undefined || number !== known.number + 1) return false;
    known.number = number;
    known.heardAt = now;
    if (Array.isArray(said.events)) for (const event of said.events) this.#change(known, event);
    return true;
  }

  /** What there is now. @param now As above. @param at The same moment in Unix milliseconds. */
  look(now: number, at: number): RemoteLook {
    for (const [address, peer] of this.#peers) {
      if (now - peer.heardAt < silence) continue;
      this.#peers.delete(address);
      for (const row of peer.rows.values()) this.#end(lostRow(row, at));
    }
    const peers = [...this.#peers.values()];
    const look = {
      rows: peers.flatMap(({ rows }) => [...rows.values()]),
      ended: this.#ended,
      counts: sumCounts(peers.map(({ counts }) => counts)),
      isAnew: this.#isAnew,
    };
    this.#ended = [];
    this.#isAnew = false;
    return look;
  }

  #replace(from: string, number: number, snapshot: Readonly<Record<string, unknown>>, now: number): void {
    const rows = new Map<string, LiveRow>();
    for (const row of Array.isArray(snapshot.rows) ? snapshot.rows.slice(0, mostLiveRows) : [])
      if (isLiveRow(row)) rows.set(row.id, row);
    const before = this.#peers.get(from)?.rows.values() ?? [];
    for (const row of before) if (!rows.has(row.id)) this.#end(lostRow(row, Date.now()));
    this.#peers.set(from, { number, heardAt: now, counts: readCounts(snapshot), rows });
    this.#isAnew = true;
  }

  #end(row: LiveRow): void {
    if (this.#ended.length < mostEnded) this.#ended.push(row);
  }

  #change(peer: Peer, event: unknown): void {
    if (!isObject(event) || !isObject(event.data)) return;
    if (event.name === 'count') peer.counts = readCounts(event.data);
    if (!isLiveRow(event.data)) return;
    const row = event.data;
    if (event.name === 'end') {
      peer.rows.delete(row.id);
      this.#end(row);
    } else if (peer.rows.has(row.id) || peer.rows.size < mostLiveRows) peer.rows.set(row.id, row);
  }
}

/** Sums of several processes. */
export function sumCounts(counts: readonly LiveCounts[]): LiveCounts {
  const sum = (name: keyof LiveCounts) => counts.reduce((total, one) => total + one[name], 0);
  return { running: sum('running'), streams: sum('streams'), done: sum('done'), failed: sum('failed') };
}

function readCounts(said: Readonly<Record<string, unknown>>): LiveCounts {
  const count = (name: keyof LiveCounts) => (typeof said[name] === 'number' ? said[name] : 0);
  return {
    running: count('running'),
    streams: count('streams'),
    done: count('done'),
    failed: count('failed'),
  };
}

/** The last row of a request whose process says nothing any more. */
function lostRow(row: LiveRow, at: number): LiveRow {
  return { ...row, phase: 'ended', outcome: 'unknown', ended_at: new Date(at).toISOString() };
}

function isLiveRow(value: unknown): value is LiveRow {
  return (
    isObject(value) &&
    [value.id, value.process, value.began_at, value.phase, value.key_hash].every(
      (member) => typeof member === 'string',
    )
  );
}
