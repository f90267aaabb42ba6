import { type ErrorCode, HeadgateError } from '../core/errors.ts';
import { isObject, parseJson } from '../util/json.ts';
import { wordTable } from '../util/word-table.ts';
import type { ReportedFailure } from './adapter.ts';
import { reportsContextOverflow } from './context-overflow.ts';
import { textOf } from './lenient.ts';
import { reportsRefusedSeal } from './refused-seal.ts';
import { codeOfStatus } from './wire/failure.ts';

/** Milliseconds of each unit that providers use. */
const units = wordTable<number>({
  ms: 1,
  milliseconds: 1,
  s: 1_000,
  second: 1_000,
  seconds: 1_000,
  m: 60_000,
  minute: 60_000,
  minutes: 60_000,
  h: 3_600_000,
  hour: 3_600_000,
  hours: 3_600_000,
});

const request = /(?:try again|retry) (?:in|after) ((?:\d+(?:\.\d+)? ?[a-z]+ ?)+)/i;
const lengths = /(\d+(?:\.\d+)?) ?([a-z]+)/gi;

/**
 * Seconds to wait that a message states as text (`Please try again in 7m12s.`); undefined when it states none.
 */
function parseRetryDelay(message: string | undefined): number | undefined {
  const stated = request.exec(message ?? '')?.[1] ?? '';
  let wait: number | undefined;
  for (const [, count, unit = ''] of stated.matchAll(lengths)) {
    const length = units[unit.toLowerCase()];
    if (length === undefined) break;
    wait = (wait ?? 0) + Number(count) * length;
  }
  return wait === undefined ? undefined : wait / 1_000;
}

/** Codes and types that are more precise than their status. */
const specificCodes = wordTable<ErrorCode>({
  context_length_exceeded: 'upstream_context_length',
  exceed_context_size_error: 'upstream_context_length',
  content_policy_violation: 'upstream_policy',
  image_content_policy_violation: 'upstream_policy',
  bio_policy: 'upstream_policy',
  cyber_policy_violation: 'upstream_policy',
  content_filter: 'upstream_policy',
  moderation_blocked: 'upstream_policy',
  model_not_found: 'upstream_not_found',
  unsupported_country_region_territory: 'upstream_region',
  data_residency_mismatch: 'upstream_region',
  rate_limit_exceeded: 'upstream_rate_limit',
  rate_limit_error: 'upstream_rate_limit',
  too_many_requests: 'upstream_rate_limit',
  slow_down: 'upstream_rate_limit',
  // Reported as a 429, but waiting does not help: the operator's credit with the provider is used up.
  insufficient_quota: 'upstream_credential',
  billing_hard_limit_reached: 'upstream_credential',
  billing_not_active: 'upstream_credential',
  invalid_api_key: 'upstream_credential',
  overloaded: 'provider_overloaded',
  overloaded_error: 'provider_overloaded',
  server_is_overloaded: 'provider_overloaded',
  vector_store_timeout: 'provider_timeout',
});

/** Phrases of providers that send no code, or the same code for many causes. */
const specificPhrases: readonly (readonly [RegExp, ErrorCode])[] = [
  // Some providers report a refused key as a malformed request, and spent credit as a rate limit.
  [/(incorrect|invalid) api key|api key (is )?(not valid|invalid)/i, 'upstream_credential'],
  [/used all available credits/i, 'upstream_credential'],
  // One code means both a refused credential and flagged content, another both a malformed and a flagged prompt.
  [/violates? (our )?usage (guidelines|polic)|input was flagged/i, 'upstream_policy'],
];

/** Codes and types that matter only inside a stream, which has no status. */
const plain = wordTable<ErrorCode>({
  invalid_request_error: 'upstream_invalid_request',
  invalid_prompt: 'upstream_invalid_request',
  unsupported_image_media_type: 'upstream_invalid_request',
  failed_to_download_image: 'upstream_invalid_request',
  empty_image_file: 'upstream_invalid_request',
  authentication_error: 'upstream_credential',
  unavailable_error: 'provider_overloaded',
});

const plainPhrases: readonly (readonly [RegExp, ErrorCode])[] = [
  [/rate limit|too many requests/i, 'upstream_rate_limit'],
  [/currently (unavailable|overloaded)/i, 'provider_overloaded'],
];

const plainTextLimit = 500;

/** The meaning of a provider's own codes and statuses, by their text. */
export type OwnCodes = Readonly<Record<string, ErrorCode>>;

