import type { ComponentChildren } from 'preact';
import { zone } from '../../state/preferences.ts';
import type { Series, Sums } from '../../state/usage.ts';
import { change, percent } from '../../text/format.ts';
import { exactTime } from '../../text/time.ts';

interface ChangeProps {
  readonly now: Sums;
  /** Whether more is bad news. */
  readonly more: 'bad' | 'neutral';
  /** The time that it is compared with. */
  readonly before: Series['previous'];
  /** The figure that is compared. */
  readonly of: (sums: Sums) => number | bigint;
  /** How it is written. */
  readonly show: (sums: Sums) => ComponentChildren;
}

/** How a figure compares with the time before, and from what it changed. */
export function Change({ now, more, before, of, show }: ChangeProps) {
  if (!before) return null;
  const title = `Compared with ${moment(before.from)} to ${moment(before.to)}`;
  if (before.totals.requests === 0) return <span title={title}>no requests before to compare with</span>;
  const value = change(of(now), of(before.totals));
  const from = show(before.totals);
  if (value === undefined) return <span title={title}>{from} before</span>;
  if (Math.abs(value) < 0.005) return <span title={title}>unchanged</span>;
  const isMore = value > 0;
  const tone = more === 'neutral' ? '' : isMore ? 'bad' : 'good';
  return (
    <span title={title}>
      <span class={`number ${tone}`}>
        <span aria-hidden="true">{isMore ? '▲' : '▼'}</span>{' '}
        {value >= 9 ? `${value >= 99 ? 'over 100' : Math.round(value + 1)}×` : percent(Math.abs(value))}
        <span class="hidden">{isMore ? ' more' : ' less'}</span>
      </span>{' '}
      from {from}
    </span>
  );
}

function moment(time: string): string {
  return exactTime(time, zone()).replace(/:00\.000/, '');
}
