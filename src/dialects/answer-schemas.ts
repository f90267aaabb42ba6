import { type Availability, type ErrorCode, type ErrorMetadata, errorTable } from '../core/errors.ts';
import {
  anyObject,
  flag,
  integer,
  list,
  named,
  number,
  orNull,
  type TSchema,
  Type,
  text,
  word,
} from '../util/json-schema.ts';
import { responseErrorCode } from './gateway/assembly/response-error-code.ts';

const rows = Object.keys(errorTable).map((code) => errorTable[code as ErrorCode]);
const maybe = Type.Optional;

const errorType = word([...new Set(rows.map(({ type }) => type))]);

/** Every type an error may have. */
export const ErrorType = named('ErrorType', errorType);

const availability: { readonly [Name in keyof Availability]-?: TSchema } = {
  code: text(),
  retryable: flag(),
  requested_models: list(text()),
  docs_url: text(),
  retry_after: maybe(number()),
  affected_providers: maybe(list(text())),
  excluded_by: maybe(list(text())),
  fallback_models: maybe(list(text())),
  constraint: maybe(Type.Object({ field: text(), detail: text() })),
  tokens: maybe(Type.Object({ input: integer(), output: integer(), available: integer() })),
};

const metadata: { readonly [Name in keyof ErrorMetadata]-?: TSchema } = {
  provider_code: maybe(text()),
  provider_name: maybe(text()),
  credential_label: maybe(text()),
  previous_errors: maybe(list(Type.Object({ provider: text(), code: text(), status: integer() }))),
  permission: maybe(text()),
  roles: maybe(list(text())),
  limit_source: maybe(text()),
  scope: maybe(text()),
  limit_usd: maybe(number()),
  spend_usd: maybe(number()),
  resets_at: maybe(orNull(text())),
  reason: maybe(text()),
  rate: maybe(
    Type.Object({
      metric: word(['requests', 'tokens', 'parallel']),
      limit: integer(),
      used: integer(),
      window_seconds: maybe(integer()),
    }),
  ),
  remedy_hint: maybe(text()),
  patterns: maybe(list(text())),
  file_annotations: maybe(list(anyObject())),
  reasons: maybe(list(text())),
  flagged_input: maybe(text()),
  model_slug: maybe(text()),
  availability: maybe(Type.Object(availability)),
  unsupported: maybe(list(text())),
};

/** What routing reports about a call that asked for it (docs/spec/answers.md#routing-metadata). */
export const ServiceMetadata = named(
  'ServiceMetadata',
  Type.Object({
    requested: text(),
    strategy: word([
      'direct',
      'alias',
      'latest',
      'fallback',
      'auto',
      'free',
      'pareto',
      'bodybuilder',
      'fusion',
    ]),
    region: orNull(text()),
    summary: text(),
    attempt: integer(),
    is_byok: flag(),
    endpoints: Type.Object({
      total: integer(),
      available: list(Type.Object({ provider: text(), model: text(), selected: flag() })),
    }),
    params: maybe(Type.Object({ version_group: maybe(text()), throughput_floor: maybe(number()) })),
    attempts: maybe(list(Type.Object({ provider: text(), model: text(), status: integer() }))),
    pipeline: maybe(
      list(
        Type.Object({
          type: text(),
          name: text(),
          summary: maybe(text()),
          data: maybe(anyObject()),
          cost_usd: maybe(orNull(number())),
          guardrail_id: maybe(text()),
          guardrail_scope: maybe(text()),
        }),
      ),
    ),
    generation_time: maybe(number()),
  }),
);

const token = { token: text(), logprob: number(), bytes: list(integer()) };

/** A token with its probability, and the likeliest others. */
export const TokenLogprob = named(
  'TokenLogprob',
  Type.Object({ ...token, top_logprobs: list(Type.Object(token)) }),
);

/** The body of every failure. */
export const ErrorAnswer = named(
  'Error',
  Type.Object({
    error: Type.Object({
      code: integer(),
      message: text(),
      metadata: Type.Object({ error_type: errorType, ...metadata }),
    }),
    service_metadata: maybe(ServiceMetadata),
    user_id: orNull(text()),
  }),
);

/** An error within an answer that began. */
export const ResponseError = named(
  'ResponseError',
  Type.Object({
    code: word([...new Set(rows.map(({ type }) => responseErrorCode(type)))]),
    message: text(),
    type: maybe(text()),
    // The status, which no word of the enumeration expresses.
    metadata: maybe(Type.Object({ code: maybe(integer()), ...metadata })),
  }),
);
