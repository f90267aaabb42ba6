import { type ErrorCode, HeadgateError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { wordTable } from '../../core/word-table.ts';
import type { ReportedFailure } from '../adapter.ts';
import { saysContextOverflow } from '../context-overflow.ts';
import { parseJson, textOf } from '../lenient.ts';
import { codeOfStatus } from '../wire/failure.ts';
import type { Chunk } from './chunk.ts';

/** Codes and types that say more than the status they come with. */
const telling = wordTable<ErrorCode>({
  context_length_exceeded: 'upstream_context_length',
  exceed_context_size_error: 'upstream_context_length',
  content_policy_violation: 'upstream_policy',
  content_filter: 'upstream_policy',
  moderation_blocked: 'upstream_policy',
  model_not_found: 'upstream_not_found',
  unsupported_country_region_territory: 'upstream_region',
  rate_limit_exceeded: 'upstream_rate_limit',
  rate_limit_error: 'upstream_rate_limit',
  // Comes as a 429, but waiting does not help: the operator's credit with the provider is used up.
  insufficient_quota: 'upstream_credential',
  invalid_api_key: 'upstream_credential',
  overloaded_error: 'provider_overloaded',
});

/** Types that matter only inside a stream, where no status helps. */
const plain = wordTable<ErrorCode>({
  invalid_request_error: 'upstream_invalid_request',
  authentication_error: 'upstream_credential',
  unavailable_error: 'provider_overloaded',
});

const refusedKey = /(incorrect|invalid) api key|api key (is )?(not valid|invalid)/i;
const plainTextLimit = 500;

interface Words {
  readonly message: string | undefined;
  /** Code and type, whichever the provider gave, the more exact first. */
  readonly names: readonly string[];
  /** The status a look-alike repeats in the body. */
  readonly status: number | undefined;
}

/**
 * Reads the body of a refusal: `{error: {message, type, code}}` in the dialect's own form, and what the
 * look-alikes make of it: flat, in a list, with the message in `detail` or as plain text.
 */
export function readFailure(_status: number, body: string): ReportedFailure {
  const value = parseJson(body);
  const words = value === undefined ? plainWords(body) : readWords(value);
  return {
    code: tellingCode(words),
    message: words.message,
    providerCode: words.names[0],
    retryAfter: waitIn(words.message),
  };
}

/**
 * What a chunk reports as failed, or undefined when it is an answer: under `error` on either level, or, where a
 * look-alike fails with a successful status, flat in place of choices.
 */
export function reportedFailure(chunk: Chunk): unknown {
  const named = chunk.error || chunk.x_groq?.error || chunk.choices?.[0]?.error;
  if (named) return named;
  if (chunk.choices != null) return undefined;
  const flat: JsonObject = { ...chunk };
  if (isObject(flat.base_resp) && flat.base_resp.status_code) {
    return { message: flat.base_resp.status_msg, code: flat.base_resp.status_code };
  }
  if (flat.error_code) return { message: flat.error_msg, code: flat.error_code };
  const isFailure = flat.object === 'error' || flat.type === 'error' || (flat.message && flat.code);
  return isFailure ? flat : undefined;
}

/** The error for a failure reported inside a stream; `reported` is what stands in `error`, of any shape. */
export function streamFailure(reported: unknown): HeadgateError {
  const words = readWords(reported);
  const code = tellingCode(words) ?? plainCode(words);
  return new HeadgateError(code, words.message, {
    retryAfter: waitIn(words.message),
    metadata: { provider_code: words.names[0] ?? words.status?.toString() },
  });
}

function readWords(value: unknown): Words {
  if (typeof value === 'string') return plainWords(value);
  if (Array.isArray(value)) return readWords(value[0]);
  if (!isObject(value)) return plainWords('');
  if (value.error) return readWords(value.error);
  const names = [value.code, value.type].flatMap((name) => textOf(name) ?? []);
  const status = typeof value.code === 'number' ? value.code : Number(textOf(value.code));
  return {
    message: textOf(value.message) ?? detailText(value.detail ?? value.message),
    names: names.filter((name) => name !== 'error'),
    status: status >= 400 && status < 600 ? status : undefined,
  };
}

/** Plain text is a message, a page of markup is not. */
function plainWords(text: string): Words {
  const words = text.trim();
  const readable = words !== '' && words.length <= plainTextLimit && !words.startsWith('<');
  return { message: readable ? words : undefined, names: [], status: undefined };
}

/** Some servers list what they found wrong: `{detail: [{msg, loc}]}`. */
function detailText(detail: unknown): string | undefined {
  if (isObject(detail)) return detailText(detail.detail ?? detail.msg);
  if (!Array.isArray(detail)) return textOf(detail);
  const texts = detail.flatMap((entry) => (isObject(entry) ? (textOf(entry.msg) ?? []) : []));
  return textOf(texts.join('; '));
}

function tellingCode({ message = '', names }: Words): ErrorCode | undefined {
  for (const name of names) {
    const code = telling[name];
    if (code !== undefined) return code;
  }
  if ([message, ...names].some(saysContextOverflow)) return 'upstream_context_length';
  // Some report a refused key as a malformed request.
  if (refusedKey.test(message)) return 'upstream_credential';
  return undefined;
}

function plainCode({ names, status }: Words): ErrorCode {
  if (status !== undefined) return codeOfStatus(status);
  for (const name of names) {
    const code = plain[name];
    if (code !== undefined) return code;
  }
  return 'provider_failed';
}

function waitIn(message: string | undefined): number | undefined {
  const match = /(?:try again|retry) (?:in|after) (\d+(?:\.\d+)?) ?(ms|s)/i.exec(message ?? '');
  if (match === null) return undefined;
  return Number(match[1]) / (match[2]?.toLowerCase() === 'ms' ? 1000 : 1);
}
