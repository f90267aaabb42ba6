import type { Catalogue } from '../core/catalogue.ts';
import { type Availability, type ErrorCode, HeadgateError } from '../core/errors.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { ExcludedTarget, FilterReason } from './route-plan.ts';

const documentation = '/docs#errors';
const suggestionCount = 3;

/** 400 for a slug the catalogue does not know, with the nearest names it has (routing.md 5.4). */
export function unknownModel(slug: string, request: InferenceRequest, catalogue: Catalogue): HeadgateError {
  const suggestions = nearestModels(slug, catalogue);
  const hint = suggestions.length === 0 ? '' : ` Did you mean ${suggestions.join(' or ')}?`;
  return unavailable('model_not_found', `The model "${short(slug)}" does not exist.${hint}`, request, {
    code: 'model_not_found',
    ...(suggestions.length === 0 ? {} : { fallback_models: suggestions }),
  });
}

/** 404 for a model nobody serves. */
export function refuseWithoutEndpoints(request: InferenceRequest): HeadgateError {
  const names = request.models.join(', ');
  return unavailable('no_endpoints', `No endpoint is configured for ${names}.`, request, {
    code: 'no_endpoints',
  });
}

/** 503 when the request's own requirements leave no endpoint; names who serves the model and what ruled them out. */
export function refuseFiltered(
  request: InferenceRequest,
  excluded: readonly ExcludedTarget[],
): HeadgateError {
  const reasons = [...new Set(excluded.map((target) => target.excludedBy))];
  const providers = [...new Set(excluded.map((target) => target.endpoint.provider.name))];
  const last = excluded.at(-1)?.excludedBy ?? 'allowed_providers';
  const detail = constraintDetails[last];
  const message = `${request.models.join(', ')} is served by ${providers.join(', ')}, but ${detail.text} leaves none of them.`;
  return unavailable(
    'constraint_filtered',
    message,
    request,
    {
      code: last.startsWith('data_policy') ? 'privacy_restricted' : 'constraint_filtered',
      affected_providers: providers,
      excluded_by: reasons,
      constraint: { field: detail.field, detail: detail.text },
    },
    { 'x-should-retry': 'false' },
  );
}

const constraintDetails: Record<FilterReason, { readonly field: string; readonly text: string }> = {
  allowed_providers: { field: 'provider.only', text: 'the list of allowed or ignored providers' },
  'data_policy:training': { field: 'provider.data_collection', text: 'the refusal of training on prompts' },
  'data_policy:zdr': { field: 'provider.zdr', text: 'the demand for zero data retention' },
  modality: { field: 'input', text: 'the kind of content in the input or asked for' },
  quantization: { field: 'provider.quantizations', text: 'the list of quantizations' },
  context_length: { field: 'max_output_tokens', text: 'the wanted length of the output' },
  max_price: { field: 'provider.max_price', text: 'the price limit' },
  require_parameters: {
    field: 'provider.require_parameters',
    text: 'the demand that every parameter is supported',
  },
};

function unavailable(
  code: ErrorCode,
  message: string,
  request: InferenceRequest,
  facts: Partial<Availability> & { readonly code: string },
  headers?: Readonly<Record<string, string>>,
): HeadgateError {
  const availability: Availability = {
    retryable: false,
    requested_models: request.models,
    docs_url: documentation,
    ...facts,
  };
  return new HeadgateError(code, message, { metadata: { availability }, headers });
}

/** Models whose name is the same apart from author or variant, else those that contain what was asked. */
function nearestModels(slug: string, catalogue: Catalogue): readonly string[] {
  const wanted = bareName(slug);
  if (wanted === '') return [];
  const ids = [...catalogue.models.keys()];
  const exact = ids.filter((id) => bareName(id) === wanted);
  const found = exact.length > 0 ? exact : ids.filter((id) => id.toLowerCase().includes(wanted));
  return found.slice(0, suggestionCount);
}

function bareName(slug: string): string {
  const name = slug.toLowerCase().split('/').at(-1) ?? '';
  return name.split(':')[0] ?? '';
}

function short(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
