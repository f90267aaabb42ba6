import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorTable } from '../src/core/errors.ts';
import { responseErrorCode } from '../src/dialects/gateway/assembly/response-error-code.ts';

/** The file of the error reference. */
export const errorReferenceFile = join(import.meta.dirname, '../docs/errors.md');

/** Generates docs/errors.md from the error table. */
export function renderErrorReference(): string {
  const rows = Object.entries(errorTable).map(
    ([code, { type, status, retryable, next, text }]) =>
      `| \`${code}\` | \`${type}\` | ${status} | \`${responseErrorCode(type)}\` | ${retryable ? 'yes' : 'no'} | ${next} | ${text} |`,
  );
  return `${head}${rows.join('\n')}\n${foot}`;
}

const head = `# Errors

<!-- Made by \`npm run docs\` from src/core/errors.ts; a test compares the two. -->

Every failure is a row of one table. An HTTP error body is

\`\`\`json
{ "error": { "code": 400, "message": "temperature: must be between 0 and 2, got 3",
             "metadata": { "error_type": "invalid_request" } }, "user_id": null }
\`\`\`

where \`code\` is the HTTP status and \`metadata.error_type\` the type below. After the status of a stream was sent, the same failure is a flat
\`error\` event and a \`response.failed\` event whose response has \`error.code\` and \`error_type\`.

"Then" says what happens if a provider fails in this way before the answer begins: \`endpoint\` tries the next endpoint, \`model\` skips the
model's other endpoints and tries the next model, \`stop\` ends the request.

| Row | \`error_type\` | HTTP | \`error.code\` of a failed response | Retry may help | Then | When |
|---|---|---|---|---|---|---|
`;

const foot = `
## Metadata

| Member | On |
|---|---|
| \`provider_name\`, \`provider_code\` | failures of a provider |
| \`previous_errors\` | every attempt before the last: \`provider\`, \`code\`, \`status\` |
| \`credential_label\` | failures of the account's own credential: its label |
| \`availability\` | no endpoint could serve: \`code\`, \`retryable\`, \`requested_models\`, and what excluded them; \`GET /docs\` lists the codes |
| \`unsupported\` | a refused \`thread\` of Messages: \`[thread]\`, in \`error.details\` there |
| \`patterns\` | 403 for prompt injection: what was found, at most 20 pieces of 200 characters |
| \`file_annotations\` | what was read of files before every provider failed, for a retry |
| \`reasons\`, \`flagged_input\`, \`model_slug\` | 403 of moderation: names of categories, what was flagged (at most 100 characters), the model |
| \`permission\`, \`roles\` | a 403 because of the [role](spec/identity.md#permissions) of a management key: what the operation needs, and the roles that have it |
| \`reason\` | a 401 or 403 of a [token](spec/workloads.md): \`token_expired\`, \`no_policy\`, \`no_subject\`, \`too_many_subjects\`, \`policy_unusable\`; a 403 of a session: \`key_not_typed\` |
| \`limit_source\`, \`remedy_hint\`, \`reason\` | every 402 (the reason as in the table below); branch on the source, show the hint |
| \`limit_source\` | a 429 of this service |
| \`limit_source\`, \`scope\`, \`limit_usd\`, \`spend_usd\`, \`resets_at\` | a 403 because a budget is used up; \`resets_at\` is null where it never begins anew |
| \`rate\` | a 429 of a rate or of parallel requests: \`metric\`, \`limit\`, \`used\`, \`window_seconds\` |

## 402 and 429 of this service

| Status | \`limit_source\` | \`reason\` | Headers | When |
|---|---|---|---|---|
| 402 | \`service_credits\` | | | the balance is negative (free models too), zero, or does not cover the request |
| 402 | \`service_credits\` | \`weight_exceeds_budget\` | | the request alone may cost more than the whole in-flight budget |
| 402 | \`service_in_flight_budget\` | \`in_flight_budget_exhausted\` | \`Retry-After\` | running requests, and charges of the last two minutes, fill the budget |
| 402 | \`service_key_limit\` | | | the key has spent its limit |
| 402 | \`service_key_limit\`, \`service_guardrail_budget\`, \`service_workspace_budget\` | \`limit_reserved\` | \`Retry-After\`, \`x-should-retry: true\` | running requests hold what is left of the limit or the budget |
| 429 | \`service_free_tier_minute\` | | \`Retry-After\`, \`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\` | too many requests for free models in this UTC minute |
| 429 | \`service_free_tier_daily\` | | \`Retry-After\`, \`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\` | the same in this UTC day |

\`X-RateLimit-Reset\` is the end of the window in Unix milliseconds. Running requests hold what they may cost of limits
and budgets ([held limits](spec/money.md#held-limits)). In a stream that has begun, the same members are in
\`response.error.metadata\`, with the status as \`code\`.

For provider failures \`Retry-After\` is set if every provider tried gave a hint. A 503 that retrying cannot fix has \`x-should-retry: false\`. A 500
shows only its \`X-Generation-Id\`, which is also in the server's log.
`;

if (import.meta.main) writeFileSync(errorReferenceFile, renderErrorReference());
