import { type ErrorCode, HeadgateError } from '../../core/errors.ts';
import { isObject, parseJson } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { ReportedFailure } from '../adapter.ts';
import { reportsContextOverflow } from '../context-overflow.ts';
import { textOf } from '../lenient.ts';
import { reportsRefusedSeal } from '../refused-seal.ts';

/** Types that are more precise than their status. */
const specificCodes = wordTable<ErrorCode>({
  rate_limit_error: 'upstream_rate_limit',
  overloaded_error: 'provider_overloaded',
  request_too_large: 'upstream_too_large',
  not_found_error: 'upstream_not_found',
  timeout_error: 'provider_timeout',
  // The operator's account or key is at fault, never the caller's, so another endpoint may serve.
  authentication_error: 'upstream_credential',
  permission_error: 'upstream_credential',
  billing_error: 'upstream_credential',
});

/** Types that matter only inside a stream, which has no status. */
const plain = wordTable<ErrorCode>({
  invalid_request_error: 'upstream_invalid_request',
  api_error: 'provider_failed',
});

/**
 * Stable names of causes that are more precise than the type. All concern the operator's account, whatever the
 * status.
 */
const causes = wordTable<ErrorCode>({
  organization_on_hold: 'upstream_credential',
  claude_code_key_creator_not_member: 'upstream_credential',
  cmek_key_disabled: 'upstream_credential',
  cmek_key_network_blocked: 'upstream_credential',
  user_profile_required: 'upstream_credential',
  user_profile_not_found: 'upstream_credential',
  // Rate limits by status, but waiting does not help.
  contract_spend_limit_reached: 'upstream_credential',
  enforced_spend_limit_reached: 'upstream_credential',
});

/** Problems of the operator's account that are reported as a malformed request. */
const ofAccount =
  /credit balance is too low|reached your specified .*usage limits|organization has been disabled/i;

interface Words {
  readonly type: string | undefined;
  readonly cause: string | undefined;
  readonly message: string | undefined;
}

/** Reads the body of a refusal in this dialect: `{type: "error", error: {type, message, details}}`. */
export function readFailure(_status: number, body: string): ReportedFailure {
  const value = parseJson(body);
  if (!isObject(value)) return {};
  const words = readTexts(value.error);
  return { code: specificCode(words), message: words.message, providerCode: words.cause ?? words.type };
}

/** The error for a failure reported inside a stream; `reported` is the value of `error`, of any shape. */
export function streamFailure(reported: unknown): HeadgateError {
  const words = readTexts(reported);
  const code = specificCode(words) ?? plain[words.type ?? ''] ?? 'provider_failed';
  const providerCode = words.cause ?? words.type;
  return new HeadgateError(code, words.message, {
    metadata: providerCode === undefined ? {} : { provider_code: providerCode },
  });
}

function readTexts(reported: unknown): Words {
  const error = isObject(reported) ? reported : {};
  const cause = isObject(error.details) ? textOf(error.details.error_code) : undefined;
  return { type: textOf(error.type), cause, message: textOf(error.message) };
}

function specificCode({ type = '', cause = '', message = '' }: Words): ErrorCode | undefined {
  const known = causes[cause];
  if (known !== undefined) return known;
  if (reportsContextOverflow(message) || reportsContextOverflow(type)) return 'upstream_context_length';
  if (reportsRefusedSeal(message)) return 'upstream_seal';
  if (/content filtering policy|usage polic/i.test(message)) return 'upstream_policy';
  if (ofAccount.test(message)) return 'upstream_credential';
  return specificCodes[type];
}
