import type { ErrorCode } from '../../core/errors.ts';

/** What whoever gets an error can do about it, for each row of the error table. */
export const errorAdvice: Readonly<Record<ErrorCode, string>> = {
  invalid_request: 'Mend what the message names; it begins with the path of the member at fault.',
  invalid_image: 'Send the picture again, whole and encoded in base64.',
  unsupported_image_format: 'Send the picture as png, jpeg, webp or gif.',
  model_not_found: 'Choose a model that GET /api/v1/models lists.',
  prompt_too_long: 'Shorten the input, ask for less output, or choose a model with a longer context.',
  authentication: 'Send Authorization: Bearer with a key that is neither disabled nor expired.',
  payment_required: 'See remedy_hint in the metadata: add credits, raise the limit of the key, or wait.',
  permission_denied: 'Use a key of the other kind, or one that is allowed to do this.',
  input_flagged: 'Change the input.',
  not_found: 'Look at the path and the ids in it.',
  no_endpoints: 'Choose another model.',
  deadline_exceeded: 'Ask for less, stream the answer, or have the operator raise the time limit.',
  payload_too_large: 'Send a smaller body.',
  unprocessable: 'Remove one of the members that the message names.',
  platform_rate_limit: 'Wait until the time in X-RateLimit-Reset or as long as Retry-After says.',
  server: 'Send it again; if it stays, give the operator the X-Generation-Id.',
  constraint_filtered: 'Loosen the requirement that availability names; sending the same again is of no use.',
  temporarily_unavailable:
    'Send it again in a while, as Retry-After says where it is set, or allow other models.',
  service_unavailable: 'Send it again after Retry-After.',
  upstream_invalid_request: 'Read what the provider says in the message, or allow other providers or models.',
  upstream_context_length: 'Shorten the input, or allow providers with a longer context.',
  upstream_policy: 'Change the content.',
  upstream_flagged: 'Change the input.',
  upstream_region: 'Allow other providers or models.',
  upstream_not_found: 'Allow other providers, or choose another model.',
  upstream_too_large: 'Send a smaller request.',
  upstream_unprocessable: 'Read what the provider says in the message, or allow other providers or models.',
  upstream_rate_limit: 'Send it again in a while, as Retry-After says where it is set.',
  upstream_credential: 'Look at your own credential if one is named; else tell the operator.',
  provider_failed: 'Send it again.',
  provider_timeout: 'Send it again, or stream the answer.',
  provider_overloaded: 'Send it again in a while, as Retry-After says where it is set.',
};

/** The codes of `error.metadata.availability`: why no endpoint could serve (routing.md 5.4). */
export const availabilityAdvice: readonly (readonly [code: string, meaning: string, advice: string])[] = [
  ['model_not_found', 'No model has this name.', 'Choose one that GET /api/v1/models lists.'],
  ['wrong_endpoint', 'The model does not answer with text.', 'Choose a model that does.'],
  ['no_endpoints', 'Nobody serves the model here.', 'Choose another model.'],
  ['model_deprecated', 'The model is retired.', 'Use one of fallback_models.'],
  ['free_variant_ended', 'The free offer of the model has ended.', 'Use one of fallback_models.'],
  ['model_unavailable_upstream', 'No provider knows the model any more.', 'Choose another model.'],
  ['region_restricted', 'No provider serves this region.', 'Allow other providers or models.'],
  ['capacity_exhausted', 'Every provider limits the rate.', 'Wait as long as retry_after says, then retry.'],
  ['privacy_restricted', 'No endpoint keeps to the data policy asked for.', 'Loosen it, or allow others.'],
  [
    'constraint_filtered',
    'No endpoint meets the requirements.',
    'Loosen what constraint and excluded_by name.',
  ],
  ['temporarily_unavailable', 'Every endpoint tried failed.', 'Send it again in a while.'],
];
