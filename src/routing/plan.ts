import type { Model } from '../core/catalogue.ts';
import { offeredTools } from '../core/client-tools.ts';
import type { HeadgateError } from '../core/errors.ts';
import { featureOfTool } from '../core/features.ts';
import type { HostedKind } from '../core/hosted.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { CanonicalRequest, HostedTool, Tool, ToolChoice } from '../core/request.ts';
import { savesByCache } from '../core/saves-by-cache.ts';
import type { UpstreamRegistry } from '../ports/upstream.ts';
import { type FeaturesUsed, featuresUsed } from '../translation/features-used.ts';
import { isRefused } from '../translation/refusals.ts';
import {
  type AlteredTarget,
  refuseAltered,
  refuseFiltered,
  refuseImpossible,
  refusePassedOver,
  refuseWithoutEndpoints,
  refuseWrongKind,
} from './availability.ts';
import { drawFirst } from './balance.ts';
import type { Candidate } from './candidates.ts';
import { writesFor } from './capability-filters.ts';
import {
  type CollectedEndpoints,
  collectEndpoints,
  type EndpointFacts,
  endpointSupport,
} from './collect-endpoints.ts';
import { type CredentialedEndpoint, pairWithCredentials } from './credentialed-endpoints.ts';
import { dropLossyEndpoints } from './drop-lossy-endpoints.ts';
import { foreseenAlterations } from './foreseen-alterations.ts';
import { applyHardFilters, findImpossible } from './hard-filters.ts';
import { KeyMaker, type Ranked } from './ordering-key.ts';
import { OwnCredentials } from './own-credentials.ts';
import { priceFor } from './prices.ts';
import type { PassedOverTarget, ReducedRequest, RoutePlan, RoutingSnapshot } from './route-plan.ts';

/** A plan, or as much of it as there is when the request is refused. */
export interface RouteJudgement extends RoutePlan {
  /** Why the request cannot be routed; then there are no targets. */
  readonly refusal?: HeadgateError;
  /** The targets with what ordered them. */
  readonly ranked: readonly Ranked[];
}

/**
 * Decides where a request may go and in which order (docs/spec/routing.md#plan). A pure function of the request and the
 * snapshot, whose random numbers are drawn in a fixed order. The steps are candidates, collecting, hard filters,
 * credentials, narrowing, ordering, stickiness, truncation; the specification narrows before credentials. A refusal has
 * the availability code of docs/spec/errors.md#availability. Where the snapshot says so, hosted tools that nobody can
 * run are left out. It is `invalid_request` when no endpoint of these models supports the request, and `unprocessable`
 * when a strict request would have to be altered.
 * @param candidates The result of `resolveCandidates`.
 */
export function planRoute(
  request: AnyRequest,
  snapshot: RoutingSnapshot,
  candidates: readonly Candidate[],
): RouteJudgement {
  const { policy } = snapshot;
  const collected = collectEndpoints(candidates, request, policy.accountId);
  const used = usedBy(request);
  const outcome = { requested: request.models, candidates, total: collected.length, used };
  const refuse = (refusal: HeadgateError, sorted: Sorted = {}): RouteJudgement => ({
    ...outcome,
    targets: [],
    ranked: [],
    excluded: sorted.excluded ?? [],
    passedOver: sorted.passedOver ?? [],
    refusal,
  });
  if (!candidates.some(({ model }) => writesFor(model, request)))
    return refuse(refuseWrongKind(request, candidates));
  if (collected.length === 0) return refuse(refuseWithoutEndpoints(request, candidates));
  const own = policy.credentials?.length
    ? new OwnCredentials(policy.credentials, snapshot.catalogue)
    : undefined;
  const { kept, excluded } = applyHardFilters(collected, request, { snapshot, own, used });
  if (kept.length === 0) {
    const impossible = findImpossible(collected, request, { snapshot, used });
    const reduced = impossible && planReduced(collected, request, { snapshot, candidates, used });
    if (reduced !== undefined) return reduced;
    const refusal =
      impossible === undefined
        ? refuseFiltered(request, excluded, used)
        : refuseImpossible(request, impossible, { used, prompt: snapshot.prompt });
    return refuse(refusal, { excluded });
  }
  const strict = request.strict ? keepUnaltered(kept, request, used, snapshot) : { kept, altered: [] };
  const altered = strict.altered.map(({ target }) => ({ ...target, because: 'strict' as const }));
  if (strict.kept.length === 0) {
    return refuse(refuseAltered(strict.altered), { excluded, passedOver: altered });
  }
  const credentialed = pairWithCredentials(strict.kept, request, policy, own);
  const narrowed = dropLossyEndpoints(credentialed.endpoints, request, snapshot.upstreams);
  const flexible = request.canonical.serviceTier === 'flex' && narrowed.kept.every(isFlexible);
  const ordered = orderEndpoints(narrowed.kept, request, snapshot, candidates, flexible);
  const cut = truncate(promoteSticky(ordered, request, snapshot), request);
  const passedOver = [...altered, ...credentialed.passedOver, ...narrowed.passedOver, ...cut.passedOver];
  if (cut.kept.length === 0) {
    return refuse(refusePassedOver(request, passedOver, excluded), { excluded, passedOver });
  }
  const { kept: ranked } = cut;
  return { ...outcome, targets: ranked.map(({ target }) => target), ranked, excluded, passedOver };
}

