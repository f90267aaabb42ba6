import { scaleLinear } from 'd3-scale';
import { line } from 'd3-shape';
import { percent } from '../text/format.ts';
import { margin, type PlotRoom } from './plot-area.tsx';
import { lonelyPlaces, type PlotSeries } from './plot-data.ts';

/** A share over bars, with an axis of its own at the right. */
export function RateLine({ rate, room }: { readonly rate: PlotSeries; readonly room: PlotRoom }) {
  const { width, height, right, band } = room;
  const most = Math.max(...rate.values.map((value) => value ?? 0));
  const y = scaleLinear()
    .domain([0, most === 0 ? 1 : most])
    .range([height - margin.bottom, margin.top])
    .nice(4);
  const x = (index: number) => margin.left + (index + 0.5) * band;
  const path = line<number | undefined>()
    .defined((value) => value !== undefined)
    .x((_, index) => x(index))
    .y((value) => y(value ?? 0))([...rate.values]);
  return (
    <>
      {y.ticks(4).map((tick) => (
        <text key={tick} x={width - right + 8} y={y(tick)} dy="0.32em">
          {percent(tick)}
        </text>
      ))}
      <path class="rate under" d={path ?? ''} />
      <path class="rate" d={path ?? ''} />
      {lonelyPlaces(rate.values).map((index) => (
        <circle key={index} class="rate-dot" cx={x(index)} cy={y(rate.values[index] ?? 0)} r={2} />
      ))}
    </>
  );
}
