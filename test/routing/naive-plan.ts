import type { Endpoint, Model, Price } from '../../src/core/catalogue.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { parsePricePerMillion, parsePricePerUnit } from '../../src/core/money.ts';
import { takesParameter } from '../../src/core/parameters.ts';
import { priceInEffect } from '../../src/core/price-in-effect.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';
import { compareLists, matches, type NaiveCandidate, naiveCandidates, Refused, strip } from './naive-rules.ts';
import { naiveKey } from './naive-order.ts';

/** An endpoint of a candidate; later with one credential. */
export interface NaiveEntry {
  readonly candidate: NaiveCandidate;
  readonly place: number;
  readonly model: Model;
  readonly endpoint: Endpoint;
  readonly credential?: ProviderCredential;
  readonly class: number;
}

/** What a plan comes to: what is tried, and what each rule took; or why nothing is. */
export interface NaivePlan {
  readonly targets?: readonly string[];
  readonly excluded?: readonly string[];
  readonly refusal?: readonly [status: number, code: string];
}

/**
 * The plan of a request as one reads the rules of routing.md 1 to 4, 6.1 and accounts-and-limits 6.4 and 6.5, step by
 * step and without a thought of speed.
 */
export function naivePlan(request: InferenceRequest, snapshot: RoutingSnapshot): NaivePlan {
  try {
    return plan(request, snapshot);
  } catch (thrown) {
    if (thrown instanceof Refused) return { refusal: [thrown.status, thrown.code] };
    throw thrown;
  }
}

function plan(request: InferenceRequest, snapshot: RoutingSnapshot): NaivePlan {
  const candidates = naiveCandidates(request, snapshot);
  let entries = collect(candidates, request, snapshot);
  if (entries.length === 0) {
    const ended = candidates.every(({ model }) => model.endpoints.every(({ status }) => status === 'deprecated'));
    throw new Refused(404, ended ? 'model_deprecated' : 'no_endpoints');
  }
  const excluded: string[] = [];
  for (const [reason, keep] of hardRules(request, snapshot)) {
    const left = keep(entries);
    for (const one of entries) if (!left.includes(one)) excluded.push(`${one.model.id} ${one.endpoint.tag} ${reason}`);
    if (left.length === 0 && entries.length > 0) throw refusalBy(reason);
    entries = left;
  }
  entries = narrow(entries, request);
  const flexible = request.canonical.serviceTier === 'flex' && entries.every((one) => one.endpoint.tier === 'flex');
  const copies = entries.flatMap((one) => copiesOf(one, request, snapshot));
  const ordered = truncate(promote(order(copies, request, snapshot, candidates, flexible), request, snapshot), request);
  if (ordered.length === 0) throw new Refused(503, 'constraint_filtered');
  return { targets: ordered.map(nameOf), excluded };
}

function nameOf({ model, endpoint, credential }: NaiveEntry): string {
  return `${model.id} ${endpoint.tag} ${credential?.id ?? 'shared'}`;
}

function refusalBy(reason: string): Refused {
  if (reason === 'geo') return new Refused(403, 'region_restricted');
  return new Refused(503, reason.startsWith('data_policy') ? 'privacy_restricted' : 'constraint_filtered');
}

function collect(
  candidates: readonly NaiveCandidate[],
  { canonical, provider }: InferenceRequest,
  { policy }: RoutingSnapshot,
): NaiveEntry[] {
  const named = [...(provider.only ?? []), ...(provider.order ?? [])].map((entry) => entry.toLowerCase());
  const cancelled =
    provider.sort?.by !== undefined || provider.order !== undefined || canonical.serviceTier === 'default';
  return candidates.flatMap((candidate, place) =>
    candidate.model.endpoints
      .filter(({ status }) => status === undefined)
      .filter(({ accounts }) => accounts === undefined || accounts.has(policy.accountId ?? ''))
      .filter(
        ({ tier, tag }) =>
          tier === 'default' ||
          tier === canonical.serviceTier ||
          named.includes(tag) ||
          (!cancelled && candidate.variant === 'nitro' && tier === 'priority') ||
          (!cancelled && candidate.variant === 'floor' && tier === 'flex'),
      )
      .map((endpoint) => ({ candidate, place, model: candidate.model, endpoint, class: 1 })),
  );
}

