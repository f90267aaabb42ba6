import { type Availability, type ErrorCode, type ErrorMetadata, errorTable } from '../../core/errors.ts';
import { responseErrorCode } from '../../dialects/responses/answer/response-error-code.ts';
import type { JsonObject } from '../../util/json.ts';
import { flag, integer, listOf, nullable, object, ref, string, words } from './schema-parts.ts';

const rows = Object.keys(errorTable).map((code) => errorTable[code as ErrorCode]);
/** Every type an error may have. */
const errorType = words(...new Set(rows.map(({ type }) => type)));

const availability: { readonly [Name in keyof Availability]-?: JsonObject } = {
  code: string,
  retryable: flag,
  requested_models: listOf(string),
  docs_url: string,
  retry_after: { type: 'number' },
  affected_providers: listOf(string),
  excluded_by: listOf(string),
  fallback_models: listOf(string),
  constraint: object({ field: string, detail: string }),
};

const metadata: { readonly [Name in keyof ErrorMetadata]-?: JsonObject } = {
  provider_code: string,
  provider_name: string,
  credential_label: string,
  previous_errors: listOf(object({ provider: string, code: string, status: integer })),
  limit_source: string,
  reason: string,
  remedy_hint: string,
  availability: object(availability, ['code', 'retryable', 'requested_models', 'docs_url']),
};

/** What routing tells of a call that asked for it (responses.md 7.4). */
const serviceMetadata = object({
  requested: string,
  strategy: words('direct', 'alias', 'latest', 'fallback'),
  region: nullable('string'),
  summary: string,
  attempt: integer,
  is_byok: flag,
  endpoints: object({
    total: integer,
    available: listOf(object({ provider: string, model: string, selected: flag })),
  }),
  'params?': object({ 'version_group?': string, 'throughput_floor?': { type: 'number' } }),
  'attempts?': listOf(object({ provider: string, model: string, status: integer })),
  'pipeline?': listOf(
    object({
      type: string,
      name: string,
      'summary?': string,
      'data?': { type: 'object' },
      'cost_usd?': nullable('number'),
      'guardrail_id?': string,
      'guardrail_scope?': string,
    }),
  ),
  'generation_time?': { type: 'number' },
});

/** What failures and routing say, by name. */
export const errorSchemas: Readonly<Record<string, JsonObject>> = {
  Error: object({
    error: object({
      code: integer,
      message: string,
      metadata: object({ error_type: errorType, ...metadata }, ['error_type']),
    }),
    'service_metadata?': ref('ServiceMetadata'),
    user_id: nullable('string'),
  }),
  ResponseError: object({
    code: words(...new Set(rows.map(({ type }) => responseErrorCode(type)))),
    message: string,
    'type?': string,
    // The status, which no word of the enumeration tells.
    'metadata?': object({ code: integer, ...metadata }, []),
  }),
  ErrorType: errorType,
  ServiceMetadata: serviceMetadata,
};
