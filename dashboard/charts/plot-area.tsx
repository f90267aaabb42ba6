import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { PlotData } from './plot-data.ts';
import { sentence, Tip } from './tip.tsx';

/** Where steps lie within a plot. Lengths are pixels. */
export interface PlotRoom {
  readonly width: number;
  readonly height: number;
  /** From the left edge to the first step. */
  readonly left: number;
  /** From the last step to the right edge. */
  readonly right: number;
  /** How wide a step is. */
  readonly band: number;
  /** The step that is read now. */
  readonly at: number | undefined;
}

interface PlotAreaProps {
  readonly data: PlotData;
  /** One sentence for those who do not see it. */
  readonly summary: string;
  /** Called with the first and the last of the steps that were chosen. */
  readonly onSteps: ((first: number, last: number) => void) | undefined;
  /** Room for a second axis; undefined without one. */
  readonly right?: number | undefined;
  readonly draw: (room: PlotRoom) => ComponentChildren;
}

export const margin = { top: 10, right: 4, bottom: 22, left: 48 };

/**
 * The frame of a chart over time. Arrow keys walk its steps, with Shift over several; Enter chooses them. A pointer does the
 * same, and chooses several by dragging.
 */
export function PlotArea({ data, summary, onSteps, right = margin.right, draw }: PlotAreaProps) {
  const { place, width, height } = useSize();
  const [at, setAt] = useState<number>();
  /** Where a choice of several steps began. */
  const [start, setStart] = useState<number>();
  const steps = data.starts.length;
  const band = Math.max(10, width - margin.left - right) / Math.max(1, steps);
  const stepUnder = ({ clientX }: PointerEvent) => {
    const left = place.current?.getBoundingClientRect().left ?? 0;
    const index = Math.floor((clientX - left - margin.left) / band);
    return index >= 0 && index < steps ? index : undefined;
  };
  const leave = () => {
    setAt(undefined);
    setStart(undefined);
  };
  const chosen =
    at === undefined ? undefined : ([Math.min(at, start ?? at), Math.max(at, start ?? at)] as const);
  const choose = () => {
    setStart(undefined);
    if (chosen !== undefined) onSteps?.(...chosen);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setStart(event.shiftKey && onSteps !== undefined ? (start ?? at) : undefined);
      setAt(Math.min(steps - 1, Math.max(0, (at ?? (step > 0 ? -1 : steps)) + step)));
    } else if (event.key === 'Enter') choose();
  };
  return (
    <div
      ref={place}
      class="plot-area"
      role="group"
      aria-label={summary}
      tabIndex={0}
      onPointerMove={(event) => setAt(stepUnder(event))}
      onPointerDown={(event) => {
        setAt(stepUnder(event));
        // A finger that moves scrolls the page.
        if (onSteps !== undefined && event.pointerType === 'mouse') setStart(stepUnder(event));
      }}
      onPointerLeave={leave}
      onBlur={leave}
      onKeyDown={onKeyDown}
      onClick={choose}
    >
      <svg class="plot" width={width} height={height} aria-hidden="true">
        {chosen !== undefined && (
          <rect
            class="pointer"
            x={margin.left + chosen[0] * band}
            width={band * (chosen[1] - chosen[0] + 1)}
            y={margin.top}
            height={height - margin.top - margin.bottom}
          />
        )}
        {draw({ width, height, left: margin.left, right, band, at })}
      </svg>
      {at !== undefined && <Tip data={data} at={at} left={margin.left + (at + 0.5) * band} width={width} />}
      <span class="hidden" aria-live="polite">
        {at === undefined ? '' : sentence(data, at)}
        {chosen !== undefined && chosen[1] > chosen[0] && ` ${chosen[1] - chosen[0] + 1} steps are chosen.`}
      </span>
    </div>
  );
}

/** The room that is there, which changes with the window. */
function useSize() {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 600, height: 220 });
  // Before anything is painted: a chart of the first guess would push a narrow page wide for a moment.
  useLayoutEffect(() => {
    const node = place.current;
    if (node === null) return;
    const measure = () => setSize({ width: node.clientWidth, height: node.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return { place, ...size };
}
