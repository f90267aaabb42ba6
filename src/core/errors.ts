import type { ErrorMetadata } from './error-metadata.ts';

export type { Availability, ErrorMetadata, PreviousError } from './error-metadata.ts';

/** The public error vocabulary (docs/spec/errors.md#types). */
export type ErrorType =
  | 'invalid_request'
  | 'context_length_exceeded'
  | 'invalid_prompt'
  | 'max_tokens_exceeded'
  | 'token_limit_exceeded'
  | 'string_too_long'
  | 'content_policy_violation'
  | 'refusal'
  | 'invalid_image'
  | 'image_too_large'
  | 'image_too_small'
  | 'unsupported_image_format'
  | 'image_download_failed'
  | 'precondition_failed'
  | 'authentication'
  | 'payment_required'
  | 'permission_denied'
  | 'not_found'
  | 'image_not_found'
  | 'payload_too_large'
  | 'unprocessable'
  | 'rate_limit_exceeded'
  | 'timeout'
  | 'provider_unavailable'
  | 'provider_overloaded'
  | 'server'
  | 'unmapped';

/**
 * What the attempt loop does after this error: try the next endpoint, the next model, or answer immediately.
 */
export type NextStep = 'endpoint' | 'model' | 'stop';

interface ErrorRow {
  readonly type: ErrorType;
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  readonly next: NextStep;
  /** When it happens, for the documentation; also the default public message. */
  readonly text: string;
}

/**
 * Every way in which a request can fail, in one table (docs/spec/errors.md, docs/spec/routing.md#outcomes).
 * `docs/errors.md` shows the same rows, which a test checks. Rows whose code begins with `upstream` or `provider` come
 * from an attempt; all others from the gateway itself.
 */
export const errorTable = {
  invalid_request: row('invalid_request', 400, false, 'stop', 'The request is malformed or out of bounds.'),
  invalid_image: row('invalid_image', 400, false, 'stop', 'A picture in the request cannot be decoded.'),
  unsupported_image_format: row(
    'unsupported_image_format',
    400,
    false,
    'stop',
    'A picture in the request is of a format that is not supported.',
  ),
  model_not_found: row('invalid_request', 400, false, 'stop', 'The model does not exist here.'),
  prompt_too_long: row('context_length_exceeded', 400, false, 'stop', 'The prompt does not fit the model.'),
  authentication: row('authentication', 401, false, 'stop', 'The API key is missing or not accepted.'),
  payment_required: row('payment_required', 402, false, 'stop', 'Credits or the key limit are used up.'),
  permission_denied: row('permission_denied', 403, false, 'stop', 'The key may not do this.'),
  budget_exceeded: row('permission_denied', 403, false, 'stop', 'A budget is used up.'),
  input_flagged: row('content_policy_violation', 403, false, 'stop', 'The input was flagged by moderation.'),
  guardrail_blocked: row(
    'content_policy_violation',
    403,
    false,
    'stop',
    'A guardrail does not let the input pass.',
  ),
  not_found: row('not_found', 404, false, 'stop', 'The resource does not exist.'),
  no_endpoints: row('not_found', 404, false, 'stop', 'No endpoint is configured for the model.'),
  method_not_allowed: row('invalid_request', 405, false, 'stop', 'The path does not take this method.'),
  deadline_exceeded: row('timeout', 408, true, 'stop', 'The request passed its total time limit.'),
  conflict: row('invalid_request', 409, false, 'stop', 'There are as many of these as there may be.'),
  payload_too_large: row('payload_too_large', 413, false, 'stop', 'The request body is too large.'),
  unprocessable: row('unprocessable', 422, false, 'stop', 'The request contradicts itself.'),
  platform_rate_limit: row('rate_limit_exceeded', 429, true, 'stop', 'A limit of this service was reached.'),
  server: row('server', 500, true, 'stop', 'Internal server error.'),
  constraint_filtered: row(
    'provider_unavailable',
    503,
    false,
    'stop',
    'The routing requirements leave no endpoint.',
  ),
  temporarily_unavailable: row(
    'provider_overloaded',
    503,
    true,
    'stop',
    'Every endpoint tried is temporarily down.',
  ),
  service_unavailable: row(
    'server',
    503,
    true,
    'stop',
    'This service is shutting down, holds as many requests as it can, or cannot reach its storage.',
  ),
  tool_server_failed: row('provider_unavailable', 502, true, 'stop', 'An MCP server listed no tools.'),
  answer_cut_off: row(
    'max_tokens_exceeded',
    503,
    true,
    'stop',
    'All running answers together take the memory there is for them; the longest ones are cut off.',
  ),
  upstream_invalid_request: row('invalid_request', 400, false, 'model', 'The provider refused the request.'),
  upstream_context_length: row(
    'context_length_exceeded',
    400,
    false,
    'endpoint',
    'The prompt does not fit the model at this provider.',
  ),
  upstream_seal: row(
    'invalid_request',
    400,
    false,
    'endpoint',
    'The provider could not read reasoning that was sealed for it.',
  ),
  upstream_policy: row(
    'content_policy_violation',
    400,
    false,
    'model',
    'The provider refused the content by its policy.',
  ),
  upstream_flagged: row(
    'content_policy_violation',
    403,
    false,
    'model',
    'The provider flagged the input before the model saw it.',
  ),
  upstream_region: row(
    'permission_denied',
    403,
    false,
    'endpoint',
    'The provider does not serve this region.',
  ),
  upstream_not_found: row('not_found', 404, false, 'endpoint', 'The provider does not know the model.'),
  upstream_too_large: row(
    'payload_too_large',
    413,
    false,
    'endpoint',
    'The provider found the request too large.',
  ),
  upstream_unprocessable: row('unprocessable', 422, false, 'model', 'The provider found a contradiction.'),
  upstream_rate_limit: row('rate_limit_exceeded', 429, true, 'endpoint', 'The provider limits the rate.'),
  upstream_credential: row(
    'provider_unavailable',
    502,
    false,
    'endpoint',
    'The provider did not accept the credential used for it.',
  ),
  provider_failed: row(
    'provider_unavailable',
    502,
    true,
    'endpoint',
    'The provider failed or sent an invalid answer.',
  ),
  provider_endless: row(
    'max_tokens_exceeded',
    502,
    false,
    'endpoint',
    'The provider sent more than `limits.answer_bytes` allows.',
  ),
  provider_timeout: row('timeout', 524, true, 'endpoint', 'The provider did not answer in time.'),
  provider_overloaded: row('provider_overloaded', 529, true, 'endpoint', 'The provider is overloaded.'),
} as const satisfies Record<string, ErrorRow>;

