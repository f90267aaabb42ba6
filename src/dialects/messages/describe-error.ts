import type { ErrorType } from '../../core/errors.ts';
import type { JsonObject } from '../../util/json.ts';
import type { PublicError } from '../public-dialect.ts';
import { overflowMessage } from './overflow-words.ts';

const byStatus: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  405: 'invalid_request_error',
  408: 'timeout_error',
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