type Rule = readonly [reason: string, keep: (entries: NaiveEntry[]) => NaiveEntry[]];

function hardRules(request: InferenceRequest, snapshot: RoutingSnapshot): Rule[] {
  const { provider, canonical, parameters } = request;
  const { policy, prompt } = snapshot;
  const { only, quantizations, maxPrice } = provider;
  const each = (reason: string, passes: (one: NaiveEntry) => boolean): Rule => [
    reason,
    (entries) => entries.filter(passes),
  ];
  const ignored = [...(provider.ignore ?? []), ...(policy.ignoredProviders ?? [])];
  const allowed = [...(policy.allowedProviders ?? []), ...(only === undefined ? [] : [only])];
  const price = ({ endpoint }: NaiveEntry) => naivePrice(endpoint, snapshot);
  const output = canonical.maxOutputTokens ?? 0;
  const image = JSON.stringify(canonical.items).includes('"kind":"image"');
  return [
    each(
      'allowed_providers',
      ({ endpoint }) =>
        allowed.every((list) => list.some((entry) => matches(entry, endpoint, canonical.serviceTier))) &&
        !ignored.some((entry) => matches(entry, endpoint, endpoint.tier)),
    ),
    each('geo', ({ endpoint }) => !endpoint.provider.refusedCountries?.includes(policy.country ?? '')),
    each('data_region', ({ endpoint }) => policy.dataRegions?.includes(endpoint.dataRegion ?? '') ?? true),
    each('data_policy:training', (one) => mayTrain(one, request, snapshot)),
    each(
      'data_policy:zdr',
      (one) =>
        !needsZdr(one, request, snapshot) ||
        !one.endpoint.provider.retainsPrompts ||
        covering(one, snapshot).some(({ declaredZdr }) => declaredZdr === true),
    ),
    each('distillable', ({ model }) => !provider.enforceDistillableText || model.distillable === true),
    each('modality', ({ model }) => !image || model.inputModalities.includes('image')),
    each(
      'quantization',
      ({ endpoint: { quantization: level = 'unknown' } }) =>
        quantizations === undefined ||
        quantizations.includes(level) ||
        (quantizations.includes('fp4') && (level === 'mxfp4' || level === 'nvfp4')) ||
        (quantizations.includes('fp8') && level === 'mxfp8'),
    ),
    [
      'context_length',
      (entries) => {
        const writing = entries.filter(({ endpoint }) => output <= (endpoint.maxCompletionTokens ?? output));
        const share = canonical.truncation === 'auto' ? 2 : 1;
        const fitting = writing.filter(
          ({ endpoint }) =>
            prompt.tokens + output <= share * (endpoint.contextLength ?? Number.POSITIVE_INFINITY) &&
            prompt.tokens <= share * (endpoint.maxPromptTokens ?? Number.POSITIVE_INFINITY),
        );
        if (share === 1 || fitting.length > 0) return fitting;
        const longest = Math.max(...writing.map(({ endpoint }) => endpoint.contextLength ?? 0));
        return writing.filter(({ endpoint }) => (endpoint.contextLength ?? 0) === longest);
      },
    ],
    each(
      'max_price',
      (one) =>
        !(policy.pricedOnly && one.endpoint.price === undefined) &&
        (price(one)?.prompt ?? 0n) <= parsePricePerMillion(maxPrice?.prompt ?? 1e6) &&
        (price(one)?.completion ?? 0n) <= parsePricePerMillion(maxPrice?.completion ?? 1e6) &&
        (price(one)?.request ?? 0n) <= parsePricePerUnit(maxPrice?.request ?? 1e6),
    ),
    each(
      'require_parameters',
      ({ endpoint }) =>
        !provider.requireParameters || parameters.every((name) => takesParameter(endpoint, name)),
    ),
  ];
}

/** The price of an endpoint for the prompt at that hour. */
export function naivePrice({ price }: Endpoint, { prompt, now }: RoutingSnapshot): Price | undefined {
  return price && priceInEffect(price, prompt.tokens, now);
}

