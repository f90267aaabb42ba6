import { exactTime } from '../text/time.ts';
import { type PlotData, type PlotSeries, shownAt } from './plot-data.ts';

/** The colour of a group, and whether it is a line of its own kind. */
export function Swatch({ of, at }: { readonly of: PlotSeries; readonly at?: number }) {
  const { tone, isExpected, isRate, isThin, level } = of;
  if (level !== undefined && at !== undefined) return <span class={`swatch heat-${level(at)}`} />;
  return (
    <span
      class={`swatch s${tone}${isExpected ? ' expected' : ''}${isRate ? ' rate' : ''}${isThin ? ' thin' : ''}`}
    />
  );
}

/** What a step of a chart holds, beside it. */
export function Tip({
  data,
  at,
  left,
  width,
}: {
  readonly data: PlotData;
  readonly at: number;
  readonly left: number;
  readonly width: number;
}) {
  const isRight = left > width / 2;
  const shown = shownAt(data, at);
  return (
    <div
      class="tip"
      style={
        isRight
          ? { insetInlineEnd: `${width - left + 12}px`, insetBlockStart: '8px' }
          : { insetInlineStart: `${left + 12}px`, insetBlockStart: '8px' }
      }
    >
      <strong>{exactTime(data.starts[at] ?? '', data.zone).replace(/:00\.000/, '')}</strong>
      <table>
        <tbody>
          {shown.toReversed().map((group) => (
            <tr key={group.label}>
              <td class="cut">
                <Swatch of={group} at={at} /> {group.label}
              </td>
              <td>{group.text(at)}</td>
            </tr>
          ))}
          {data.total !== undefined && (
            <tr>
              <td>
                <strong>All</strong>
              </td>
              <td>
                <strong>{data.total(at)}</strong>
              </td>
            </tr>
          )}
        </tbody>
      </table>
      {shown.length === 0 && data.total === undefined && <span class="muted">No data</span>}
    </div>
  );
}

/** The same in words. */
export function sentence(data: PlotData, at: number): string {
  const { starts, zone, total } = data;
  const parts = shownAt(data, at).map(({ label, text }) => `${label} ${text(at)}`);
  const all = total === undefined ? [] : [`all ${total(at)}`];
  return `${exactTime(starts[at] ?? '', zone)}: ${[...parts, ...all].join(', ')}`;
}