/** The name of a row of the error table. */
export type ErrorCode = keyof typeof errorTable;

/** Optional parts of an error besides its message. */
export interface ErrorDetails {
  readonly metadata?: ErrorMetadata;
  /** Seconds after which a retry may succeed. */
  readonly retryAfter?: number;
  /** Whether the same endpoint may answer if it is asked again within two seconds (docs/spec/routing.md#attempts). */
  readonly momentary?: boolean;
  /** For 401 to 5xx: extra response headers, such as the platform limits of a 429. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
}

/**
 * The one error class of the gateway. Its code names a row of the error table, which decides the status and the next
 * step of the attempt loop. Its message is public and must contain neither secrets nor prompts.
 */
export class HeadgateError extends Error {
  override readonly name = 'HeadgateError';
  readonly code: ErrorCode;
  readonly metadata: ErrorMetadata;
  readonly retryAfter: number | undefined;
  readonly momentary: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ErrorCode, message?: string, details: ErrorDetails = {}) {
    super(message ?? errorTable[code].text, { cause: details.cause });
    this.code = code;
    this.metadata = details.metadata ?? {};
    this.retryAfter = details.retryAfter;
    this.momentary = details.momentary === true;
    this.headers = details.headers ?? {};
  }

  get type(): ErrorType {
    return errorTable[this.code].type;
  }

  get status(): number {
    return errorTable[this.code].status;
  }

  get next(): NextStep {
    return errorTable[this.code].next;
  }
}

/** Turns any thrown value into a HeadgateError; an unknown one becomes a masked `server` error. */
export function toHeadgateError(thrown: unknown): HeadgateError {
  if (thrown instanceof HeadgateError) return thrown;
  return new HeadgateError('server', undefined, { cause: thrown });
}

/**
 * The message for clients. An internal error reveals nothing else; a known wait is written out because one client
 * reads it from the text (docs/spec/errors.md#known-waits).
 */
export function publicMessage(error: HeadgateError): string {
  if (error.code === 'server') return errorTable.server.text;
  if (error.retryAfter === undefined) return error.message;
  return `${error.message} Please try again in ${wholeWait(error.retryAfter)} s.`;
}

/** Seconds to wait in the form for clients: whole, and at least one. */
export function wholeWait(seconds: number): number {
  return Math.max(1, Math.ceil(seconds));
}

function row(type: ErrorType, status: number, retryable: boolean, next: NextStep, text: string): ErrorRow {
  return { type, status, retryable, next, text };
}
