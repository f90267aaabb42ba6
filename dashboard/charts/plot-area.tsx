import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
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
  /** Called with a step that was chosen. */
  readonly onStep: ((index: number) => void) | undefined;
  /** Room for a second axis; undefined without one. */
  readonly right?: number | undefined;
  readonly draw: (room: PlotRoom) => ComponentChildren;
}

export const margin = { top: 10, right: 4, bottom: 22, left: 48 };

/** The frame of a chart over time. Arrow keys walk its steps, Enter chooses one; a pointer does the same. */
export function PlotArea({ data, summary, onStep, right = margin.right, draw }: PlotAreaProps) {
  const { place, width, height } = useSize();
  const [at, setAt] = useState<number>();
  const steps = data.starts.length;
  const band = Math.max(10, width - margin.left - right) / Math.max(1, steps);
  const move = (event: PointerEvent) => {
    const box = place.current?.getBoundingClientRect();
    if (box === undefined) return;
    const index = Math.floor((event.clientX - box.left - margin.left) / band);
    setAt(index >= 0 && index < steps ? index : undefined);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (step !== 0) {
      event.preventDefault();
      setAt(Math.min(steps - 1, Math.max(0, (at ?? (step > 0 ? -1 : steps)) + step)));
    } else if (event.key === 'Enter' && at !== undefined) onStep?.(at);
  };
  return (
    <div
      ref={place}
      class="plot-area"
      role="group"
      aria-label={summary}
      tabIndex={0}
      onPointerMove={move}
      onPointerLeave={() => setAt(undefined)}
      onBlur={() => setAt(undefined)}
      onKeyDown={onKeyDown}
      onClick={() => at !== undefined && onStep?.(at)}
    >
      <svg class="plot" width={width} height={height} aria-hidden="true">
        {at !== undefined && (
          <rect
            class="pointer"
            x={margin.left + at * band}
            width={band}
            y={margin.top}
            height={height - margin.top - margin.bottom}
          />
        )}
        {draw({ width, height, left: margin.left, right, band, at })}
      </svg>
      {at !== undefined && <Tip data={data} at={at} left={margin.left + (at + 0.5) * band} width={width} />}
      <span class="hidden" aria-live="polite">
        {at === undefined ? '' : sentence(data, at)}
      </span>
    </div>
  );
}

/** The room that is there, which changes with the window. */
function useSize() {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 600, height: 220 });
  useEffect(() => {
    const node = place.current;
    if (node === null) return;
    const observer = new ResizeObserver(() =>
      setSize({ width: node.clientWidth, height: node.clientHeight }),
    );
    observer.observe(node);
    return () => observer.disconnect();
  }, []);
  return { place, ...size };
}
