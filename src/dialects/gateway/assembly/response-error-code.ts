import type { ErrorType } from '../../../core/errors.ts';

/**
 * The `error.code` enumeration of a failed response object (docs/spec/errors.md#types) as far as the gateway emits it.
 */
export type ResponseErrorCode =
  | 'server_error'
  | 'rate_limit_exceeded'
  | 'invalid_prompt'
  | 'image_content_policy_violation';

/** The `error.code` a failed response object carries for an error type (docs/spec/errors.md#types). */
export function responseErrorCode(type: ErrorType): ResponseErrorCode {
  switch (type) {
    case 'invalid_request':
    case 'context_length_exceeded':
      return 'invalid_prompt';
    case 'content_policy_violation':
      return 'image_content_policy_violation';
    case 'rate_limit_exceeded':
      return 'rate_limit_exceeded';
    default:
      return 'server_error';
  }
}
