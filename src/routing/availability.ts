import type { Availability } from '../core/error-metadata.ts';
import { type ErrorCode, HeadgateError } from '../core/errors.ts';
import { type Feature, features } from '../core/features.ts';
import { type AnyRequest, asSpelled } from '../core/inference-request.ts';
import { unavailable } from '../core/unavailable.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { faultOfFeature } from '../translation/refusals.ts';
import type { Alteration } from '../translation/translation.ts';
import type { Candidate } from './candidates.ts';
import { factsOf } from './collect-endpoints.ts';
import { matchesProvider, providerEntries } from './policy-filters.ts';
import type {
  CollectedEndpoint,
  ExcludedTarget,
  FilterReason,
  PassedOverReason,
  PassedOverTarget,
  PromptSize,
} from './route-plan.ts';

/** Throws 400 for models of another interface than responses. */
export function refuseWrongKind(request: AnyRequest, candidates: readonly Candidate[]): HeadgateError {
  const [first] = candidates;
  const kinds = first?.model.outputModalities.join(' and ') ?? 'nothing';
  return unavailable(request, {
    error: 'invalid_request',
    message: `model: "${first?.model.id}" writes ${kinds}, which this path does not return; ${otherPath(request, first)}.`,
    facts: {
      code: 'wrong_endpoint',
      constraint: { field: 'model', detail: `output_modalities: ${kinds}` },
    },
  });
}

/** Where a model of another kind is asked. */
function otherPath({ canonical }: AnyRequest, candidate: Candidate | undefined): string {
  if (canonical.kind === 'embedding') return 'use POST /responses or /chat/completions';
  const isEmbedding = candidate?.model.outputModalities.includes('embeddings') === true;
  return isEmbedding ? 'use POST /embeddings' : 'use another model';
}

/** Throws 404 for models that nobody serves, or no longer serves. */
export function refuseWithoutEndpoints(request: AnyRequest, candidates: readonly Candidate[]): HeadgateError {
  const names = namesOf(request);
  const ended = candidates.every(
    ({ model: { endpoints } }) =>
      endpoints.length > 0 && endpoints.every(({ status }) => status === 'deprecated'),
  );
  return unavailable(request, {
    error: 'no_endpoints',
    message: ended ? `No provider serves ${names} any more.` : `No endpoint is in service for ${names}.`,
    facts: { code: ended ? 'model_deprecated' : 'no_endpoints' },
  });
}

/**
 * The error when the request's or account's own requirements exclude every endpoint: names who serves the model and
 * what excluded them. The rule that removed the last endpoint decides: 403 for geography, else 503.
 * @param excluded In the order of the rules.
 * @param used Where the request uses the refused features.
 */
export function refuseFiltered(
  request: AnyRequest,
  excluded: readonly ExcludedTarget[],
  used: FeaturesUsed,
): HeadgateError {
  const last = excluded.at(-1);
  const reason = last?.excludedBy ?? 'allowed_providers';
  const constraint =
    last?.refused === undefined
      ? constraintOfFilter(reason, request, last)
      : constraintOfFeature(last.refused, used);
  const { error, code } = codeOf(reason);
  return refuseBy(request, { error, code, constraint, endpoints: excluded, reasons: excluded.map(byRule) });
}

/**
 * The error when no endpoint of the named models could serve the request, whatever its preferences: 400, because a retry
 * cannot help.
 * @param impossible Every endpoint considered, each with the first thing of the request that it cannot serve.
 */
export function refuseImpossible(
  request: AnyRequest,
  impossible: readonly ExcludedTarget[],
  { used, prompt }: { readonly used: FeaturesUsed; readonly prompt: PromptSize },
): HeadgateError {
  const last = impossible.findLast(({ excludedBy }) => excludedBy !== 'context_length') ?? impossible.at(-1);
  const faults = impossible.map(({ refused }) => refused && faultOfFeature(refused));
  if (last?.refused !== undefined && faults.every((fault) => fault !== undefined)) {
    return new HeadgateError('invalid_request', `${used.get(last.refused)}: ${faults.at(-1)}`);
  }
  const byLength = impossible.every(({ excludedBy }) => excludedBy === 'context_length');
  const constraint =
    last?.refused === undefined
      ? constraintOfFilter(last?.excludedBy ?? 'modality', request, last)
      : constraintOfFeature(last.refused, used);
  return refuseBy(request, {
    error: byLength ? 'prompt_too_long' : 'invalid_request',
    code: 'constraint_filtered',
    constraint,
    endpoints: impossible,
    reasons: impossible.map(byRule),
    place: constraint.field,
    ...(byLength && lengthRemedy(request, impossible, prompt)),
  });
}

