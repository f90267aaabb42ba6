import { orderReasons } from '../../core/order-reason.ts';
import { type Verdict, verdicts } from '../../ports/feedback.ts';
import {
  anyObject,
  flag,
  integer,
  list,
  named,
  nullOr,
  number,
  orNull,
  Type,
  text,
  word,
} from '../../util/json-schema.ts';
import { nano } from '../parts.ts';
import { GenerationSchema } from '../reports/show.ts';

const percentiles = orNull(Type.Object({ p50: integer(), p95: integer() }));

const sums = named(
  'UsageTotals',
  Type.Object({
    requests: integer(),
    failed: integer(),
    cancelled: integer(),
    fallbacks: integer(),
    streamed: integer(),
    own_credential: integer(),
    unpriced: integer(),
    estimated: integer(),
    input_tokens: integer(),
    cached_tokens: integer(),
    output_tokens: integer(),
    reasoning_tokens: integer(),
    cost_nano: nano,
    list_cost_nano: nano,
    byok_cost_nano: nano,
  }),
);

const hits = Type.Object({ hits: integer(), saved_nano: nano });

const times = Type.Object({
  n: integer({ description: 'Calls in the sample' }),
  first_token_ms: percentiles,
  total_ms: percentiles,
  tokens_per_second: percentiles,
});

const classes = Type.Object(
  {
    bounds_ms: list(number(), {
      description: 'Where each class begins, ascending, and where the last one ends',
    }),
    counts: list(list(integer()), { description: 'For each step, one count a class' }),
  },
  { description: 'How many total times of the sample lie in which class; null unless `times=classes` asks' },
);

const group = named(
  'UsageGroup',
  Type.Object({
    value: orNull(text({ description: 'Null for all other groups together' })),
    label: text(),
    totals: sums,
    series: list(sums),
  }),
);

/** Usage over time. */
export const UsageSeries = named(
  'UsageSeries',
  Type.Object({
    data: Type.Object({
      from: text(),
      to: text(),
      bucket: text(),
      tz: text(),
      as_of: text(),
      last_is_partial: flag(),
      starts: list(text()),
      total: group,
      groups: list(group),
      others: integer({ description: 'Groups that the one without a value stands for' }),
      times: orNull(Type.Object({ total: times, series: list(times), classes: orNull(classes) })),
      cached_answers: orNull(
        Type.Object(
          { total: hits, series: list(hits) },
          { description: 'Answers given from the cache; null where a filter is about calls alone' },
        ),
      ),
      previous: orNull(Type.Object({ from: text(), to: text(), totals: sums })),
    }),
  }),
);

/** What a filter can be set to. */
export const UsageValues = named(
  'UsageValues',
  Type.Object({
    data: list(Type.Object({ value: text(), label: text(), requests: integer(), cost_nano: nano })),
  }),
);

/** One row of the list of calls. */
export const CallRow = named(
  'Call',
  Type.Object({
    id: text(),
    request_id: text(),
    created_at: text(),
    settled_at: text(),
    outcome: text({ enum: ['ok', 'failed', 'cancelled', 'refused'] }),
    error_type: orNull(text()),
    status: orNull(integer({ description: 'Of the last attempt' })),
    requested_model: text(),
    model: orNull(text()),
    provider: orNull(text()),
    provider_name: orNull(text()),
    endpoint: orNull(text()),
    attempts: integer(),
    key_hash: text(),
    key_label: text(),
    workspace_id: orNull(text()),
    router: orNull(text({ description: 'The router that chose the model' })),
    preset: orNull(text({ description: 'The slug of the preset that the request named' })),
    session_id: orNull(text()),
    user: orNull(text()),
    rating: Type.Unsafe<Verdict | null>(
      nullOr(word([...verdicts], { description: 'What was said of it last' })),
    ),
    streamed: flag(),
    own_credential: flag(),
    input_tokens: orNull(integer()),
    cached_tokens: orNull(integer()),
    output_tokens: orNull(integer()),
    reasoning_tokens: orNull(integer()),
    first_token_ms: orNull(number()),
    total_ms: number(),
    unpriced: flag(),
    estimated: flag(),
    cost_nano: nano,
    list_cost_nano: nano,
  }),
);

/** A part of the list of calls. */
export const CallList = named(
  'CallList',
  Type.Object({
    data: list(CallRow),
    next: orNull(text({ description: 'The cursor of the next part' })),
    searched_to: text(),
    complete: flag({ description: 'Whether the range was searched to its end' }),
  }),
);

const CostLineSchema = Type.Object({
  item: text(),
  count: integer(),
  unit_price_pico: text({ description: 'pico-USD for one' }),
  amount_pico: text({ description: 'pico-USD, exact' }),
});

const keptEndpoint = { model: text(), provider: text(), provider_name: text(), endpoint: text() };

const KeptPlanSchema = Type.Object({
  targets: list(
    Type.Object({
      ...keptEndpoint,
      tier: text(),
      credential: text({ enum: ['own', 'shared', 'own_fallback'] }),
      prompt: orNull(text({ description: 'USD for a token' })),
      completion: orNull(text({ description: 'USD for a token' })),
      because: orNull(text({ enum: [...orderReasons], description: 'Null where it was not kept' })),
    }),
  ),
  excluded: list(Type.Object({ ...keptEndpoint, reason: text() })),
  further: integer({ description: 'Endpoints that are not listed' }),
});

/** When keys were last used: between two moments. Keys that are left out were not used since. */
export const LastUses = named(
  'LastUses',
  Type.Object({
    data: list(
      Type.Object({
        key: text({ description: 'Its hash' }),
        from: text({ description: 'A quarter of an hour since yesterday in UTC, before that a UTC day' }),
        to: text(),
      }),
    ),
    since: text(),
  }),
);

/** All that is known of one call; never what was said. */
export const CallDetail = named(
  'CallDetail',
  Type.Object({
    data: Type.Object({
      row: CallRow,
      record: GenerationSchema,
      attempts: list(
        Type.Object({
          provider: text(),
          provider_name: text(),
          model: text(),
          endpoint: text(),
          status: integer(),
          own_credential: flag(),
          latency_ms: number(),
          error: orNull(text({ description: 'The row of the error table' })),
          error_text: orNull(text()),
          error_code: orNull(text({ description: "The provider's own" })),
        }),
      ),
      cost: Type.Object({
        lines: orNull(list(CostLineSchema)),
        list_cost_nano: nano,
        charged_nano: nano,
        cache_discount_nano: orNull(nano),
        insured: flag(),
      }),
      related: list(CallRow),
      error_text: orNull(text()),
      replay: orNull(anyObject()),
      plan: orNull(KeptPlanSchema),
    }),
  }),
);
