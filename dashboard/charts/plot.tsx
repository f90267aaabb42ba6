import { scaleLinear, scaleLog } from 'd3-scale';
import { curveLinear, curveStep, line } from 'd3-shape';
import { margin, PlotArea, type PlotRoom } from './plot-area.tsx';
import { highest, lonelyPlaces, lowest, type PlotData, stackOf } from './plot-data.ts';
import { RateLine } from './rate-line.tsx';
import { StepAxis } from './step-axis.tsx';

interface PlotProps {
  readonly data: PlotData;
  readonly kind: 'bars' | 'lines';
  /** One sentence for those who do not see it. */
  readonly summary: string;
  /** Called with a step that was chosen. */
  readonly onSteps?: (first: number, last: number) => void;
}

type Scale = (value: number) => number;
/** Room for the axis of a share. */
const rateAxis = 40;

/** A chart over time. Arrow keys walk its steps, Enter chooses one; a pointer does the same. */
export function Plot({ data, kind, summary, onSteps }: PlotProps) {
  const rate = data.series.find(({ isRate }) => isRate);
  const top = data.most ?? highest(data.series, data.starts.length, kind === 'bars');
  return (
    <PlotArea
      data={data}
      summary={summary}
      onSteps={onSteps}
      right={rate && rateAxis}
      draw={(room) => {
        const scale = scaleOf(data, kind, top, room.height);
        return (
          <>
            <Axes data={data} ticks={scale.ticks} y={scale.y} room={room} />
            {kind === 'bars' ? (
              <Bars data={data} y={scale.y} band={room.band} />
            ) : (
              <Lines data={data} y={scale.y} band={room.band} />
            )}
            {rate && <RateLine rate={rate} room={room} />}
          </>
        );
      }}
    />
  );
}

/** Lines of values that differ tenfold or more are drawn on a logarithmic axis; bars always stand on zero. */
function scaleOf(data: PlotData, kind: 'bars' | 'lines', top: number, height: number) {
  const room: [number, number] = [height - margin.bottom, margin.top];
  const least = lowest(data.series);
  if (kind === 'lines' && data.isLevel === undefined && least !== undefined && top / least >= 10) {
    const log = scaleLog().domain([least, top]).range(room).nice();
    const ticks = log
      .ticks(4)
      .filter((value) => Number.isInteger(Math.log10(value)) || /^[25]/.test(value.toExponential()));
    return {
      y: (value: number) => log(value),
      ticks: ticks.length > 6 ? ticks.filter((_, index) => index % 2 === 0) : ticks,
    };
  }
  const linear = scaleLinear()
    .domain([0, top === 0 ? 1 : top])
    .range(room)
    .nice(4);
  return { y: (value: number) => linear(value), ticks: linear.ticks(4) };
}

interface AxesProps {
  readonly data: PlotData;
  readonly ticks: readonly number[];
  readonly y: Scale;
  readonly room: PlotRoom;
}

function Axes({ data, ticks, y, room: { width, height, right, band } }: AxesProps) {
  return (
    <>
      {ticks.map((tick) => (
        <g key={tick}>
          <line class="grid" x1={margin.left} x2={width - right} y1={y(tick)} y2={y(tick)} />
          <text x={margin.left - 8} y={y(tick)} dy="0.32em" text-anchor="end">
            {data.axis(tick)}
          </text>
        </g>
      ))}
      <StepAxis data={data} band={band} y={height - 6} />
    </>
  );
}

interface MarksProps {
  readonly data: PlotData;
  readonly y: Scale;
  readonly band: number;
}

function Bars({ data, y, band }: MarksProps) {
  const gap = Math.min(4, band * 0.22);
  const last = data.starts.length - 1;
  return (
    <>
      {data.starts.map((start, index) => (
        <g key={start}>
          {stackOf(data.series, index).map(({ tone, from, to }, place) => (
            <rect
              key={`${tone} ${place}`}
              class={`bar-mark s${tone}`}
              x={margin.left + index * band + gap / 2}
              width={Math.max(1, band - gap)}
              y={y(to)}
              height={Math.max(0.5, y(from) - y(to))}
            />
          ))}
          {index === last && data.isPartial && (
            <Hatch
              data={data}
              y={y}
              x={margin.left + index * band + gap / 2}
              width={Math.max(1, band - gap)}
            />
          )}
        </g>
      ))}
    </>
  );
}

/** Marks a step that is not over yet. */
function Hatch({
  data,
  y,
  x,
  width,
}: {
  readonly data: PlotData;
  readonly y: Scale;
  readonly x: number;
  readonly width: number;
}) {
  const top = stackOf(data.series, data.starts.length - 1).at(-1)?.to ?? 0;
  const lines = Math.ceil((y(0) - y(top)) / 10);
  return (
    <g class="hatch">
      {Array.from({ length: lines }, (_, index) => (
        <line
          key={index}
          x1={x}
          x2={x + width}
          y1={y(0) - index * 10}
          y2={Math.max(y(top), y(0) - index * 10 - 6)}
        />
      ))}
    </g>
  );
}

function Lines({ data, y, band }: MarksProps) {
  const x = (index: number) => margin.left + (index + 0.5) * band;
  return (
    <>
      {data.series.map(({ label, tone, values, isExpected, isStepped, isThin }) => {
        const path = line<number | undefined>()
          .defined((value) => value !== undefined)
          .x((_, index) => x(index))
          .y((value) => y(value ?? 0))
          .curve(isStepped ? curveStep : curveLinear)([...values]);
        return (
          <g key={label}>
            <path
              class={`line s${tone}${isExpected ? ' expected' : ''}${isThin ? ' thin' : ''}`}
              d={path ?? ''}
              style={{ fill: 'none' }}
            />
            {lonelyPlaces(values).map((index) => (
              <circle key={index} class={`s${tone}`} cx={x(index)} cy={y(values[index] ?? 0)} r={2.5} />
            ))}
          </g>
        );
      })}
    </>
  );
}
