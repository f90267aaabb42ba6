import { type ErrorCode, HeadgateError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { wordTable } from '../../core/word-table.ts';
import type { ReportedFailure } from '../adapter.ts';
import { saysContextOverflow } from '../context-overflow.ts';
import { countOf, parseJson, textOf } from '../lenient.ts';

/** Exceptions inside a stream, where no status helps. */
const exceptions = wordTable<ErrorCode>({
  throttlingException: 'upstream_rate_limit',
  serviceUnavailableException: 'provider_overloaded',
  modelTimeoutException: 'provider_timeout',
  modelNotReadyException: 'provider_overloaded',
  validationException: 'upstream_invalid_request',
  accessDeniedException: 'upstream_credential',
  resourceNotFoundException: 'upstream_not_found',
  serviceQuotaExceededException: 'upstream_rate_limit',
});

/** What the model's own host answered when it broke off. */
const originalStatuses: Readonly<Record<number, ErrorCode>> = {
  408: 'provider_timeout',
  429: 'upstream_rate_limit',
  503: 'provider_overloaded',
  529: 'provider_overloaded',
};

/** Reads the body of a refusal in this dialect: `{message}`, perhaps with the exception's name in `__type`. */
export function readFailure(_status: number, body: string): ReportedFailure {
  const value = parseJson(body);
  if (!isObject(value)) return {};
  const message = messageOf(value);
  const providerCode = textOf(value.__type)?.split('#').at(-1);
  return { code: tellingCode(message), message, providerCode };
}

/**
 * The error for an exception inside a stream.
 * @param name `error` for a failure outside the service's vocabulary.
 */
export function streamFailure(name: string, data: string): HeadgateError {
  const value = parseJson(data);
  const members = isObject(value) ? value : {};
  const message = messageOf(members);
  const plain = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  const original = originalStatuses[countOf(members.originalStatusCode) ?? 0];
  const code = tellingCode(message) ?? original ?? exceptions[plain] ?? 'provider_failed';
  const providerCode = name === 'error' ? textOf(members.code) : name;
  return new HeadgateError(code, message, {
    metadata: providerCode === undefined ? {} : { provider_code: providerCode },
  });
}

/** Whether an event is a failure. */
export function isFailure(event: string | undefined): event is string {
  return event === 'error' || event?.endsWith('Exception') === true;
}

function messageOf(members: { readonly [key: string]: unknown }): string | undefined {
  return textOf(members.message) ?? textOf(members.Message) ?? textOf(members.originalMessage);
}

/** Causes that are told in words only. */
function tellingCode(message = ''): ErrorCode | undefined {
  if (saysContextOverflow(message)) return 'upstream_context_length';
  if (/content filtering policy|usage polic/i.test(message)) return 'upstream_policy';
  return /model identifier is invalid/i.test(message) ? 'upstream_not_found' : undefined;
}
