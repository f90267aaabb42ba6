import { day, stepLabel } from '../text/time.ts';
import { margin } from './plot-area.tsx';
import { labelledSteps, type PlotData } from './plot-data.ts';

interface StepAxisProps {
  readonly data: PlotData;
  readonly band: number;
  readonly y: number;
}

/** Steps of more hours than this are labelled by their days. Milliseconds. */
const fewHours = 48 * 3_600_000;

/** When the steps of a chart begin. */
export function StepAxis({ data: { starts, bucket, zone }, band, y }: StepAxisProps) {
  const isByDay = bucket === '1h' && Date.parse(starts.at(-1) ?? '') - Date.parse(starts[0] ?? '') > fewHours;
  const days = isByDay ? starts.map((start) => day(start, zone)) : [];
  const places = starts.flatMap((_, index) =>
    isByDay && (index === 0 || days[index] === days[index - 1]) ? [] : [index],
  );
  const space = isByDay || bucket === '1d' ? 54 : 52;
  const labelled = labelledSteps(places.length, band * starts.length, space);
  const place = (index: number) => margin.left + (index + (isByDay ? 0 : 0.5)) * band;
  const edge = margin.left + band * starts.length + margin.right;
  return (
    <>
      {labelled.map((at) => {
        const index = places[at] ?? 0;
        // The last one would be cut where its step is narrow.
        if (index > 0 && place(index) + space / 2 - 6 > edge) return null;
        return (
          <text key={index} x={place(index)} y={y} text-anchor="middle">
            {days[index] ?? stepLabel(starts[index] ?? '', bucket, zone)}
          </text>
        );
      })}
    </>
  );
}
