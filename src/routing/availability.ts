import type { Catalogue } from '../core/catalogue.ts';
import { type Availability, type ErrorCode, HeadgateError } from '../core/errors.ts';
import { features } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { faultOfFeature } from '../translation/refusals.ts';
import type { Alteration } from '../translation/translation.ts';
import type { ExcludedTarget, FilterReason, Target } from './route-plan.ts';

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

/**
 * 503 when the request's own requirements leave no endpoint; names who serves the model and what ruled them out.
 * 400 when it asks what no model of the request can be asked.
 * @param used Where the request uses the features that were refused.
 */
export function refuseFiltered(
  request: InferenceRequest,
  excluded: readonly ExcludedTarget[],
  used: FeaturesUsed,
): HeadgateError {
  const last = excluded.at(-1);
  const faults = excluded.map(({ refused }) => refused && faultOfFeature(refused));
  if (last?.refused !== undefined && faults.every((fault) => fault !== undefined)) {
    return new HeadgateError('invalid_request', `${used.get(last.refused)}: ${faults.at(-1)}`);
  }
  const reasons = [...new Set(excluded.map((target) => target.excludedBy))];
  const providers = [...new Set(excluded.map((target) => target.endpoint.provider.name))];
  const constraint = constraintOf(excluded.findLast(({ refused }) => refused !== undefined) ?? last, used);
  const message = `${request.models.join(', ')} is served by ${providers.join(', ')}, but ${constraint.detail} leaves none of them.`;
  return unavailable(
    'constraint_filtered',
    message,
    request,
    {
      code: last?.excludedBy.startsWith('data_policy') ? 'privacy_restricted' : 'constraint_filtered',
      affected_providers: providers,
      excluded_by: reasons,
      constraint,
    },
    { 'x-should-retry': 'false' },
  );
}

function constraintOf(last: ExcludedTarget | undefined, used: FeaturesUsed): Constraint {
  if (last?.refused === undefined) return constraintDetails[last?.excludedBy ?? 'allowed_providers'];
  return { field: used.get(last.refused) ?? 'input', detail: `the need for "${features[last.refused]}"` };
}

/** An endpoint that could serve a request only by altering it, and the first thing it would alter. */
export interface AlteredTarget {
  readonly target: Target;
  readonly alteration: Alteration;
}

/** 422 when every endpoint would alter something of a request that allows no altering. */
export function refuseAltered(altered: readonly AlteredTarget[]): HeadgateError {
  const reasons = altered.map(({ target, alteration }) => {
    const { field, action, how } = alteration;
    return `${target.endpoint.provider.name}: ${field} would be ${action} (${how})`;
  });
  const list = [...new Set(reasons)].join('; ');
  const [first] = altered;
  return new HeadgateError(
    'unprocessable',
    `${first?.alteration.field ?? 'input'}: no endpoint serves this request unaltered, as X-Service-Strict demands. ${list}.`,
  );
}

interface Constraint {
  readonly field: string;
  readonly detail: string;
}

const constraintDetails: Record<FilterReason, Constraint> = {
  allowed_providers: { field: 'provider.only', detail: 'the list of allowed or ignored providers' },
  'data_policy:training': { field: 'provider.data_collection', detail: 'the refusal of training on prompts' },
  'data_policy:zdr': { field: 'provider.zdr', detail: 'the demand for zero data retention' },
  modality: { field: 'input', detail: 'the kind of content in the input or asked for' },
  quantization: { field: 'provider.quantizations', detail: 'the list of quantizations' },
  context_length: { field: 'max_output_tokens', detail: 'the wanted length of the output' },
  max_price: { field: 'provider.max_price', detail: 'the price limit' },
  require_parameters: {
    field: 'provider.require_parameters',
    detail: 'the demand that every parameter is supported',
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
