import type { ErrorType } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import type { PublicError } from '../public-dialect.ts';

const byStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
  409: 'invalid_request_error',
  413: 'invalid_request_error',
  422: 'invalid_request_error',
  429: 'rate_limit_error',
  524: 'timeout_error',
  529: 'overloaded_error',
};

/** The body of an error in this format (docs/spec/messages.md#errors). */
export function describeError(error: PublicError): JsonObject {
  const { metadata: all, serviceMetadata, requestId } = error;
  const { unsupported, ...metadata } = all;
  return {
    type: 'error',
    error: {
      ...errorObject({ ...error, message: overflowMessage(error) ?? error.message }),
      ...(unsupported !== undefined && {
        details: { error_code: 'thread_unsupported_request', unsupported },
      }),
    },
    request_id: requestId ?? null,
    ...(Object.keys(metadata).length > 0 && { metadata }),
    ...(serviceMetadata !== undefined && { service_metadata: serviceMetadata }),
  };
}

/** The inner part of an error, for a body or an event. */
export function errorObject({
  status,
  type,
  message,
}: {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
}): JsonObject {
  const overloaded = status === 503 && type === 'provider_overloaded';
  return {
    type: overloaded ? 'overloaded_error' : (byStatus[status] ?? 'api_error'),
    message,
    error_type: type,
  };
}

const known = /^prompt is too long: \d+ tokens > \d+ maximum/;

/** What agents look for beside the words. */
const mark = 'capability_rejected: prompt_too_long';

/**
 * The message of a prompt that exceeds the context, in the words by which agents of this format shorten their
 * conversation (docs/spec/messages.md#errors); undefined for any other error.
 */
function overflowMessage({ type, message, metadata }: PublicError): string | undefined {
  if (type !== 'context_length_exceeded' || known.test(message)) return undefined;
  const tokens = metadata.availability?.tokens;
  if (tokens !== undefined) {
    const { input, output, available } = tokens;
    const start =
      input > available || output === 0
        ? `prompt is too long: ${Math.max(input, available + 1)} tokens > ${available} maximum`
        : `input length and \`max_tokens\` exceed context limit: ${input} + ${output} > ${available}`;
    return `${start} (${mark}). ${message}`;
  }
  if (metadata.provider_name === undefined) return undefined;
  const [most, least] = numbersIn(message);
  const sizes = most === undefined || least === undefined ? '' : `: ${most} tokens > ${least} maximum`;
  return `prompt is too long${sizes} (${mark}). ${message}`;
}

/** Providers of other formats name both sizes in their own order; the larger one was needed. */
function numbersIn(message: string): readonly number[] {
  const numbers = message.replaceAll(/(?<=\d),(?=\d{3})/g, '').match(/\d{3,9}/g) ?? [];
  const sizes = [...new Set(numbers.map(Number))].sort((one, other) => other - one);
  return sizes.length === 2 ? sizes : [];
}
