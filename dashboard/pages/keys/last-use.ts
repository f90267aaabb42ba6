import type { Key, LastUses } from '../../../clients/headgate-api.ts';
import { ago, day, exactTime } from '../../text/time.ts';

/** Between which moments a key was used last. */
export type LastUse = LastUses['data'][number];

/** The orders that a list of keys can have, and what they are called. */
export const keyOrders = {
  newest: 'Newest first',
  spend: 'Most spent this month',
  used: 'Last used first',
  name: 'By name',
} as const;

export type KeyOrder = keyof typeof keyOrders;

/** Keys in an order; those that are alike stay as they were. */
export function orderedKeys(
  keys: readonly Key[],
  order: KeyOrder,
  uses: ReadonlyMap<string, LastUse>,
): readonly Key[] {
  if (order === 'newest') return keys;
  if (order === 'name') return keys.toSorted((one, other) => one.name.localeCompare(other.name));
  if (order === 'spend') return keys.toSorted((one, other) => other.usage_monthly - one.usage_monthly);
  const used = ({ hash }: Key) => uses.get(hash)?.to ?? '';
  return keys.toSorted((one, other) => used(other).localeCompare(used(one)));
}

const quarter = 900_000;

/** What is known of the last use of a key. */
export interface UseFacts {
  readonly use: LastUse | undefined;
  /** Since when was looked. */
  readonly since: string;
  /** When the key was made. */
  readonly created: string;
}

/** When a key was used last, in words, and exactly. Days are those of UTC. */
export function lastUseWords({ use, since, created }: UseFacts, now: number, zone: string) {
  if (use === undefined) {
    const isNew = Date.parse(created) >= Date.parse(since);
    return {
      text: isNew ? 'never' : 'not lately',
      exact: isNew ? 'Never' : `Not since ${moment(since, 'UTC')}`,
    };
  }
  const [from, to] = [Date.parse(use.from), Date.parse(use.to)];
  const isQuarter = to - from <= quarter;
  const shown = isQuarter ? zone : 'UTC';
  const exact = `Between ${moment(from, shown)} and ${moment(to, shown)}`;
  if (!isQuarter) return { text: day(from, 'UTC'), exact };
  return { text: withinWords(from, Math.min(to, now), now), exact };
}

const minute = 60_000;

/** How long ago something was that happened between two moments: never more exact than that. */
function withinWords(from: number, to: number, now: number): string {
  const [most, least] = [Math.max(1, Math.ceil((now - from) / minute)), Math.floor((now - to) / minute)];
  if (least < 1) return most === 1 ? 'in the last minute' : `in the last ${most} min`;
  if (least < 60) return `${least}–${most} min ago`;
  return `about ${ago((from + to) / 2, now)}`;
}

function moment(time: string | number, zone: string): string {
  return exactTime(time, zone).replace(/:00\.000/, '');
}
