import { type ErrorCode, type HeadgateError, publicMessage, wholeWait } from '../core/errors.ts';
import type { PublicError } from '../dialects/public-dialect.ts';
import type { JsonObject } from '../util/json.ts';

/** An error as HTTP carries it. */
export interface Problem {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

const withoutMetadata: ReadonlySet<number> = new Set([401, 402, 500]);
/** Of statuses that providers give as well: what the gateway says by itself, before it routes. */
const beforeRouting: ReadonlySet<ErrorCode> = new Set([
  'payload_too_large',
  'unprocessable',
  'platform_rate_limit',
]);

/** Makes the JSON body of an error. */
export type DescribeError = (error: PublicError) => JsonObject;

/**
 * The public form of an error (docs/spec/errors.md#body). A 500 shows nothing but that it is one.
 * @param serviceMetadata What is known of the routing; shown only where it helps.
 * @param userId The account of the caller once it is known.
 * @param describe Makes the body, in another public dialect than the usual one.
 * @param requestId The request's id, for dialects whose bodies name it.
 */
export function toProblem(
  error: HeadgateError,
  serviceMetadata?: JsonObject,
  userId?: string,
  describe: DescribeError = describeError,
  requestId?: string,
): Problem {
  const { code, status, type, retryAfter } = error;
  const headers: Record<string, string> = { ...error.headers };
  if (retryAfter !== undefined) headers['retry-after'] = String(wholeWait(retryAfter));
  if (status === 401) headers['www-authenticate'] = 'Bearer';
  const isShown = !withoutMetadata.has(status) && !beforeRouting.has(code);
  const body = describe({
    status,
    type,
    message: publicMessage(error),
    metadata: status === 500 ? {} : error.metadata,
    serviceMetadata: isShown ? serviceMetadata : undefined,
    userId,
    requestId,
  });
  return { status, headers, body };
}

function describeError({
  status,
  type,
  message,
  metadata,
  serviceMetadata,
  userId,
}: PublicError): JsonObject {
  return {
    error: { code: status, message, metadata: { error_type: type, ...metadata } },
    ...(serviceMetadata === undefined ? {} : { service_metadata: serviceMetadata }),
    user_id: userId ?? null,
  };
}
