import type { Provider } from '../../core/catalogue.ts';
import type { ConnectionFailure } from '../../core/connection-failures.ts';
import { type ErrorCode, type ErrorMetadata, HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { ReportedFailure } from '../adapter.ts';
import { reportsClosedAccount, reportsUnknownModel } from '../refused-model.ts';
import { connectionCause } from './connection-cause.ts';
import { wholeSeconds } from './retry-hint.ts';
import type { TimeLimit } from './timeouts.ts';

const maxMessageLength = 500;
const maxProviderCodeLength = 100;
/** Shorter header values are ordinary words, which must not disappear from messages. */
const minSecretLength = 16;

/** Failures caused by the caller's own request, where the provider's message helps to fix it. */
const explainedCodes: ReadonlySet<ErrorCode> = new Set([
  'upstream_invalid_request',
  'upstream_context_length',
  'upstream_seal',
  'upstream_policy',
  'upstream_flagged',
  'upstream_region',
  'upstream_not_found',
  'upstream_too_large',
  'upstream_unprocessable',
]);

/** Codes that a provider can mean by 401, 402 or 403 besides a refused credential. */
const notTheCredential: ReadonlySet<ErrorCode> = new Set([
  'upstream_region',
  'upstream_policy',
  'upstream_flagged',
]);

/** Codes that say less than the words may. */
const vagueCodes: ReadonlySet<ErrorCode> = new Set([
  'upstream_invalid_request',
  'upstream_not_found',
  'upstream_credential',
  'upstream_unprocessable',
]);

/** The row of the error table for a provider's HTTP status (docs/spec/routing.md#outcomes). */
export function codeOfStatus(status: number): ErrorCode {
  switch (status) {
    case 400:
      return 'upstream_invalid_request';
    case 401:
    case 402:
    case 403:
      return 'upstream_credential';
    case 404:
      return 'upstream_not_found';
    case 408:
    case 504:
      return 'provider_timeout';
    case 413:
      return 'upstream_too_large';
    case 422:
      return 'upstream_unprocessable';
    case 429:
      return 'upstream_rate_limit';
    case 503:
    case 529:
      return 'provider_overloaded';
    default:
      return 'provider_failed';
  }
}

/**
 * The error for a call that the provider refused, or for a failure reported inside its stream. The provider's message
 * is shown only where the caller's request is at fault; it is cut to 500 characters and contains none of the
 * provider's credentials.
 * @param status the answer's HTTP status, or the nearest one for a report inside a stream.
 * @param hint seconds from the answer's headers, used before the report's own.
 */
export function refusedCall(
  provider: Provider,
  status: number,
  reported: ReportedFailure,
  hint?: number,
): HeadgateError {
  const code = codeOf(status, reported);
  const message = explain(provider, code, reported.message) ?? plainText(provider, code);
  const retryAfter = hint ?? wholeSeconds(reported.retryAfter);
  return new HeadgateError(code, message, {
    metadata: metadataOf(provider, reported.providerCode ?? String(status)),
    retryAfter,
    momentary: isMomentary(code, retryAfter, momentaryStatuses.has(status)),
  });
}

/** Statuses of a failure that the next moment may not have; 504 has waited long enough. */
const momentaryStatuses: ReadonlySet<number> = new Set([500, 502, 503, 529]);

/** Longer waits are the client's. */
const longestMoment = 2;

function isMomentary(code: ErrorCode, retryAfter: number | undefined, failed: boolean): boolean {
  if (code === 'upstream_rate_limit') return retryAfter !== undefined && retryAfter <= longestMoment;
  const isBrief = code === 'provider_overloaded' || (code === 'provider_failed' && failed);
  return isBrief && (retryAfter ?? 0) <= longestMoment;
}

/**
 * The error for a failure that a decoder detected or read inside the stream, completed by the provider's name. The
 * decoder's message is shown, cut short and without secrets, unless it concerns the credential.
 */
export function brokenStream(provider: Provider, failure: HeadgateError): HeadgateError {
  const { code, metadata, retryAfter } = failure;
  const words = code === 'upstream_credential' ? undefined : redact(provider, failure.message);
  return new HeadgateError(code, words?.slice(0, maxMessageLength) ?? plainText(provider, code), {
    metadata: { ...metadata, ...metadataOf(provider, metadata.provider_code) },
    retryAfter: wholeSeconds(retryAfter),
    momentary: isMomentary(code, wholeSeconds(retryAfter), false),
    cause: failure.cause,
  });
}

/** The error for a connection that broke or could not be opened, with why as far as is known; addresses stay in `cause`. */
export function brokenConnection(provider: Provider, sent: boolean, cause: unknown): HeadgateError {
  const found = connectionCause(cause);
  const why = found === undefined ? '' : `: ${found.words}`;
  const text = sent
    ? `The connection to ${provider.name} broke${why}.`
    : `${provider.name} could not be reached${why}.`;
  return unanswered(provider, 'provider_failed', text, { code: found?.code, cause });
}

/** The error for a time limit that has passed. @param length Milliseconds. */
export function passedLimit(
  provider: Provider,
  limit: TimeLimit,
  length = provider.timeouts[limit],
): HeadgateError {
  const seconds = length / 1000;
  switch (limit) {
    case 'connect': {
      const text = `${provider.name} could not be reached within ${seconds} s.`;
      return unanswered(provider, 'provider_failed', text, { code: 'connect_timeout' });
    }
    case 'firstEvent': {
      const text = `${provider.name} did not begin to answer within ${seconds} s.`;
      return unanswered(provider, 'provider_timeout', text, { code: 'first_event_timeout' });
    }
    case 'idle': {
      const text = `${provider.name} fell silent for ${seconds} s.`;
      return unanswered(provider, 'provider_timeout', text, { code: 'idle_timeout' });
    }
    case 'total': {
      const text = `${provider.name} did not finish within ${seconds} s.`;
      return unanswered(provider, 'provider_timeout', text, { code: 'total_timeout' });
    }
  }
}

/** An error with the class of what happened instead of an answer. */
function unanswered(
  provider: Provider,
  code: ErrorCode,
  text: string,
  why: { readonly code: ConnectionFailure | undefined; readonly cause?: unknown },
): HeadgateError {
  return new HeadgateError(code, text, {
    metadata: { provider_name: provider.name, ...(why.code !== undefined && { provider_code: why.code }) },
    momentary: why.code === 'connection_reset',
    cause: why.cause,
  });
}

/** The error for a 2xx response that cannot be an answer, by its type or because it is unreadable. */
export function noAnswer(provider: Provider, reported: ReportedFailure, compressed = false): HeadgateError {
  if (reported.code !== undefined) return refusedCall(provider, 200, reported);
  const what = compressed
    ? 'an answer in an encoding that is not read here'
    : 'neither an event stream nor JSON';
  return providerError(provider, 'provider_failed', `${provider.name} sent ${what}.`);
}

/** An error that names the provider in its metadata. */
export function providerError(
  provider: Provider,
  code: ErrorCode,
  text: string,
  cause?: unknown,
): HeadgateError {
  return new HeadgateError(code, text, { metadata: { provider_name: provider.name }, cause });
}

function metadataOf(provider: Provider, providerCode: string | undefined): ErrorMetadata {
  if (providerCode === undefined) return { provider_name: provider.name };
  const code = redact(provider, providerCode).slice(0, maxProviderCodeLength);
  return { provider_name: provider.name, provider_code: code };
}

function explain(
  provider: Provider,
  code: ErrorCode,
  providerMessage: string | undefined,
): string | undefined {
  const words = explainedCodes.has(code) ? providerMessage?.trim() : undefined;
  return words ? redact(provider, words).slice(0, maxMessageLength) : undefined;
}

function codeOf(status: number, reported: ReportedFailure): ErrorCode {
  if (reported.code === undefined || vagueCodes.has(reported.code)) {
    if (reportsUnknownModel(status, reported)) return 'upstream_not_found';
    if (reportsClosedAccount(status, reported)) return 'upstream_credential';
  }
  const byStatus = codeOfStatus(status);
  if (reported.code === undefined) return byStatus;
  if (byStatus === 'upstream_credential' && !notTheCredential.has(reported.code)) return byStatus;
  // Models refuse with 400; a 403 about content comes from a filter in front of them.
  if (status === 403 && reported.code === 'upstream_policy') return 'upstream_flagged';
  return reported.code;
}

function plainText(provider: Provider, code: ErrorCode): string {
  switch (code) {
    case 'upstream_credential':
      return `${provider.name} did not accept the credential used for it.`;
    case 'upstream_rate_limit':
      return `${provider.name} limits the rate.`;
    case 'provider_overloaded':
      return `${provider.name} is overloaded.`;
    case 'provider_timeout':
      return `${provider.name} did not answer in time.`;
    case 'provider_failed':
      return `${provider.name} failed.`;
    default:
      return `${provider.name} refused the request.`;
  }
}

function redact(provider: Provider, text: string): string {
  let clean = text;
  const key = provider.apiKey?.reveal();
  if (key) clean = clean.replaceAll(key, '[secret]');
  // The word before a credential is its scheme.
  const words = Object.values(provider.headers).flatMap((value) => value.split(/\s+/));
  for (const value of [...words, ...membersOf(key)]) {
    if (value.length >= minSecretLength) clean = clean.replaceAll(value, '[secret]');
  }
  return clean;
}

/** The texts in a JSON credential: an access key with its secret, a service account, a list of resources. */
function membersOf(key: string | undefined): string[] {
  const value = /^\s*[[{]/.test(key ?? '') ? parseJson(key ?? '') : undefined;
  const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
  return parts
    .flatMap((part) => (isObject(part) ? Object.values(part) : []))
    .filter((member) => typeof member === 'string');
}