/** The judgement of a request without the tools that nobody can run; undefined where there is none to leave out. */
function planReduced(
  collected: readonly CollectedEndpoints[],
  request: AnyRequest,
  {
    snapshot,
    candidates,
    used,
  }: { snapshot: RoutingSnapshot; candidates: readonly Candidate[]; used: FeaturesUsed },
): RouteJudgement | undefined {
  if (snapshot.leavesOutTools !== true || request.strict) return undefined;
  const reduced = leaveOutTools(collected, request.canonical, used, snapshot.upstreams);
  if (reduced === undefined) return undefined;
  const { canonical } = reduced;
  const judgement = planRoute({ ...request, canonical }, { ...snapshot, leavesOutTools: false }, candidates);
  return { ...judgement, reduced };
}

type Sorted = Partial<Pick<RoutePlan, 'excluded' | 'passedOver'>>;

function isFlexible({ facts }: CollectedEndpoints): boolean {
  return facts.endpoint.tier === 'flex';
}

/** The endpoints that serve a request unaltered (`X-Service-Strict`). */
function keepUnaltered(
  collected: readonly CollectedEndpoints[],
  request: AnyRequest,
  used: FeaturesUsed,
  { upstreams }: RoutingSnapshot,
): { readonly kept: readonly CollectedEndpoints[]; readonly altered: readonly AlteredTarget[] } {
  const altered: AlteredTarget[] = [];
  const kept = collected.filter(({ facts: { model, endpoint } }) => {
    const target = { model, endpoint };
    const [alteration] = foreseenAlterations(target, request, used, upstreams);
    if (alteration !== undefined) altered.push({ target, alteration });
    return alteration === undefined;
  });
  return { kept, altered };
}

/** The features that a request uses; not those of files, where the gateway reads them for endpoints that cannot. */
function usedBy({ canonical, readsFiles }: AnyRequest): FeaturesUsed {
  const used = featuresUsed(canonical);
  if (readsFiles !== true) return used;
  const rest = new Map(used);
  rest.delete('input.file.data');
  rest.delete('input.file.url');
  return rest;
}

/**
 * Shortens an ordered list to what `allow_fallbacks` permits (docs/spec/routing.md#preferences). Without fallbacks an
 * endpoint is tried with its first credential only. Then only those listed in `order` are tried or, without an order,
 * the first one of each model.
 */
function truncate(
  ranked: readonly Ranked[],
  { provider }: AnyRequest,
): { readonly kept: readonly Ranked[]; readonly passedOver: readonly PassedOverTarget[] } {
  if (provider.allowFallbacks !== false) return { kept: ranked, passedOver: [] };
  const kept =
    provider.order === undefined
      ? firstOfEach(ranked, ({ facts }) => facts.model)
      : firstOfEach(ranked.filter(isListed), ({ facts }) => facts);
  return { kept, passedOver: withoutThose(ranked, kept) };
}

function isListed({ position }: Ranked): boolean {
  return Number.isFinite(position);
}

function firstOfEach(
  ranked: readonly Ranked[],
  of: (one: Ranked) => Model | EndpointFacts,
): readonly Ranked[] {
  const seen = new Set<Model | EndpointFacts>();
  return ranked.filter((one) => {
    const known = seen.has(of(one));
    seen.add(of(one));
    return !known;
  });
}

/** The endpoints that were removed with all their credentials, without duplicates. */
function withoutThose(ranked: readonly Ranked[], kept: readonly Ranked[]): readonly PassedOverTarget[] {
  const left = new Set(ranked.map(({ facts }) => facts));
  for (const { facts } of kept) left.delete(facts);
  return [...left].map(({ model, endpoint }) => ({ model, endpoint, because: 'allow_fallbacks' }));
}

/**
 * Moves the endpoint that served the conversation before to the front of its class within its model, so that its
 * cache is used (docs/spec/routing.md#stickiness). Does nothing if the request sets an order, the endpoint is in an
 * outage, or cached reading saves nothing. Endpoints of a requested tier stay before it.
 */
function promoteSticky(
  ranked: readonly Ranked[],
  request: AnyRequest,
  snapshot: RoutingSnapshot,
): readonly Ranked[] {
  if (snapshot.sticky === undefined || request.provider.order !== undefined || ranked.length < 2)
    return ranked;
  let promoted = ranked;
  for (const model of new Set(ranked.map(({ facts }) => facts.model))) {
    const sticky = snapshot.sticky(model);
    if (sticky === undefined) continue;
    const from = promoted.findIndex(
      (one) =>
        one.facts.model === model &&
        one.facts.endpoint.tag === sticky.tag &&
        one.credentialClass === sticky.credentialClass &&
        one.health < 2 &&
        savesByCache(priceFor(one.facts.endpoint, snapshot)),
    );
    if (from !== -1) promoted = moveToHead(promoted, from);
  }
  return promoted;
}

