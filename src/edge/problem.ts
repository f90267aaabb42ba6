import { type ErrorCode, type HeadgateError, publicMessage, wholeWait } from '../core/errors.ts';
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

/**
 * The public form of an error (responses.md 9.1). A 500 says nothing but that it is one.
 * @param serviceMetadata What routing can tell; shown only where it helps.
 * @param userId The account of the caller once it is known.
 */
export function toProblem(error: HeadgateError, serviceMetadata?: JsonObject, userId?: string): Problem {
  const { code, status, type, retryAfter } = error;
  const details = status === 500 ? {} : error.metadata;
  const headers: Record<string, string> = { ...error.headers };
  if (retryAfter !== undefined) headers['retry-after'] = String(wholeWait(retryAfter));
  return {
    status,
    headers,
    body: {
      error: { code: status, message: publicMessage(error), metadata: { error_type: type, ...details } },
      ...(serviceMetadata === undefined || withoutMetadata.has(status) || beforeRouting.has(code)
        ? {}
        : { service_metadata: serviceMetadata }),
      user_id: userId ?? null,
    },
  };
}
