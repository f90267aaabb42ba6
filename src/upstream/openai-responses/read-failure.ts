import { type ErrorCode, HeadgateError } from '../../core/errors.ts';
import { isObject } from '../../core/json.ts';
import { wordTable } from '../../core/word-table.ts';
import type { ReportedFailure } from '../adapter.ts';
import { saysContextOverflow } from '../context-overflow.ts';
import { parseJson, textOf } from '../lenient.ts';

/** Codes and types that say more than the status they come with. */
const telling = wordTable<ErrorCode>({
  rate_limit_exceeded: 'upstream_rate_limit',
  rate_limit_error: 'upstream_rate_limit',
  slow_down: 'upstream_rate_limit',
  // Comes as a 429, but waiting does not help: the operator's credit with the provider is used up.
  insufficient_quota: 'upstream_credential',
  billing_hard_limit_reached: 'upstream_credential',
  invalid_api_key: 'upstream_credential',
  context_length_exceeded: 'upstream_context_length',
  content_policy_violation: 'upstream_policy',
  image_content_policy_violation: 'upstream_policy',
  content_filter: 'upstream_policy',
  bio_policy: 'upstream_policy',
  cyber_policy_violation: 'upstream_policy',
  model_not_found: 'upstream_not_found',
  unsupported_country_region_territory: 'upstream_region',
  data_residency_mismatch: 'upstream_region',
  overloaded: 'provider_overloaded',
  overloaded_error: 'provider_overloaded',
  server_is_overloaded: 'provider_overloaded',
  vector_store_timeout: 'provider_timeout',
});

/** Codes that matter only inside a stream, where no status helps. */
const plain = wordTable<ErrorCode>({
  server_error: 'provider_failed',
  invalid_prompt: 'upstream_invalid_request',
  invalid_request_error: 'upstream_invalid_request',
  unsupported_image_media_type: 'upstream_invalid_request',
  failed_to_download_image: 'upstream_invalid_request',
  empty_image_file: 'upstream_invalid_request',
  authentication_error: 'upstream_credential',
});

interface Words {
  readonly message: string | undefined;
  readonly codes: readonly string[];
}

/** Reads the body of a refusal in this dialect: `{error: {message, type, code}}`, flat or nested. */
export function readFailure(_status: number, body: string): ReportedFailure {
  const value = parseJson(body);
  if (!isObject(value)) return {};
  const words = readWords(isObject(value.error) ? value.error : value);
  return {
    code: tellingCode(words),
    message: words.message,
    providerCode: words.codes[0],
    retryAfter: retryAfter(words.message),
  };
}

/** The error for a failure reported inside a stream; `reported` is what stands in `error`, of any shape. */
export function streamFailure(reported: unknown): HeadgateError {
  const words = readWords(isObject(reported) ? reported : {});
  const code = tellingCode(words) ?? plainCode(words) ?? 'provider_failed';
  const [providerCode] = words.codes;
  return new HeadgateError(code, words.message, {
    retryAfter: retryAfter(words.message),
    metadata: providerCode === undefined ? {} : { provider_code: providerCode },
  });
}

function readWords(error: { readonly [key: string]: unknown }): Words {
  const codes = [error.code, error.type].flatMap((value) => textOf(value) ?? []);
  // A flat event calls itself `error`, which says nothing.
  return { message: textOf(error.message), codes: codes.filter((code) => code !== 'error') };
}

function tellingCode({ message = '', codes }: Words): ErrorCode | undefined {
  for (const code of codes) {
    const known = telling[code];
    if (known !== undefined) return known;
  }
  if ([message, ...codes].some(saysContextOverflow)) return 'upstream_context_length';
  // The same code stands for malformed prompts and for prompts that were flagged.
  if (codes.includes('invalid_prompt') && /usage polic/i.test(message)) return 'upstream_policy';
  return undefined;
}

function plainCode({ codes }: Words): ErrorCode | undefined {
  for (const code of codes) {
    const known = plain[code] ?? (/image/.test(code) ? 'upstream_invalid_request' : undefined);
    if (known !== undefined) return known;
  }
  return undefined;
}

function retryAfter(message: string | undefined): number | undefined {
  const match = /try again in (\d+(?:\.\d+)?)(ms|s)\b/i.exec(message ?? '');
  if (match === null) return undefined;
  return Number(match[1]) / (match[2]?.toLowerCase() === 'ms' ? 1000 : 1);
}
