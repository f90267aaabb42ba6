import type { ErrorCode } from '../../core/errors.ts';

/** What a client that gets an error can do about it, for each row of the error table. */
export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'Mend what the message names, mostly by the path of a member.',
  invalid_image: 'Send the picture again, whole and encoded in base64.',
  unsupported_image_format: 'Send the picture as png, jpeg, webp or gif.',
  model_not_found: 'Choose a model that GET /api/v1/models lists.',
  prompt_too_long: 'Shorten the input, ask for less output, or choose a model with a longer context.',
  authentication: 'Send Authorization: Bearer with a key that is neither disabled nor expired.',
  payment_required: 'See remedy_hint in the metadata: add credits, raise the limit of the key, or wait.',
  permission_denied:
    'Use a key of the kind the message names; for region_restricted, allow other providers or models.',
  budget_exceeded:
    'Wait for the interval to begin anew, or raise the budget: `metadata` says whose it is and how long it lasts.',
  input_flagged: 'Change the input.',
  guardrail_blocked: 'Change the input, or ask the owner of the guardrail that the message names.',
  not_found:
    'Look at the path and the ids in it; where a model is meant, availability says why it is not there.',
  method_not_allowed: 'Use one of the methods that the header Allow names.',
  no_endpoints: 'Choose another model.',
  deadline_exceeded: 'Send it again, ask for less output, or have the operator raise server.request_timeout.',
  payload_too_large: 'Send a smaller body.',
  unprocessable: 'Mend the contradiction that the message names.',
  platform_rate_limit: 'Wait until X-RateLimit-Reset, in Unix milliseconds, then send it again.',
  server: 'Send it again; if it stays, give the operator the X-Generation-Id.',
  constraint_filtered: 'Loosen the requirement that availability names; sending the same again is of no use.',
  temporarily_unavailable:
    'Send it again in a while, as Retry-After says where it is set, or allow other models.',
  service_unavailable: 'Send it again in a while, as Retry-After says where it is set.',
  tool_server_failed:
    'Check the address and the credentials of the MCP server, or send the request again in a while.',
  answer_cut_off: 'Send it again in a while, or ask for less output.',
  upstream_invalid_request: 'Read what the provider says in the message, or allow other providers or models.',
  upstream_context_length: 'Shorten the input, or allow providers with a longer context.',
  upstream_seal: 'Send it without the encrypted content and signatures of its reasoning items.',
  upstream_policy: 'Change the content.',
  upstream_flagged: 'Change the input.',
  upstream_region: 'Allow other providers or models.',
  upstream_not_found: 'Allow other providers, or choose another model.',
  upstream_too_large: 'Send a smaller request.',
  upstream_unprocessable: 'Read what the provider says in the message, or allow other providers or models.',
  upstream_rate_limit: 'Send it again in a while, as Retry-After says where it is set.',
  upstream_credential: 'Look at your own credential if one is named; else tell the operator.',
  provider_failed: 'Send it again.',
  provider_endless:
    'Ask for less output, allow other providers, or have the operator raise limits.answer_bytes.',
  provider_timeout: 'Send it again, or allow other providers or models.',
  provider_overloaded: 'Send it again in a while, as Retry-After says where it is set.',
};

/** The codes of `error.metadata.availability`: why no endpoint could serve (docs/spec/errors.md#availability). */
export const availabilityAdvice: readonly (readonly [code: string, meaning: string, advice: string])[] = [
  ['model_not_found', 'No model has this name.', 'Choose one that GET /api/v1/models lists.'],
  ['wrong_endpoint', 'The model writes what this interface does not return.', 'Choose one that writes text.'],
  ['no_endpoints', 'Nobody serves the model here.', 'Choose another model.'],
  ['model_deprecated', 'The model is retired.', 'Use one of fallback_models, where it has any.'],
  [
    'free_variant_ended',
    'The free offer of the model has ended.',
    'Use one of fallback_models, where it has any.',
  ],
  ['model_unavailable_upstream', 'No provider asked knows the model.', 'Choose another model.'],
  ['region_restricted', 'No provider serves this region.', 'Allow other providers or models.'],
  [
    'capacity_exhausted',
    'Every provider limits the rate.',
    'Send it again in a while, as retry_after says where it is set.',
  ],
  ['privacy_restricted', 'No endpoint keeps to the data policy asked for.', 'Loosen it, or allow others.'],
  [
    'constraint_filtered',
    'No endpoint meets the requirements.',
    'Loosen or leave out what constraint and excluded_by name.',
  ],
  ['temporarily_unavailable', 'Every endpoint tried failed.', 'Send it again in a while.'],
];
