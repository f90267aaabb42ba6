import { day, hourMinute, stepLabel } from '../text/time.ts';
import { margin } from './plot-area.tsx';
import { labelledSteps, type PlotData } from './plot-data.ts';

interface StepAxisProps {
  readonly data: PlotData;
  readonly band: number;
  readonly y: number;
}

/** Hours of more days than this are labelled by their days. */
const fewHours = 48;

/** When the steps of a chart begin. */
export function StepAxis({ data: { starts, bucket, zone }, band, y }: StepAxisProps) {
  const isByDay = bucket === '1h' && starts.length > fewHours;
  const places = isByDay
    ? starts.flatMap((start, index) => (hourMinute(start, zone) === '00:00' ? [index] : []))
    : starts.map((_, index) => index);
  const space = isByDay || bucket === '1d' ? 54 : 52;
  const labelled = labelledSteps(places.length, band * starts.length, space);
  return (
    <>
      {labelled.map((place) => {
        const index = places[place] ?? 0;
        const start = starts[index] ?? '';
        return (
          <text
            key={index}
            x={margin.left + (index + (isByDay ? 0 : 0.5)) * band}
            y={y}
            text-anchor={index === 0 && band < 40 ? 'start' : 'middle'}
          >
            {isByDay ? day(start, zone) : stepLabel(start, bucket, zone)}
          </text>
        );
      })}
    </>
  );
}
