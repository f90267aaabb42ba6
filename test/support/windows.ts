import { setTimeout } from 'node:timers/promises';
import { dayLength } from '../../src/util/utc-windows.ts';

const lengths = { minute: 60_000, hour: 3_600_000, day: dayLength };

/** Resolves when the running UTC minute, hour or day has at least this many milliseconds left: for tests of its limits. */
export async function roomInWindow(window: keyof typeof lengths, needed: number): Promise<void> {
  const left = lengths[window] - (Date.now() % lengths[window]);
  if (left < needed) await setTimeout(left + 100);
}