/** Needed and available tokens, as numbers where the context is what is too small. */
function lengthRemedy(
  { canonical }: AnyRequest,
  impossible: readonly ExcludedTarget[],
  { tokens }: PromptSize,
): Pick<Refusal, 'remedy' | 'tokens'> {
  const output = canonical.maxOutputTokens ?? 0;
  const largest = (sizes: readonly (number | undefined)[]) =>
    Math.max(0, ...sizes.filter((size) => size !== undefined));
  const written = largest(impossible.map(({ endpoint }) => endpoint.maxCompletionTokens));
  if (
    impossible.every(({ endpoint }) => output > (endpoint.maxCompletionTokens ?? Number.POSITIVE_INFINITY))
  ) {
    const remedy = ` It asks for ${output} tokens of output; at most ${written} can be written. Ask for less.`;
    return { remedy };
  }
  const room = largest(impossible.map(({ endpoint }) => endpoint.contextLength ?? endpoint.maxPromptTokens));
  const less = output === 0 ? '' : ', ask for less output';
  const way = canonical.kind === 'chat' ? `prompt${less} or use the plugin context-compression` : 'input';
  const parts = output === 0 ? '' : ` (${tokens} of input, ${output} of output)`;
  const remedy = ` It needs about ${tokens + output} tokens${parts}; ${room} are available. Send a shorter ${way}.`;
  return { remedy, tokens: { input: tokens, output, available: room } };
}

/**
 * 503 when endpoints could serve the request but may not be tried: the listed ones do not serve it, or no own
 * credential does.
 */
export function refusePassedOver(
  request: AnyRequest,
  passedOver: readonly PassedOverTarget[],
  excluded: readonly ExcludedTarget[],
): HeadgateError {
  const because = passedOver.at(-1)?.because ?? 'own_credentials';
  return refuseBy(request, {
    error: 'constraint_filtered',
    code: 'constraint_filtered',
    constraint: constraintOfPassing(because, request),
    endpoints: [...excluded, ...passedOver],
    reasons: [...excluded.map(byRule), ...passedOver.map((target) => target.because)],
  });
}

function byRule({ excludedBy }: ExcludedTarget): string {
  return excludedBy;
}

function codeOf(reason: FilterReason): { readonly error: ErrorCode; readonly code: string } {
  if (reason === 'geo') return { error: 'permission_denied', code: 'region_restricted' };
  const code = reason.startsWith('data_policy') ? 'privacy_restricted' : 'constraint_filtered';
  return { error: 'constraint_filtered', code };
}

function namesOf(request: AnyRequest): string {
  return request.models.map((slug) => asSpelled(slug, request)).join(', ');
}

interface Refusal {
  readonly error: ErrorCode;
  readonly code: string;
  readonly constraint: Constraint;
  readonly endpoints: readonly CollectedEndpoint[];
  readonly reasons: readonly string[];
  /** Where in the request the fault is, when the request itself has one. */
  readonly place?: string;
  /** What to do about it, with a space before it. */
  readonly remedy?: string;
  readonly tokens?: Availability['tokens'];
}

function refuseBy(
  request: AnyRequest,
  { error, code, constraint, endpoints, reasons, place, remedy = '', tokens }: Refusal,
): HeadgateError {
  const providers = [...new Set(endpoints.map(({ endpoint }) => endpoint.provider.name))];
  const message = `${place === undefined ? '' : `${place}: `}${namesOf(request)} is served by ${providers.join(', ')}, but ${constraint.detail} leaves none of them.${remedy}`;
  const facts = { code, affected_providers: providers, excluded_by: [...new Set(reasons)], constraint };
  return unavailable(request, { error, message, facts: { ...facts, ...(tokens && { tokens }) } });
}

/** An endpoint that could serve a request only by altering it, and its first alteration. */
export interface AlteredTarget {
  readonly target: CollectedEndpoint;
  readonly alteration: Alteration;
}

/** 422 when every endpoint would alter a request that forbids it. */
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

/**
 * A field of the request and a description of what it demands: `availability.constraint` of
 * docs/spec/errors.md#availability.
 */
interface Constraint {
  readonly field: string;
  readonly detail: string;
}

