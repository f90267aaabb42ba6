import type { Endpoint } from '../../src/core/catalogue.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { takesParameter } from '../../src/core/parameters.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';
import { hardRules, isImpossible } from './naive-hard-rules.ts';
import { naiveKey } from './naive-order.ts';
import {
  compareLists,
  covering,
  matches,
  type NaiveCandidate,
  type NaiveEntry,
  naiveCandidates,
  naiveHealth,
  naivePrice,
  needsZdr,
  ownOf,
  Refused,
} from './naive-rules.ts';

/** What a plan comes to: what is tried, and what each rule took; or why nothing is. */
export interface NaivePlan {
  readonly targets?: readonly string[];
  readonly excluded?: readonly string[];
  readonly refusal?: readonly [status: number, code: string];
}

/**
 * The plan of a request as one reads the rules of docs/spec/routing.md, docs/spec/routing.md#stickiness and
 * docs/spec/credentials.md#selection, docs/spec/credentials.md#flags, step by step and without a thought of speed.
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
    const ended = candidates.every(({ model }) =>
      model.endpoints.every(({ status }) => status === 'deprecated'),
    );
    throw new Refused(404, ended ? 'model_deprecated' : 'no_endpoints');
  }
  const [impossible] = isImpossible(entries, request, snapshot);
  if (impossible) throw new Refused(400, 'constraint_filtered');
  const excluded: string[] = [];
  for (const [reason, keep] of hardRules(request, snapshot)) {
    const left = keep(entries);
    for (const one of entries)
      if (!left.includes(one)) excluded.push(`${one.model.id} ${one.endpoint.tag} ${reason}`);
    if (left.length === 0 && entries.length > 0) throw refusalBy(reason);
    entries = left;
  }
  const copies = narrow(
    entries.flatMap((one) => copiesOf(one, request, snapshot)),
    request,
  );
  const flexible =
    request.canonical.serviceTier === 'flex' && copies.every((one) => one.endpoint.tier === 'flex');
  const ordered = truncate(
    promote(order(copies, request, snapshot, candidates, flexible), request, snapshot),
    request,
  );
  if (ordered.length === 0) throw new Refused(503, 'constraint_filtered');
  return { targets: ordered.map(nameOf), excluded: excluded.sort() };
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
  const keyed = copies.map((entry) => ({
    entry,
    ...naiveKey(entry, request, snapshot, candidates, flexible),
  }));
  keyed.sort((one, other) =>
    compareLists([...one.pool, ...one.rank, ...one.last], [...other.pool, ...other.rank, ...other.last]),
  );
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
      return (
        compareLists(key.pool, first.pool) === 0 &&
        key.rank[1] === first.rank[1] &&
        (key.rank[0] ?? 0) < (first.rank[0] ?? 0)
      );
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
  const prices = endpoints.map(
    (endpoint) => equals.find(({ entry }) => entry.endpoint === endpoint)?.price ?? 0,
  );
  const unpriced = prices.every((price) => price === Number.POSITIVE_INFINITY);
  const weights = prices.map((price) => (unpriced ? 1 : Math.max(price, 0.001) ** -2));
  let at = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return endpoints.find((_, index) => {
    at -= weights[index] ?? 0;
    return at < 0;
  });
}

function promote(
  ordered: NaiveEntry[],
  { provider, canonical }: InferenceRequest,
  snapshot: RoutingSnapshot,
): NaiveEntry[] {
  if (snapshot.sticky === undefined || provider.order !== undefined) return ordered;
  const missed = (one: NaiveEntry) => naiveKeyMissed(one, provider, snapshot);
  const behind = (one: NaiveEntry) =>
    canonical.serviceTier === 'priority' && one.endpoint.tier !== 'priority';
  let result = ordered;
  for (const model of new Set(ordered.map((one) => one.model))) {
    const sticky = snapshot.sticky(model);
    const found = result.find((one) => {
      const price = naivePrice(one.endpoint, snapshot);
      return (
        one.model === model &&
        one.endpoint.tag === sticky?.tag &&
        one.class === sticky.credentialClass &&
        naiveHealth(one, snapshot) < 2 &&
        price?.cacheRead !== undefined &&
        price.cacheRead < price.prompt
      );
    });
    if (found === undefined) continue;
    const head = result.find(
      (one) =>
        one.model === model &&
        one.class === found.class &&
        missed(one) === missed(found) &&
        behind(one) === behind(found),
    );
    const others = result.filter((one) => one !== found || one === head);
    result = head === found ? result : others.flatMap((one) => (one === head ? [found, one] : [one]));
  }
  return result;
}

function naiveKeyMissed(
  one: NaiveEntry,
  provider: InferenceRequest['provider'],
  snapshot: RoutingSnapshot,
): boolean {
  return naiveKey(one, { provider }, snapshot, [], false).pool[0] === 1;
}

function truncate(ordered: NaiveEntry[], { provider, canonical }: InferenceRequest): NaiveEntry[] {
  if (provider.allowFallbacks !== false) return ordered;
  const { order } = provider;
  const isFirst = (same: (one: NaiveEntry, other: NaiveEntry) => boolean, among: NaiveEntry[]) =>
    among.filter((one, index) => among.findIndex((other) => same(one, other)) === index);
  if (order === undefined) return isFirst((one, other) => one.model === other.model, ordered);
  const listed = ordered.filter(({ endpoint }) =>
    order.some((entry) => matches(entry, endpoint, canonical.serviceTier)),
  );
  return isFirst((one, other) => one.endpoint === other.endpoint, listed);
}
