import { percent } from '../../text/format.ts';

interface ChangeProps {
  /** A signed share; undefined where there is nothing to compare with. */
  readonly value: number | undefined;
  /** Whether more is bad news. */
  readonly more: 'bad' | 'neutral';
}

/** How a figure compares with the time before. */
export function Change({ value, more }: ChangeProps) {
  if (value === undefined) return null;
  if (Math.abs(value) < 0.005) return <span class="number">unchanged</span>;
  const isMore = value > 0;
  const tone = more === 'neutral' ? '' : isMore ? 'bad' : 'good';
  return (
    <span class={`number ${tone}`}>
      <span aria-hidden="true">{isMore ? '▲' : '▼'}</span>{' '}
      {value >= 9 ? `${value >= 99 ? 'over 100' : Math.round(value + 1)}×` : percent(Math.abs(value))}
      <span class="hidden">{isMore ? ' more' : ' less'} than before</span>
    </span>
  );
}