interface Words {
  readonly message: string | undefined;
  /** Code and type, as far as given, the more precise first. */
  readonly names: readonly string[];
  /** The status that a compatible provider repeats in the body. */
  readonly status: number | undefined;
}

/**
 * Reads the body of a refusal in the dialects of OpenAI: `{error: {message, type, code}}`. Also reads the variants of
 * compatible providers: flat, in an array, with the message in `error` or `detail`, or as plain text.
 */
export function readFailure(status: number, body: string, own: OwnCodes = {}): ReportedFailure {
  const value = parseJson(body);
  const words = value === undefined ? plainWords(body) : readTexts(value);
  return {
    code: specificCode(words, own) ?? wordTable(own)[String(status)],
    message: words.message,
    providerCode: words.names[0],
    retryAfter: parseRetryDelay(words.message),
  };
}

/** The error for a failure reported with a successful status; `reported` may have any of those forms. */
export function streamFailure(reported: unknown, own: OwnCodes = {}): HeadgateError {
  const words = readTexts(reported);
  const code = specificCode(words, own) ?? plainCode(words);
  return new HeadgateError(code, words.message, {
    retryAfter: parseRetryDelay(words.message),
    metadata: { provider_code: words.names[0] ?? words.status?.toString() },
  });
}

function readTexts(value: unknown): Words {
  if (typeof value === 'string') return plainWords(value);
  if (Array.isArray(value)) return readTexts(value[0]);
  if (!isObject(value)) return plainWords('');
  const { error, metadata } = value;
  if (error && typeof error !== 'string') return readTexts(error);
  // A provider that forwards calls passes on its upstream's error.
  const raw = isObject(metadata) ? metadata.raw : undefined;
  if (raw) return withCause(readTexts({ ...value, metadata: undefined }), readCause(raw));
  const texts = [value.code, value.type].flatMap((name) => textOf(name) ?? []);
  const names = typeof value.code === 'number' ? [...texts, String(value.code)] : texts;
  const status = typeof value.code === 'number' ? value.code : Number(textOf(value.code));
  return {
    message: textOf(error) ?? textOf(value.message) ?? detailText(value.detail ?? value.message),
    // A flat event has the type `error`, which says nothing.
    names: names.filter((name) => name !== 'error'),
    status: status >= 400 && status < 600 ? status : undefined,
  };
}

/** Prefers the description of the original failure, as far as known. */
function withCause({ message, names, status }: Words, cause: Words): Words {
  return {
    message: cause.message ?? message,
    names: [...cause.names, ...names],
    status: status ?? cause.status,
  };
}

function readCause(raw: unknown): Words {
  return readTexts(typeof raw === 'string' ? (parseJson(raw) ?? raw) : raw);
}

/** Plain text is a message, markup is not. */
function plainWords(text: string): Words {
  const words = text.trim();
  const readable = words !== '' && words.length <= plainTextLimit && !words.startsWith('<');
  return { message: readable ? words : undefined, names: [], status: undefined };
}

/** Some servers list the faults: `{detail: [{msg, loc}]}`. */
function detailText(detail: unknown): string | undefined {
  if (isObject(detail)) return detailText(detail.detail ?? detail.msg);
  if (!Array.isArray(detail)) return textOf(detail);
  const texts = detail.flatMap((entry) => (isObject(entry) ? (textOf(entry.msg) ?? []) : []));
  return textOf(texts.join('; '));
}

function specificCode({ message = '', names }: Words, own: OwnCodes): ErrorCode | undefined {
  const codes = { ...specificCodes, ...own };
  for (const name of names) {
    const code = Object.hasOwn(codes, name) ? codes[name] : undefined;
    if (code !== undefined) return code;
  }
  if ([message, ...names].some(reportsContextOverflow)) return 'upstream_context_length';
  if ([message, ...names].some(reportsRefusedSeal)) return 'upstream_seal';
  return specificPhrases.find(([phrase]) => phrase.test(message))?.[1];
}

function plainCode({ message = '', names, status }: Words): ErrorCode {
  if (status !== undefined) return codeOfStatus(status);
  for (const name of names) {
    const code = plain[name] ?? (/image/.test(name) ? 'upstream_invalid_request' : undefined);
    if (code !== undefined) return code;
  }
  const words = [message, ...names].join(' ');
  return plainPhrases.find(([phrase]) => phrase.test(words))?.[1] ?? 'provider_failed';
}
