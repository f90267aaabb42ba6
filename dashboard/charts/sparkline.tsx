import { line } from 'd3-shape';

const size = { width: 72, height: 26 };

/** How something went, without axes. */
export function Sparkline({ values }: { readonly values: readonly number[] }) {
  const top = Math.max(...values, 0);
  if (top === 0 || values.length < 2) return null;
  const path = line<number>()
    .x((_, index) => (index / (values.length - 1)) * size.width)
    .y((value) => size.height - 2 - (value / top) * (size.height - 4))([...values]);
  return (
    <svg
      class="spark"
      width={size.width}
      height={size.height}
      viewBox={`0 0 ${size.width} ${size.height}`}
      aria-hidden="true"
    >
      <path d={path ?? ''} />
    </svg>
  );
}
