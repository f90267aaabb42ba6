import { percent } from '../text/format.ts';
import { type HeatData, heatLevel, heatLevels, timeBound } from './heat-data.ts';
import { margin, PlotArea, type PlotRoom } from './plot-area.tsx';
import { StepAxis } from './step-axis.tsx';

interface HeatMapProps {
  readonly data: HeatData;
  readonly summary: string;
  readonly onSteps: (first: number, last: number) => void;
}

/** Steps by classes of time; the stronger a colour, the more of the answers of its step took that long. */
export function HeatMap({ data, summary, onSteps }: HeatMapProps) {
  return (
    <>
      <PlotArea
        data={data}
        summary={summary}
        onSteps={onSteps}
        draw={(room) => (
          <>
            <ClassAxis bounds={data.bounds} room={room} />
            <StepAxis data={data} band={room.band} y={room.height - 6} />
            <Cells data={data} room={room} />
          </>
        )}
      />
      <Levels />
    </>
  );
}

interface PartProps {
  readonly data: HeatData;
  readonly room: PlotRoom;
}

/** The cells of one colour are one path, so that there are few nodes. */
function Cells({ data: { series }, room: { height, band, at } }: PartProps) {
  const row = rowHeight(series.length, height);
  const gap = band > 6 ? 1 : 0;
  const paths = heatLevels.map((_, level) =>
    series
      .flatMap(({ values }, place) =>
        values.map((value, index) => {
          if (heatLevel(value) !== level + 1) return '';
          const [x, y] = [margin.left + index * band, height - margin.bottom - (place + 1) * row];
          return `M${round(x)} ${round(y)}h${round(band - gap)}v${round(row - 1)}h${round(gap - band)}z`;
        }),
      )
      .join(''),
  );
  return (
    <>
      {paths.map((path, level) => path !== '' && <path key={level} class={`heat-${level + 1}`} d={path} />)}
      {at !== undefined && (
        <rect
          class="heat-at"
          x={margin.left + at * band - 1}
          width={band + 1}
          y={margin.top}
          height={height - margin.top - margin.bottom}
        />
      )}
    </>
  );
}

/** Where classes begin and end, as many as there is room for. */
function ClassAxis({ bounds, room }: { readonly bounds: readonly number[]; readonly room: PlotRoom }) {
  const { width, height, right } = room;
  const row = rowHeight(bounds.length - 1, height);
  const every = Math.max(1, Math.ceil(22 / row));
  return (
    <>
      {bounds.map((bound, index) => {
        const y = height - margin.bottom - index * row;
        return index % every === 0 ? (
          <g key={bound}>
            <line class="grid" x1={margin.left - 4} x2={width - right} y1={y} y2={y} />
            <text x={margin.left - 8} y={y} dy="0.32em" text-anchor="end">
              {timeBound(bound)}
            </text>
          </g>
        ) : null;
      })}
    </>
  );
}

/** What the colours mean. */
function Levels() {
  return (
    <ul class="legend">
      <li class="muted">Part of the answers of a step:</li>
      {heatLevels.map((from, level) => (
        <li key={from}>
          <span class={`swatch heat-${level + 1}`} />
          {level === 0 ? `below ${percent(heatLevels[1])}` : `from ${percent(from)}`}
        </li>
      ))}
    </ul>
  );
}

function rowHeight(rows: number, height: number): number {
  return (height - margin.top - margin.bottom) / rows;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
