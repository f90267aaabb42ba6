import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorTable } from '../src/core/errors.ts';
import { responseErrorCode } from '../src/dialects/responses/answer/response-error-code.ts';

/** Where the reference of errors is kept. */
export const errorReferenceFile = join(import.meta.dirname, '../docs/errors.md');

/** The text of docs/errors.md, made from the error table itself. */
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

where \`code\` is the HTTP status and \`metadata.error_type\` the type below. After a stream's status was sent, the same
failure is a flat \`error\` event and a \`response.failed\` event whose response carries \`error.code\` and \`error_type\`.

"Then" is what happens to the request when the failure comes from a provider before anything was answered: the next
\`endpoint\` is tried, the model's other endpoints are skipped and the next \`model\` is tried, or it \`stop\`s.

| Row | \`error_type\` | HTTP | \`error.code\` of a failed response | Retry may help | Then | When |
|---|---|---|---|---|---|---|
`;

const foot = `
## Metadata

| Member | On |
|---|---|
| \`provider_name\`, \`provider_code\` | failures of a provider |
| \`previous_errors\` | every attempt before the last: \`provider\`, \`code\`, \`status\` |
| \`credential_label\` | failures of the account's own credential: what may be shown of it |
| \`availability\` | no endpoint could serve: \`code\`, \`retryable\`, \`requested_models\`, and what excluded them; \`GET /docs\` lists the codes |
| \`limit_source\`, \`remedy_hint\`, \`reason\` | every 402 (the reason only where the table says so); branch on the source, show the hint |
| \`limit_source\` | a 429 of this service |

## 402 and 429 of this service

| Status | \`limit_source\` | \`reason\` | Headers | When |
|---|---|---|---|---|
| 402 | \`service_credits\` | | | the balance is negative (free models too), zero, or does not cover the request |
| 402 | \`service_credits\` | \`weight_exceeds_budget\` | | the request alone may cost more than the account may have in flight |
| 402 | \`service_in_flight_budget\` | \`in_flight_budget_exhausted\` | \`Retry-After\` | running requests, and charges of the last two minutes, fill the budget |
| 402 | \`service_key_limit\` | | | the key has spent its limit |
| 429 | \`service_free_tier_minute\` | | \`Retry-After\`, \`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\` | too many requests for free models in this UTC minute |
| 429 | \`service_free_tier_daily\` | | \`Retry-After\`, \`X-RateLimit-Limit\`, \`-Remaining\`, \`-Reset\` | the same in this UTC day |

\`X-RateLimit-Reset\` is when the window ends, in Unix milliseconds. A key limit reserves nothing: requests that run when
it is reached are served and charged, so it may be overshot by what they cost, and by no request that comes after.
In a stream that had begun the same members stand in \`response.error.metadata\`, with the status as \`code\`.

For failures of providers \`Retry-After\` is set when every provider tried gave a hint. A 503 that no waiting mends carries
\`x-should-retry: false\`. A 500 tells nothing but its \`X-Generation-Id\`, which the server's log has too.
`;

if (import.meta.main) writeFileSync(errorReferenceFile, renderErrorReference());
