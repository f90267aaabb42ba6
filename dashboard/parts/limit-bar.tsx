import { percent } from '../text/format.ts';

/** How much of a limit is used. */
export function LimitBar({ used, label }: { readonly used: number; readonly label: string }) {
  const part = Math.min(1, Math.max(0, used));
  const tone = part >= 1 ? 'bad' : part >= 0.8 ? 'warn' : '';
  return (
    <div
      class="bar-track"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      title={`${percent(part)} used`}
    >
      <span class={`bar-fill ${tone}`} style={{ inlineSize: `${part * 100}%` }} />
    </div>
  );
}
