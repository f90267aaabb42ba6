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
import { withoutNulls } from './without-nulls.ts';

const amount = Type.Unsafe<string | number>({
  type: ['number', 'string'],
  minimum: 0,
  pattern: '^[0-9]{1,30}([.][0-9]{1,30})?$',
  description: 'a number or a decimal such as "0.25"',
});

/** The members of `provider.max_price`: numbers or decimal strings in USD (docs/spec/routing.md#preferences). */
const maxPriceMembers = {
  prompt: optional(amount),
  completion: optional(amount),
  request: optional(amount),
  image: optional(amount),
  audio: optional(amount),
};

// Prices are integers of 1e-12 USD per unit, so a limit's further digits cannot decide anything.
const perMillionDigits = 6;
const perUnitDigits = 12;

type Amount = string | number | null | undefined;

interface GivenLimits {
  readonly prompt?: Amount;
  readonly completion?: Amount;
  readonly request?: Amount;
  readonly image?: Amount;
  readonly audio?: Amount;
}

/** Reads `max_price` as plain decimal text, cut where prices have no digits any more. */
function readMaxPrice(limits: GivenLimits | undefined): ProviderPreferences['maxPrice'] {
  if (limits === undefined) return undefined;
  const read = {
    prompt: plainDecimal(limits.prompt, perMillionDigits),
    completion: plainDecimal(limits.completion, perMillionDigits),
    request: plainDecimal(limits.request, perUnitDigits),
    image: plainDecimal(limits.image, perUnitDigits),
    audio: plainDecimal(limits.audio, perUnitDigits),
  };
  return Object.values(read).some((limit) => limit !== undefined) ? read : undefined;
}

function plainDecimal(value: Amount, digits: number): string | undefined {
  if (value === undefined || value === null) return undefined;
  const decimal = typeof value === 'string' ? value : withoutExponent(value);
  const [whole = '0', fraction = ''] = decimal.split('.');
  const kept = fraction.slice(0, digits).replace(/0+$/, '');
  return kept === '' ? whole : `${whole}.${kept}`;
}

function withoutExponent(value: number): string {
  if (value >= 1e21) return BigInt(value).toString();
  return value < 1e-6 ? value.toFixed(20) : String(value);
}

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