function moveToHead(ranked: readonly Ranked[], from: number): readonly Ranked[] {
  const chosen = ranked[from];
  if (chosen === undefined) return ranked;
  const to = ranked.findIndex(
    (one) =>
      one.facts.model === chosen.facts.model &&
      one.credentialClass === chosen.credentialClass &&
      one.missed === chosen.missed &&
      one.tier === chosen.tier,
  );
  return [
    ...ranked.slice(0, to),
    { ...chosen, isSticky: true },
    ...ranked.slice(to, from),
    ...ranked.slice(from + 1),
  ];
}

/**
 * Sorts the endpoints that may serve a request by the key of docs/spec/routing.md#ordering. Where several are equal, a
 * draw weighted by price decides which goes first (docs/spec/routing.md#load-balancing).
 * @param flexible Whether the pool was narrowed to flexible capacity.
 */
function orderEndpoints(
  endpoints: readonly CredentialedEndpoint[],
  request: AnyRequest,
  snapshot: RoutingSnapshot,
  candidates: readonly Candidate[],
  flexible: boolean,
): readonly Ranked[] {
  const keys = new KeyMaker(request, snapshot, candidates, flexible);
  const ranked = endpoints.map((endpoint) => keys.rank(endpoint));
  if (ranked.length > 1) {
    ranked.sort(compare);
    drawFirst(ranked, snapshot.random);
  }
  return ranked;
}

/** Compares the parts of the key in turn; one endpoint's credentials stay adjacent, in their order. */
function compare(one: Ranked, other: Ranked): number {
  return (
    one.missed - other.missed ||
    one.group - other.group ||
    one.credentialClass - other.credentialClass ||
    ascending(one.position, other.position) ||
    one.tier - other.tier ||
    one.publicity - other.publicity ||
    one.rank - other.rank ||
    one.exactoTier - other.exactoTier ||
    ascending(one.metric, other.metric) ||
    ascending(one.price, other.price) ||
    alphabetical(one.facts.tag, other.facts.tag) ||
    one.place - other.place ||
    one.facts.place - other.facts.place
  );
}

/** The difference of two infinities would be NaN. */
function ascending(one: number, other: number): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

function alphabetical(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1;
}

const reason = 'no endpoint of the model has this tool, and the gateway cannot run it';

/**
 * Leaves out the hosted tools that every endpoint refuses. Undefined where there is none, or the tool choice needs one of
 * them.
 * @param collected Every endpoint of the models that the request names; at least one.
 */
function leaveOutTools(
  collected: readonly CollectedEndpoints[],
  canonical: CanonicalRequest,
  used: FeaturesUsed,
  upstreams: UpstreamRegistry,
): ReducedRequest | undefined {
  if (canonical.kind !== 'chat') return undefined;
  const hosted = offeredTools(canonical).filter((tool) => tool.kind === 'hosted');
  const kinds = new Set(
    hosted
      .map(({ tool }) => tool)
      .filter((kind) => collected.every((one) => isRefusedBy(one, kind, canonical, upstreams))),
  );
  if (kinds.size === 0) return undefined;
  const isKept = (tool: Tool) => tool.kind !== 'hosted' || !kinds.has(tool.tool);
  const reduced = {
    ...canonical,
    tools: canonical.tools.filter(isKept),
    items: canonical.items.map((item) =>
      item.kind === 'additional_tools' ? { ...item, tools: item.tools.filter(isKept) } : item,
    ),
  };
  if (needs(canonical.toolChoice, kinds, offeredTools(reduced))) return undefined;
  return {
    canonical: reduced,
    tools: [...new Set(hosted.filter(({ tool }) => kinds.has(tool)).map(({ type }: HostedTool) => type))],
    alterations: [...kinds].map((kind) => ({
      field: used.get(featureOfTool(kind)) ?? 'tools',
      action: 'dropped',
      how: reason,
    })),
  };
}

function isRefusedBy(
  { facts: { model, endpoint } }: CollectedEndpoints,
  kind: HostedKind,
  canonical: CanonicalRequest,
  upstreams: UpstreamRegistry,
): boolean {
  const support = endpointSupport(endpoint, upstreams);
  return support !== undefined && isRefused(featureOfTool(kind), canonical, { model, endpoint, support });
}

/** Whether a choice names one of these kinds, or demands a call where no other tool is left. */
function needs(choice: ToolChoice, kinds: ReadonlySet<HostedKind>, left: readonly Tool[]): boolean {
  if (choice.kind === 'hosted') return kinds.has(choice.tool);
  if (choice.kind === 'allowed') return choice.hosted?.some((kind) => kinds.has(kind)) === true;
  return choice.kind === 'required' && left.length === 0;
}