function mayTrain({ endpoint }: NaiveEntry, { provider }: InferenceRequest, { policy }: RoutingSnapshot): boolean {
  const { trainsOnPrompts: trains, publishesPrompts: publishes } = endpoint.provider;
  const free = endpoint.price?.prompt === 0n && endpoint.price.completion === 0n;
  if (provider.dataCollection === 'deny' && (trains || publishes)) return false;
  if (trains && (free ? policy.forbidFreeTraining : policy.forbidPaidTraining)) return false;
  return !(publishes && free && policy.forbidFreePublication);
}

function needsZdr({ model }: NaiveEntry, { provider }: InferenceRequest, { policy }: RoutingSnapshot): boolean {
  return provider.zdr === true || policy.zeroRetention?.(model) === true;
}

function ownOf({ endpoint }: NaiveEntry, { policy }: RoutingSnapshot): ProviderCredential[] {
  return (policy.credentials ?? []).filter(({ provider }) => provider === endpoint.provider.slug);
}

function covering(one: NaiveEntry, snapshot: RoutingSnapshot): ProviderCredential[] {
  const names = [one.candidate.slug, one.model.id, one.model.canonicalSlug].map(strip);
  return ownOf(one, snapshot).filter(
    ({ allowedModels }) => allowedModels === null || allowedModels.some((name) => names.includes(strip(name))),
  );
}

function narrow(entries: NaiveEntry[], { canonical, parameters }: InferenceRequest): NaiveEntry[] {
  let left = entries;
  if (canonical.serviceTier === 'flex') {
    const flexible = left.filter(({ endpoint }) => endpoint.tier === 'flex');
    if (flexible.length > 0) left = flexible;
  }
  for (const name of ['tools', 'response_format', 'structured_outputs', 'verbosity']) {
    if (!parameters.includes(name)) continue;
    left = left.filter((one) => {
      const able = left.some(({ model, endpoint }) => model === one.model && takesParameter(endpoint, name));
      return !able || takesParameter(one.endpoint, name);
    });
  }
  return left;
}

function copiesOf(one: NaiveEntry, request: InferenceRequest, snapshot: RoutingSnapshot): NaiveEntry[] {
  const own = covering(one, snapshot);
  const strict = needsZdr(one, request, snapshot);
  const retains = one.endpoint.provider.retainsPrompts;
  const copies: NaiveEntry[] = own
    .filter(({ declaredZdr }) => !strict || (declaredZdr ?? !retains))
    .map((credential) => ({ ...one, credential, class: credential.isFallback ? 2 : 0 }));
  const shared =
    !ownOf(one, snapshot).some(({ isByokOnly }) => isByokOnly) &&
    !own.some(({ isRequired }) => isRequired) &&
    snapshot.policy.ownCredentialsOnly !== true &&
    !(strict && retains);
  return shared ? [...copies, one] : copies;
}

/** Sorts by the key, then gives each group of equals its draw, from the front. */
function order(
  copies: readonly NaiveEntry[],
  request: InferenceRequest,
  snapshot: RoutingSnapshot,
  candidates: readonly NaiveCandidate[],
  flexible: boolean,
): NaiveEntry[] {
  const keyed = copies.map((entry) => ({ entry, ...naiveKey(entry, request, snapshot, candidates, flexible) }));
  keyed.sort((one, other) => compareLists([...one.pool, ...one.rank, ...one.last], [...other.pool, ...other.rank, ...other.last]));
  const result: NaiveEntry[] = [];
  while (keyed.length > 0) {
    const [first] = keyed;
    if (first === undefined) break;
    const isPool = (one: typeof first) => compareLists(one.pool, first.pool) === 0;
    const equals = keyed.filter(
      (one) => isPool(one) && compareLists(one.rank, first.rank) === 0 && one.draws === first.draws,
    );
    const better = result.some((entry) => {
      const key = naiveKey(entry, request, snapshot, candidates, flexible);
      return compareLists(key.pool, first.pool) === 0 && key.rank[1] === first.rank[1] && (key.rank[0] ?? 0) < (first.rank[0] ?? 0);
    });
    const endpoints = [...new Set(equals.map(({ entry }) => entry.endpoint))];
    const drawn = first.draws && !better && endpoints.length > 1;
    const winner = drawn ? draw(equals, endpoints, snapshot.random) : undefined;
    const sorted = [
      ...equals.filter(({ entry }) => entry.endpoint === winner),
      ...equals.filter(({ entry }) => entry.endpoint !== winner),
    ];
    result.push(...sorted.map(({ entry }) => entry));
    keyed.splice(0, equals.length);
  }
  return result;
}

