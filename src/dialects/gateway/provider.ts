import type { Percentiles, ProviderPreferences } from '../../core/inference-request.ts';
import { quantizationNames } from '../../core/quantization-names.ts';
import { createChecker } from '../../schema/checker.ts';
import {
  byType,
  choice,
  flag,
  list,
  number,
  optional,
  type Static,
  Type,
  text,
} from '../../util/json-schema.ts';
import { maxPriceMembers, readMaxPrice } from './max-price.ts';
import { withoutNulls } from './without-nulls.ts';

const closed = { additionalProperties: false };
const slugs = optional(list(text({ minLength: 1 })));
const metric = choice('price', 'throughput', 'latency', 'exacto');
const cutoff = number({ minimum: 0 });

const SortSchema = Type.Object(
  { by: optional(metric), partition: optional(choice('model', 'none')) },
  closed,
);
const PercentilesSchema = Type.Object(
  { p50: optional(cutoff), p75: optional(cutoff), p90: optional(cutoff), p99: optional(cutoff) },
  closed,
);
const percentiles = optional(byType(cutoff, PercentilesSchema));

/** `provider`: how the caller wants the request routed (docs/spec/routing.md#preferences). */
export const ProviderSchema = Type.Object(
  {
    order: slugs,
    only: slugs,
    ignore: slugs,
    allow_fallbacks: optional(flag()),
    require_parameters: optional(flag()),
    data_collection: optional(choice('allow', 'deny')),
    zdr: optional(flag()),
    enforce_distillable_text: optional(flag()),
    quantizations: optional(list(choice(...quantizationNames))),
    sort: optional(byType(metric, SortSchema)),
    preferred_min_throughput: percentiles,
    preferred_max_latency: percentiles,
    max_price: optional(Type.Object(maxPriceMembers, closed)),
  },
  closed,
);

const checkProvider = createChecker(ProviderSchema);

/**
 * Reads `provider` and the deprecated `route`, which only names a partition of the sort; an explicit
 * partition wins and any other value of `route` is ignored (docs/spec/routing.md#preferences).
 * @throws HeadgateError `invalid_request`.
 */
export function readProvider(value: unknown, route: unknown): ProviderPreferences {
  const given = value === undefined || value === null ? {} : checkProvider(value, 'provider');
  const present = withoutNulls<Static<typeof ProviderSchema>>(given);
  return {
    order: filled(present.order),
    only: filled(present.only),
    ignore: filled(present.ignore),
    allowFallbacks: present.allow_fallbacks,
    requireParameters: present.require_parameters,
    dataCollection: present.data_collection,
    zdr: present.zdr,
    enforceDistillableText: present.enforce_distillable_text,
    quantizations: filled(present.quantizations),
    sort: readSort(present.sort, route),
    preferredMinThroughput: readPercentiles(present.preferred_min_throughput),
    preferredMaxLatency: readPercentiles(present.preferred_max_latency),
    maxPrice: readMaxPrice(present.max_price),
  };
}

/** An empty list asks for nothing (docs/spec/routing.md#preferences). */
function filled<Entry>(entries: readonly Entry[] | undefined): readonly Entry[] | undefined {
  return entries?.length === 0 ? undefined : entries;
}

type Sort = Static<typeof SortSchema>;

function readSort(value: Sort | Sort['by'], route: unknown): ProviderPreferences['sort'] {
  const { by, partition } = withoutNulls<Sort>(typeof value === 'string' ? { by: value } : (value ?? {}));
  const fallback = route === 'sort' ? 'none' : 'model';
  if (by === undefined && (partition ?? fallback) === 'model') return undefined;
  return { by, partition: partition ?? fallback };
}

function readPercentiles(
  value: number | Static<typeof PercentilesSchema> | undefined,
): Percentiles | undefined {
  if (typeof value === 'number') return { p50: value };
  const cutoffs = withoutNulls(value ?? {});
  return Object.keys(cutoffs).length === 0 ? undefined : cutoffs;
}
