import { blendedPrice } from '../core/blended-price.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import type { FeatureSupport } from '../core/features.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { CanonicalRequest } from '../core/request.ts';
import { isVisible } from '../core/resolve-slug.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import type { Candidate } from './candidates.ts';
import type { CollectedEndpoint } from './route-plan.ts';

/** An endpoint with what every plan needs of it, computed once while its model is in the catalogue. */
export interface EndpointFacts extends CollectedEndpoint {
  /** Lowercase, because entries of `provider` are compared in lowercase. */
  readonly tag: string;
  /** The provider's slug and its name, lowercase. */
  readonly provider: string;
  readonly providerName: string;
  /** Its index in the model's list. */
  readonly place: number;
  /** `blendedPrice` of the list price. */
  readonly price: number;
}

const factsOfModels = new WeakMap<Model, readonly EndpointFacts[]>();

/** The facts of a model's endpoints, in its order; always the same objects for the same model. */
export function factsOf(model: Model): readonly EndpointFacts[] {
  let facts = factsOfModels.get(model);
  if (facts === undefined) {
    facts = model.endpoints.map((endpoint, place) => createFacts(model, endpoint, place));
    factsOfModels.set(model, facts);
  }
  return facts;
}

function createFacts(model: Model, endpoint: Endpoint, place: number): EndpointFacts {
  const { slug, name } = endpoint.provider;
  return {
    model,
    endpoint,
    tag: endpoint.tag.toLowerCase(),
    provider: slug.toLowerCase(),
    providerName: name.toLowerCase(),
    place,
    price: blendedPrice(endpoint.price),
  };
}

/** The parts of a request that decide which endpoints may see it. */
export interface RoutingCriteria extends Pick<AnyRequest, 'provider'> {
  readonly canonical: Pick<CanonicalRequest, 'serviceTier'>;
}

/** An endpoint of one of the candidates. */
export interface CollectedEndpoints {
  readonly candidate: Candidate;
  /** The candidate's index among all. */
  readonly place: number;
  readonly facts: EndpointFacts;
}

/**
 * The endpoints that a request could reach: those of the default tier and of tiers it opts in to, without disabled
 * ones and other accounts' private ones (docs/spec/routing.md#collecting, docs/spec/routing.md#service-tiers).
 */
export function collectEndpoints(
  candidates: readonly Candidate[],
  request: RoutingCriteria,
  accountId: string | undefined,
): readonly CollectedEndpoints[] {
  const named = tagsNamed(request);
  const collected: CollectedEndpoints[] = [];
  for (const [place, candidate] of candidates.entries()) {
    const tiers = tiersOf(candidate, request);
    for (const facts of factsOf(candidate.model)) {
      const { status, tier } = facts.endpoint;
      if (status !== undefined || !isVisible(facts.endpoint, accountId)) continue;
      const optedIn = tier === 'default' || tiers.includes(tier) || named?.has(facts.tag) === true;
      if (optedIn) collected.push({ candidate, place, facts });
    }
  }
  return collected;
}

/** Naming the tag of a tier endpoint opts in to it (docs/spec/routing.md#provider-names). */
function tagsNamed({ provider: { only, order } }: RoutingCriteria): ReadonlySet<string> | undefined {
  if (only === undefined && order === undefined) return undefined;
  return new Set([...(only ?? []), ...(order ?? [])].map((entry) => entry.toLowerCase()));
}

const noTiers: readonly string[] = [];

/**
 * The tiers that compete beside the default one: the requested one, and those that the candidate's variant allows.
 */
function tiersOf({ variant }: Candidate, { canonical, provider }: RoutingCriteria): readonly string[] {
  const requested = canonical.serviceTier;
  if (requested === undefined && variant === undefined) return noTiers;
  const lapsed = provider.sort?.by !== undefined || provider.order !== undefined || requested === 'default';
  const admitted = lapsed ? undefined : variant && tierOfVariant[variant];
  return [requested, admitted].filter((tier) => tier !== undefined);
}

const tierOfVariant = { nitro: 'priority', floor: 'flex', exacto: undefined } as const;

/** How the dialect of an endpoint handles each feature; undefined when no adapter for it is installed. */
export function endpointSupport(
  { provider, upstreamModel }: Endpoint,
  upstreams: UpstreamRegistry,
): FeatureSupport | undefined {
  return upstreams.get(provider.adapter)?.support(provider, upstreamModel);
}
