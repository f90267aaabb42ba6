import type { Provider } from '../../core/catalogue.ts';
import type { ConnectionFailure } from '../../core/connection-failures.ts';
import { type ErrorCode, type ErrorMetadata, HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import type { ReportedFailure } from '../adapter.ts';
import { wholeSeconds } from './retry-hint.ts';
import type { TimeLimit } from './timeouts.ts';

/** Codes and types by which providers say that they do not serve a model. */
const names =
  /^(model_?not_?found(_?error)?|model_not_available|model_not_supported|model_decommissioned|model_terminated|unknown_model|unavailable_model|invalid_model(_name|_id)?|no_such_model|deployment_?not_?found|invalidendpointormodel\.\w+)$/i;

/** Their sentences. Those about a parameter of a model, or about a model that is only busy, say something else. */
const sentences: readonly RegExp[] = [
  /\bmodels?\b[^\n]{0,120}?\b(do(es)?n?['’]?( not|t|)|not) exists?\b/i,
  /\b(model|deployment)s?\b[^\n]{0,160}?\b(not found|could not be found|no longer (available|supported|served)|been (decommissioned|deprecated|retired|removed|shut down|discontinued)|reached (the|its) end of (its )?life)/i,
  /\bmodels?\b[^\n]{0,120}?\bis not (available|supported for|served|deployed|enabled)\b(?![^\n]{0,40}(moment|currently|right now|try again|later))/i,
  /\bmodels?\b[^\n]{0,120}?\bnot supported (for|by|with) (generate|on-demand|any provider)/i,
  /\b(unknown|invalid|no such|unrecogni[sz]ed|unsupported|nonexistent) model\b(?! (output|response|parameter|setting|config))/i,
  /\bnot a valid model\b/i,
  /\bmodel (identifier|id|name|code)\b[^\n]{0,60}\b(invalid|unknown|not (valid|recognized|found))/i,
  /\bunexpected model name\b|\bnot found the model\b|\bunable to access (the )?model\b|\bno endpoints found for\b/i,
  /(\bno|not have|n['’]t have|\bwithout) access to (the |this )?model\b|\bdeployment\b[^\n]{0,80}\bdoes not exist\b/i,
  /模型不存在/,
];

/** Statuses that mean the request, the address or the credential; busy providers have others. */
const statuses: ReadonlySet<number> = new Set([400, 401, 403, 404, 410, 422]);

/** What a provider says of a refusal. */
interface Refusal {
  readonly message?: string | undefined;
  readonly providerCode?: string | undefined;
}

/**
 * Whether a provider does not serve the model it was asked for, whatever the status: then another endpoint may
 * (docs/spec/routing.md#outcomes).
 */
export function reportsUnknownModel(status: number, { message = '', providerCode = '' }: Refusal): boolean {
  if (!statuses.has(status)) return false;
  return names.test(providerCode) || sentences.some((sentence) => sentence.test(message.slice(0, 2000)));
}

const closed =
  /\b(organi[sz]ation|account|workspace|project|team|subscription)\b[^\n]{0,80}\b(disabled|deactivated|suspended|terminated|on hold|blocked)\b/i;

/** Whether the operator's account at a provider is closed, which no caller can mend. */
export function reportsClosedAccount(status: number, { message = '' }: Refusal): boolean {
  return statuses.has(status) && closed.test(message.slice(0, 2000));
}

/** Codes of the runtime and of its TLS, what they mean, and how to say it. */
const causes: readonly (readonly [RegExp, ConnectionFailure, string])[] = [
  [/^HEADGATE_PROXY$/, 'proxy_failed', 'its proxy could not be reached or let nothing through'],
  [/^(ENOTFOUND|EAI_\w+)$/, 'dns_failed', 'its name could not be resolved'],
  [/^ECONNREFUSED$/, 'connection_refused', 'the connection was refused'],
  [/^(ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, 'connection_reset', 'the connection was reset'],
  [/^(ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/, 'connect_timeout', 'no connection was made in time'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN|ENETDOWN)$/, 'unreachable', 'there is no way to it'],
  [
    /^(CERT_\w+|UNABLE_TO_\w+|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|ERR_(TLS|SSL)_\w+|HOSTNAME_MISMATCH|EPROTO)$/,
    'certificate_refused',
    'its certificate or TLS was not accepted',
  ],
];

/** Causes within causes, and errors of several addresses, that are looked at. */
const mostLooked = 20;

/** Why a connection broke, as a class and in words; undefined where the runtime does not say. */
function connectionCause(
  thrown: unknown,
): { readonly code: ConnectionFailure; readonly words: string } | undefined {
  const open: unknown[] = [thrown];
  for (let looked = 0; looked < mostLooked && open.length > 0; looked += 1) {
    const error = open.shift();
    if (!(error instanceof Error)) continue;
    const code = 'code' in error ? String(error.code) : '';
    const found = causes.find(([pattern]) => pattern.test(code));
    if (found !== undefined) return { code: found[1], words: found[2] };
    open.push(error.cause);
    if (error instanceof AggregateError) open.push(...error.errors.slice(0, mostLooked));
  }
  return undefined;
}

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
