import { percent, plain } from '../../text/format.ts';

interface Placed {
  readonly model: string;
  /** The place of its cost, from the cheapest (0) to the most expensive (100) model. */
  readonly percentile: number;
  readonly share: number | undefined;
}

const axis = [0, 20, 40, 60, 80, 100] as const;

/** Where the models that a router would choose stand by their cost, and up to where the request lets it go. */
export function RouterBand({ data }: { readonly data: Readonly<Record<string, unknown>> }) {
  const placed = candidatesOf(data.candidates);
  const ceiling = data.cost_ceiling_percentile;
  if (placed.length === 0) return null;
  return (
    <figure class="router-band">
      <svg height="44" width="100%" aria-hidden="true">
        {typeof ceiling === 'number' && (
          <rect class="allowed" x="0" y="4" width={`${ceiling}%`} height="20" rx="4" />
        )}
        <line class="axis" x1="0" x2="100%" y1="14" y2="14" />
        {axis.map((place) => (
          <text key={place} x={`${place}%`} y="40" text-anchor="middle">
            {place}
          </text>
        ))}
        {placed.map(({ model, percentile }, index) => (
          <circle
            key={model}
            class={index === 0 ? 'first' : ''}
            cx={`${percentile}%`}
            cy="14"
            r={index === 0 ? 6 : 5}
          />
        ))}
      </svg>
      <figcaption class="hint">
        Candidates by what an answer costs, from the cheapest (0) to the most expensive model (100)
        {typeof ceiling === 'number' && `; models up to ${ceiling} may be chosen`}.
      </figcaption>
      <ol class="candidate-places">
        {placed.map(({ model, percentile, share }) => (
          <li key={model}>
            {plain(model)}: cost percentile {Math.round(percentile)}
            {share !== undefined && `, ${percent(share)} of the spend`}
          </li>
        ))}
      </ol>
    </figure>
  );
}

/** The candidates of a plan that have a place. */
function candidatesOf(value: unknown): readonly Placed[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one: Readonly<Record<string, unknown>>) => {
    const { model, cost_percentile: percentile, spend_share: share } = one;
    if (typeof model !== 'string' || typeof percentile !== 'number') return [];
    return [{ model, percentile, share: typeof share === 'number' ? share : undefined }];
  });
}
