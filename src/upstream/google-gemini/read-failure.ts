import { type ErrorCode, HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { ReportedFailure } from '../adapter.ts';
import { reportsContextOverflow } from '../context-overflow.ts';
import { textOf } from '../lenient.ts';
import { reportsRefusedSeal } from '../refused-seal.ts';

/** Reasons in the details of an error that are more precise than its status. */
const reasons = wordTable<ErrorCode>({
  // Reported as malformed requests, although the request is fine.
  API_KEY_INVALID: 'upstream_credential',
  API_KEY_SERVICE_BLOCKED: 'upstream_credential',
  SERVICE_DISABLED: 'upstream_credential',
  BILLING_DISABLED: 'upstream_credential',
  RATE_LIMIT_EXCEEDED: 'upstream_rate_limit',
});

/** The meaning of a status name inside a stream, where there is no HTTP status. */
const statuses = wordTable<ErrorCode>({
  INVALID_ARGUMENT: 'upstream_invalid_request',
  FAILED_PRECONDITION: 'upstream_invalid_request',
  OUT_OF_RANGE: 'upstream_invalid_request',
  UNAUTHENTICATED: 'upstream_credential',
  PERMISSION_DENIED: 'upstream_credential',
  NOT_FOUND: 'upstream_not_found',
  RESOURCE_EXHAUSTED: 'upstream_rate_limit',
  UNAVAILABLE: 'provider_overloaded',
  DEADLINE_EXCEEDED: 'provider_timeout',
  INTERNAL: 'provider_failed',
});

interface Words {
  readonly status?: string;
  readonly message?: string;
  readonly reason?: string;
  readonly retryAfter?: number;
}

/** Reads the body of a refusal: `{error: {code, message, status, details}}`, or an array that contains it. */
export function readFailure(_status: number, body: string): ReportedFailure {
  const value = parseJson(body);
  const reported = errorOf(Array.isArray(value) ? value[0] : value);
  if (reported === undefined) return {};
  const words = readTexts(reported);
  const { message, retryAfter } = words;
  return { code: specificCode(words), message, providerCode: words.reason ?? words.status, retryAfter };
}

/** The member `error` of an answer or event, if there is one. */
export function errorOf(value: unknown): unknown {
  return isObject(value) && isObject(value.error) ? value.error : undefined;
}

/** The error for a failure reported inside a stream or in place of an answer. */
export function streamFailure(reported: unknown): HeadgateError {
  const words = readTexts(reported);
  const code = specificCode(words) ?? statuses[words.status ?? ''] ?? 'provider_failed';
  const providerCode = words.reason ?? words.status;
  return new HeadgateError(code, words.message, {
    metadata: providerCode === undefined ? {} : { provider_code: providerCode },
    retryAfter: words.retryAfter,
  });
}

function readTexts(reported: unknown): Words {
  const error = isObject(reported) ? reported : {};
  const details = Array.isArray(error.details) ? error.details.filter(isObject) : [];
  const detail = (type: string) => details.find((entry) => textOf(entry['@type'])?.endsWith(`.${type}`));
  return {
    status: textOf(error.status),
    message: textOf(error.message),
    reason: textOf(detail('ErrorInfo')?.reason),
    retryAfter: secondsOf(detail('RetryInfo')?.retryDelay),
  };
}

/** Reads a duration, either text such as `27.5s` or an object with its parts. */
function secondsOf(delay: unknown): number | undefined {
  const text = isObject(delay) ? `${Number(delay.seconds ?? 0)}s` : textOf(delay);
  const seconds = /^(\d+(?:\.\d+)?)s$/.exec(text ?? '')?.[1];
  return seconds === undefined ? undefined : Number(seconds);
}

function specificCode({ message = '', reason = '' }: Words): ErrorCode | undefined {
  if (
    reportsContextOverflow(message) ||
    /token count.{0,40} exceeds|exceeds the maximum number of tokens/i.test(message)
  ) {
    return 'upstream_context_length';
  }
  if (reportsRefusedSeal(message)) return 'upstream_seal';
  if (/location is not supported|not available in your (country|region|location)/i.test(message)) {
    return 'upstream_region';
  }
  if (/api key (not valid|expired)/i.test(message)) return 'upstream_credential';
  return reasons[reason];
}
