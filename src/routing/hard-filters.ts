import type { Modality } from '../core/catalogue.ts';
import type { Feature } from '../core/features.ts';
import type { InferenceRequest } from '../core/inference-request.ts';
import { type PicoUsd, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';
import { takesParameter } from '../core/parameters.ts';
import type { ContentPart } from '../core/request.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import type { FeaturesUsed } from '../translation/features-used.ts';
import { leavesOutParameter, refusedFeature } from '../translation/refusals.ts';
import { matchesProvider } from './provider-match.ts';
import type { ExcludedTarget, FilterReason, RoutePolicy, Target } from './route-plan.ts';

type Keep = (target: Target) => boolean;

/** What besides a request decides whether an endpoint can serve it. */
export interface FilterContext {
  readonly policy: RoutePolicy;
  readonly upstreams: UpstreamRegistry;
  /** What the request asks for beyond text and functions. */
  readonly used: FeaturesUsed;
}

/** Splits endpoints into those every rule admits and the others, each with the first rule that excludes it. */
export function applyHardFilters(
  targets: readonly Target[],
  request: InferenceRequest,
  context: FilterContext,
): { kept: Target[]; excluded: ExcludedTarget[] } {
  const filters = createFilters(request, context.policy);
  const kept: Target[] = [];
  const excluded: ExcludedTarget[] = [];
  for (const target of targets) {
    const failed = filters.find(([, keep]) => !keep(target));
    const reason = failed === undefined ? findLack(target, request, context) : { excludedBy: failed[0] };
    if (reason === undefined) kept.push(target);
    else excluded.push({ ...target, ...reason });
  }
  return { kept, excluded };
}

/** What of a request an endpoint cannot be told. One whose adapter is missing is not asked: the attempt will tell. */
function findLack(
  target: Target,
  { canonical, provider: { requireParameters } }: InferenceRequest,
  { used, upstreams }: FilterContext,
): Omit<ExcludedTarget, keyof Target> | undefined {
  if (used.size === 0) return undefined;
  const { provider, upstreamModel } = target.endpoint;
  const support = upstreams.get(provider.adapter)?.support(provider, upstreamModel);
  if (support === undefined) return undefined;
  const refused = refusedFeature(canonical, used, { ...target, support });
  if (refused !== undefined) return { excludedBy: reasonOfRefusal(refused), refused };
  const left = requireParameters === true && leavesOutParameter(used, support);
  return left ? { excludedBy: 'require_parameters' } : undefined;
}

/** The word of responses.md 9.1 for a feature an endpoint lacks. */
function reasonOfRefusal(feature: Feature): FilterReason {
  return feature.startsWith('input.') || feature.startsWith('modalities.')
    ? 'modality'
    : 'require_parameters';
}

/** The rules in the order of routing.md 3.2; a rule the request does not touch is left out. */
function createFilters(request: InferenceRequest, policy: RoutePolicy): readonly [FilterReason, Keep][] {
  const { provider, canonical, parameters } = request;
  const filters: [FilterReason, Keep][] = [];
  const { only, ignore, quantizations, maxPrice } = provider;
  if (only !== undefined || ignore !== undefined) {
    filters.push([
      'allowed_providers',
      ({ endpoint }) =>
        (only === undefined ||
          only.some((entry) => matchesProvider(entry, endpoint, canonical.serviceTier))) &&
        !ignore?.some((entry) => matchesProvider(entry, endpoint, endpoint.tier)),
    ]);
  }
  if (provider.dataCollection === 'deny') {
    filters.push([
      'data_policy:training',
      ({ endpoint }) => !endpoint.provider.trainsOnPrompts && !endpoint.provider.publishesPrompts,
    ]);
  }
  if (provider.zdr === true) {
    filters.push(['data_policy:zdr', ({ endpoint }) => !endpoint.provider.retainsPrompts]);
  }
  const modalities = neededModalities(request);
  if (modalities.size > 0 || canonical.outputModalities.includes('image')) {
    filters.push(['modality', ({ model }) => fitsModalities(model, modalities, canonical.outputModalities)]);
  }
  if (quantizations !== undefined) {
    filters.push(['quantization', ({ endpoint }) => fitsQuantization(endpoint.quantization, quantizations)]);
  }
  const output = canonical.maxOutputTokens;
  if (output !== undefined) {
    filters.push(['context_length', ({ endpoint }) => output <= (endpoint.maxCompletionTokens ?? output)]);
  }
  if (maxPrice !== undefined || policy.pricedOnly)
    filters.push(['max_price', priceFilter(maxPrice ?? {}, policy)]);
  if (provider.requireParameters === true) {
    filters.push([
      'require_parameters',
      ({ endpoint }) => parameters.every((name) => takesParameter(endpoint, name)),
    ]);
  }
  return filters;
}

const modalityOfPart: Partial<Record<ContentPart['kind'], Modality>> = {
  image: 'image',
  audio: 'audio',
  video: 'video',
};

function neededModalities(request: InferenceRequest): ReadonlySet<Modality> {
  const needed = new Set<Modality>();
  for (const item of request.canonical.items) {
    const parts = item.kind === 'message' ? item.content : item.kind === 'call_output' ? item.output : [];
    for (const part of parts) {
      const modality = modalityOfPart[part.kind];
      if (modality !== undefined) needed.add(modality);
    }
  }
  return needed;
}

function fitsModalities(
  model: Target['model'],
  inputs: ReadonlySet<Modality>,
  outputs: readonly Modality[],
): boolean {
  return (
    [...inputs].every((modality) => model.inputModalities.includes(modality)) &&
    outputs.every((modality) => model.outputModalities.includes(modality))
  );
}

function fitsQuantization(level: string | undefined, wanted: readonly string[]): boolean {
  const known = level ?? 'unknown';
  return wanted.some(
    (entry) =>
      entry === known ||
      (entry === 'fp4' && /^(mx|nv)fp4$/.test(known)) ||
      (entry === 'fp8' && known === 'mxfp8'),
  );
}

function priceFilter(
  limits: NonNullable<InferenceRequest['provider']['maxPrice']>,
  policy: RoutePolicy,
): Keep {
  const prompt = limits.prompt === undefined ? undefined : parsePricePerMillion(limits.prompt);
  const completion = limits.completion === undefined ? undefined : parsePricePerMillion(limits.completion);
  const perRequest = limits.request === undefined ? undefined : parsePricePerUnit(limits.request);
  const image = limits.image === undefined ? undefined : parsePricePerUnit(limits.image);
  return ({ endpoint }) => {
    if (policy.pricedOnly && endpoint.price === undefined) return false;
    return (
      within(endpoint.price?.prompt, prompt) &&
      within(endpoint.price?.completion, completion) &&
      within(endpoint.price?.request, perRequest) &&
      within(endpoint.price?.image, image)
    );
  };
}

function within(price: PicoUsd | undefined, limit: PicoUsd | undefined): boolean {
  return limit === undefined || (price ?? 0n) <= limit;
}