function draw(
  equals: readonly { readonly entry: NaiveEntry; readonly price: number }[],
  endpoints: readonly Endpoint[],
  random: () => number,
): Endpoint | undefined {
  const prices = endpoints.map((endpoint) => equals.find(({ entry }) => entry.endpoint === endpoint)?.price ?? 0);
  const unpriced = prices.every((price) => price === Number.POSITIVE_INFINITY);
  const weights = prices.map((price) => (unpriced ? 1 : Math.max(price, 0.001) ** -2));
  let at = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return endpoints.find((_, index) => {
    at -= weights[index] ?? 0;
    return at < 0;
  });
}

function promote(ordered: NaiveEntry[], { provider }: InferenceRequest, snapshot: RoutingSnapshot): NaiveEntry[] {
  if (snapshot.sticky === undefined || provider.order !== undefined) return ordered;
  const missed = (one: NaiveEntry) => naiveKeyMissed(one, provider, snapshot);
  let result = ordered;
  for (const model of new Set(ordered.map((one) => one.model))) {
    const sticky = snapshot.sticky(model);
    const found = result.find((one) => {
      const price = naivePrice(one.endpoint, snapshot);
      return (
        one.model === model &&
        one.endpoint.tag === sticky?.tag &&
        one.class === sticky.credentialClass &&
        !isOut(one, snapshot, provider, result) &&
        price?.cacheRead !== undefined &&
        price.cacheRead < price.prompt
      );
    });
    if (found === undefined) continue;
    const head = result.find(
      (one) => one.model === model && one.class === found.class && missed(one) === missed(found),
    );
    const others = result.filter((one) => one !== found || one === head);
    result = head === found ? result : others.flatMap((one) => (one === head ? [found, one] : [one]));
  }
  return result;
}

function naiveKeyMissed(one: NaiveEntry, provider: InferenceRequest['provider'], snapshot: RoutingSnapshot): boolean {
  return naiveKey(one, { provider }, snapshot, [], false).pool[0] === 1;
}

function isOut(
  one: NaiveEntry,
  snapshot: RoutingSnapshot,
  _provider: InferenceRequest['provider'],
  _all: readonly NaiveEntry[],
): boolean {
  return naiveHealth(one, snapshot) >= 2;
}

/** The health rank of routing.md 3.6. */
export function naiveHealth({ endpoint, credential }: NaiveEntry, { statistics }: RoutingSnapshot): number {
  const health = statistics.health(endpoint, credential?.id);
  if (health === undefined) return 0;
  const uptime = 1 - health.failures / health.attempts;
  if (health.attempts >= 100 && uptime < 0.8) return 3;
  if (health.coolingDown) return 2;
  if (health.recentFailures >= 2 && health.recentFailures / health.recentAttempts >= 0.2) return 2;
  return health.attempts >= 100 && uptime < 0.95 ? 1 : 0;
}

function truncate(ordered: NaiveEntry[], { provider, canonical }: InferenceRequest): NaiveEntry[] {
  if (provider.allowFallbacks !== false) return ordered.slice(0, 10);
  const { order } = provider;
  const isFirst = (same: (one: NaiveEntry, other: NaiveEntry) => boolean, among: NaiveEntry[]) =>
    among.filter((one, index) => among.findIndex((other) => same(one, other)) === index);
  if (order === undefined) return isFirst((one, other) => one.model === other.model, ordered).slice(0, 10);
  const listed = ordered.filter(({ endpoint }) =>
    order.some((entry) => matches(entry, endpoint, canonical.serviceTier)),
  );
  return isFirst((one, other) => one.endpoint === other.endpoint, listed).slice(0, 10);
}
