import { scaleLinear, scaleLog } from 'd3-scale';
import { area, curveLinear, curveStep, line } from 'd3-shape';
import { margin, PlotArea, type PlotRoom } from './plot-area.tsx';
import { highest, lonelyPlaces, lowest, type PlotData, stackOf } from './plot-data.ts';
import { RateLine } from './rate-line.tsx';
import { StepAxis } from './step-axis.tsx';

interface PlotProps {
  readonly data: PlotData;
  readonly kind: 'bars' | 'lines' | 'areas';
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
  const top = data.most ?? highest(data.series, data.starts.length, kind !== 'lines');
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
            ) : kind === 'areas' ? (
              <Areas data={data} y={scale.y} band={room.band} />
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

/** Lines of values that differ tenfold or more are drawn on a logarithmic axis; bars and areas always stand on zero. */
function scaleOf(data: PlotData, kind: PlotProps['kind'], top: number, height: number) {
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
  // Where things are counted there is no half.
  const isWhole = data.series.every(
    ({ values, isRate }) => isRate || values.every((value) => value === undefined || Number.isInteger(value)),
  );
  const ticks = linear.ticks(4).filter((tick) => !isWhole || Number.isInteger(tick));
  return { y: (value: number) => linear(value), ticks };
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
              class={`bar-mark s${tone}${index === last && data.isPartial ? ' partial' : ''}`}
              x={margin.left + index * band + gap / 2}
              width={Math.max(1, band - gap)}
              y={y(to)}
              height={Math.max(0.5, y(from) - y(to))}
            />
          ))}
        </g>
      ))}
    </>
  );
}

/** Groups on top of each other over time; the top edge is their sum. */
function Areas({ data, y, band }: MarksProps) {
  const x = (index: number) => margin.left + (index + 0.5) * band;
  const counted = data.series.filter(({ isRate }) => !isRate);
  const below = data.starts.map(() => 0);
  return (
    <>
      {counted.map(({ label, tone, values }) => {
        const layer = data.starts.map((_, index) => {
          const from = below[index] ?? 0;
          below[index] = from + (values[index] ?? 0);
          return [from, below[index] ?? 0] as const;
        });
        const path = area<readonly [number, number]>()
          .x((_, index) => x(index))
          .y0(([from]) => y(from))
          .y1(([, to]) => y(to))([...layer]);
        return <path key={label} class={`area s${tone}`} d={path ?? ''} />;
      })}
    </>
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
