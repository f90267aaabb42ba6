import { wordTable } from '../util/word-table.ts';

/** Milliseconds of each unit that providers use. */
const units = wordTable<number>({
  ms: 1,
  milliseconds: 1,
  s: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
});

const request = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)? ?[a-z]+ ?)+)/i;
const lengths = /(\d+(?:\.\d+)?) ?([a-z]+)/gi;

/**
 * Seconds to wait that a message states as text (`Please try again in 7m12s.`); undefined when it states none.
 */
export function statedWait(message: string | undefined): number | undefined {
  const stated = request.exec(message ?? '')?.[1] ?? '';
  let wait: number | undefined;
  for (const [, count, unit = ''] of stated.matchAll(lengths)) {
    const length = units[unit.toLowerCase()];
    if (length === undefined) break;
    wait = (wait ?? 0) + Number(count) * length;
  }
  return wait === undefined ? undefined : wait / 1_000;
}