/** Not a limit that the request set: an endpoint without a known price cannot be charged to limited money. */
const unpricedConstraint: Constraint = {
  field: 'model',
  detail: 'the need for a stated price where credits are paid in advance or the key has a limit',
};

/** The constraint of a feature that an endpoint lacks. */
function constraintOfFeature(feature: Feature, used: FeaturesUsed): Constraint {
  return { field: used.get(feature) ?? 'input', detail: `the need for "${features[feature]}"` };
}

/**
 * The constraint of a hard rule, with the request's own values.
 * @param excluded The endpoint that the rule excluded.
 */
function constraintOfFilter(
  reason: FilterReason,
  request: AnyRequest,
  excluded: CollectedEndpoint | undefined,
): Constraint {
  const { provider, canonical, parameters } = request;
  switch (reason) {
    case 'allowed_providers':
      return providerConstraint(request, excluded);
    case 'geo':
      return { field: 'provider', detail: 'the country this service stands in' };
    case 'data_region':
      return { field: 'provider', detail: 'the region data must stay in' };
    case 'data_policy:training':
      return provider.dataCollection === 'deny'
        ? { field: 'provider.data_collection', detail: 'the refusal of training on prompts' }
        : { field: 'provider', detail: 'the account’s refusal of training on prompts' };
    case 'data_policy:zdr':
      return provider.zdr === true
        ? { field: 'provider.zdr', detail: 'the demand for zero data retention' }
        : { field: 'provider', detail: 'the account’s demand for zero data retention' };
    case 'distillable':
      return { field: 'provider.enforce_distillable_text', detail: 'the demand for distillable text' };
    case 'modality':
      return { field: 'input', detail: 'the kind of content in the input or asked for' };
    case 'quantization':
      return {
        field: 'provider.quantizations',
        detail: `the list of quantizations${shown(provider.quantizations)}`,
      };
    case 'context_length':
      return lengthConstraint(canonical.maxOutputTokens);
    case 'max_price':
      if (excluded !== undefined && excluded.endpoint.price === undefined) return unpricedConstraint;
      return { field: 'provider.max_price', detail: `the price limit${shownPrices(provider.maxPrice)}` };
    case 'require_parameters':
      return {
        field: 'provider.require_parameters',
        detail: `the demand that every parameter is supported${shown(parameters)}`,
      };
  }
}

/** The constraint that keeps suitable endpoints from being tried. */
function constraintOfPassing(reason: PassedOverReason, { provider }: AnyRequest): Constraint {
  if (reason === 'own_credentials') {
    return { field: 'byok', detail: 'the lack of a provider credential that may be used' };
  }
  return {
    field: 'provider.order',
    detail: `the list of providers to try${shown(provider.order)} without fallbacks`,
  };
}

/** The request's list that excludes the endpoint; the account's when neither does. */
function providerConstraint(
  { provider: { only, ignore }, canonical }: AnyRequest,
  excluded: CollectedEndpoint | undefined,
): Constraint {
  const facts = excluded && factsOf(excluded.model).find(({ endpoint }) => endpoint === excluded.endpoint);
  const names = (list: readonly string[], tier: string | undefined) =>
    facts !== undefined && providerEntries(list).some((entry) => matchesProvider(entry, facts, tier));
  if (only !== undefined && !names(only, canonical.serviceTier))
    return { field: 'provider.only', detail: `the list of allowed providers${shown(only)}` };
  if (ignore !== undefined && names(ignore, facts?.endpoint.tier))
    return { field: 'provider.ignore', detail: `the list of ignored providers${shown(ignore)}` };
  return { field: 'provider', detail: 'the account’s list of allowed or ignored providers' };
}

function lengthConstraint(output: number | undefined): Constraint {
  if (output === undefined) return { field: 'input', detail: 'the length of the input' };
  return {
    field: 'max_output_tokens',
    detail: `the length of the input and of the wanted output (${output})`,
  };
}

function shownPrices(prices: AnyRequest['provider']['maxPrice']): string {
  return shown(
    Object.entries(prices ?? {}).flatMap(([name, limit]) => (limit === undefined ? [] : `${name} ${limit}`)),
  );
}

const maxShown = 10;

function shown(values: readonly string[] | undefined): string {
  if (values === undefined || values.length === 0) return '';
  const more = values.length > maxShown ? ', …' : '';
  return ` (${values
    .slice(0, maxShown)
    .map((value) => value.slice(0, 60))
    .join(', ')}${more})`;
}
