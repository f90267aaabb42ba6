import { type ErrorCode, HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { ReportedFailure } from '../adapter.ts';
import { reportsContextOverflow } from '../context-overflow.ts';
import { countOf, textOf } from '../lenient.ts';
import { reportsRefusedSeal } from '../refused-seal.ts';
import { headerText, type ResponseHeaders } from '../wire/retry-hint.ts';

/**
 * The meaning of each exception. Inside a stream there is no status; outside, some exceptions are more precise than
 * theirs.
 */
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

/** The meaning of the status that the model's own host answered when a stream broke. */
const originalStatuses: Readonly<Record<number, ErrorCode>> = {
  408: 'provider_timeout',
  429: 'upstream_rate_limit',
  503: 'provider_overloaded',
  529: 'provider_overloaded',
};

/** Reads a refusal in this dialect: the body is `{message}`, and a header or `__type` names the exception. */
export function readFailure(_status: number, body: string, headers: ResponseHeaders = {}): ReportedFailure {
  const value = parseJson(body);
  const members = isObject(value) ? value : {};
  const message = messageOf(members);
  // The header may append an address; the member may have a package prefix.
  const named = headerText(headers, 'x-amzn-errortype')?.split(':')[0]?.trim();
  const providerCode = named ?? textOf(members.__type)?.split('#').at(-1);
  return { code: specificCode(message) ?? codeOf(members, providerCode), message, providerCode };
}

/**
 * The error for an exception inside a stream.
 * @param name `error` for a failure that the service does not name.
 */
export function streamFailure(name: string, data: string): HeadgateError {
  const value = parseJson(data);
  const members = isObject(value) ? value : {};
  const message = messageOf(members);
  const code = specificCode(message) ?? codeOf(members, name) ?? 'provider_failed';
  const providerCode = name === 'error' ? textOf(members.code) : name;
  return new HeadgateError(code, message, {
    metadata: providerCode === undefined ? {} : { provider_code: providerCode },
  });
}

/** Whether an event reports a failure. */
export function isFailure(event: string | undefined): event is string {
  return event === 'error' || event?.endsWith('Exception') === true;
}

/** The error code of an exception: by the model host's status where reported, else by name. */
function codeOf(members: { readonly [key: string]: unknown }, name = ''): ErrorCode | undefined {
  const original = originalStatuses[countOf(members.originalStatusCode) ?? 0];
  return original ?? exceptions[`${name.charAt(0).toLowerCase()}${name.slice(1)}`];
}

function messageOf(members: { readonly [key: string]: unknown }): string | undefined {
  return textOf(members.message) ?? textOf(members.Message) ?? textOf(members.originalMessage);
}

/** Causes that only the message text reports. */
function specificCode(message = ''): ErrorCode | undefined {
  if (reportsContextOverflow(message)) return 'upstream_context_length';
  if (reportsRefusedSeal(message)) return 'upstream_seal';
  if (/content filtering policy|usage polic/i.test(message)) return 'upstream_policy';
  if (/not allowed from unsupported countries/i.test(message)) return 'upstream_region';
  // Reported as malformed requests, although only the endpoint's model is wrong or closed to the account.
  if (/model identifier is invalid|on-demand throughput/i.test(message)) return 'upstream_not_found';
  return /^operation not allowed/i.test(message) ? 'upstream_credential' : undefined;
}
