import type { Endpoint, Model } from '../core/catalogue.ts';
import type { AnyRequest, Percentiles, ProviderPreferences } from '../core/inference-request.ts';
import type { ExactoRules, HealthRules } from '../core/routing-rules.ts';
import type { Candidate } from './candidates.ts';
import type { CredentialedEndpoint } from './credentialed-endpoints.ts';
import { deviationAround, median } from './median.ts';
import { credentialName } from './own-credentials.ts';
import { matchesProvider, providerEntries } from './policy-filters.ts';
import { comparedPrice } from './prices.ts';
import type { RoutingSnapshot } from './route-plan.ts';
import type {
  EndpointHealth,
  EndpointQuality,
  EndpointSpeed,
  SpeedPercentiles,
  StatisticsSnapshot,
} from './statistics-snapshot.ts';

/** The last criterion of the ordering key (docs/spec/routing.md#ordering). */
type Metric = 'price' | 'throughput' | 'latency' | 'exacto' | 'balance';

/**
 * A credentialed endpoint with the parts of its ordering key (docs/spec/routing.md#ordering); smaller values come
 * first.
 */
export interface Ranked extends CredentialedEndpoint {
  /** 1 when a requested speed is missed. */
  readonly missed: number;
  /** The candidate's index; 0 for all when models are not distinguished. */
  readonly group: number;
  readonly credentialClass: number;
  /** Index in `provider.order`; infinite when not listed. */
  readonly position: number;
  readonly tier: number;
  readonly publicity: number;
  readonly rank: number;
  /** The rank before anything that reduces its weight. */
  readonly health: HealthRank;
  readonly exactoTier: ExactoTier;
  readonly metric: number;
  /** USD per million tokens, as `blendedPrice`. */
  readonly price: number;
  /** Whether a weighted draw decides which of its equals goes first. */
  readonly balanced: boolean;
  /** Whether it was moved to the front because it served the conversation before. */
  readonly isSticky?: true;
}

/** How the endpoints of one candidate are compared, and how much their health counts. */
interface Rule {
  readonly metric: Metric;
  /** Whether the request chose this order: then only endpoints that are down move back. */
  readonly chosen: boolean;
}

/** Computes the ordering keys of one plan. */
export class KeyMaker {
  readonly #request: AnyRequest;
  readonly #snapshot: RoutingSnapshot;
  readonly #order: readonly string[] | undefined;
  readonly #oneGroup: boolean;
  readonly #rules: readonly Rule[];
  readonly #exactoTiers = new Map<Model, ReadonlyMap<Endpoint, ExactoTier>>();

  /** @param flexible Whether the pool was narrowed to flexible capacity. */
  constructor(
    request: AnyRequest,
    snapshot: RoutingSnapshot,
    candidates: readonly Candidate[],
    flexible: boolean,
  ) {
    const { order, sort } = request.provider;
    this.#request = request;
    this.#snapshot = snapshot;
    this.#order = order && providerEntries(order);
    this.#oneGroup = sort?.partition === 'none';
    const [primary] = candidates;
    this.#rules = candidates.map((candidate) =>
      ruleOf((this.#oneGroup ? primary : candidate) ?? candidate, request, snapshot, flexible),
    );
  }

  /** Adds its key to an endpoint. */
  rank(credentialed: CredentialedEndpoint): Ranked {
    const { candidate, place, facts, target } = credentialed;
    const { endpoint } = facts;
    const { statistics, rules } = this.#snapshot;
    const { credentialClass } = target;
    const { serviceTier } = this.#request.canonical;
    const position = this.#positionOf(credentialed);
    const listed = position !== Number.POSITIVE_INFINITY;
    const rule = listed ? balancing : (this.#rules[place] ?? balancing);
    const health = healthRank(statistics.health(endpoint, credentialName(target)), rules.health);
    return {
      candidate,
      place,
      facts,
      target,
      missed: credentialClass !== 0 && missesThresholds(endpoint, this.#request.provider, statistics) ? 1 : 0,
      group: this.#oneGroup ? 0 : place,
      credentialClass,
      position,
      tier: serviceTier === 'priority' && endpoint.tier !== 'priority' ? 1 : 0,
      publicity: endpoint.accounts === undefined && candidate.model.accounts === undefined ? 1 : 0,
      rank: listed || (rule.chosen && health < 3) ? 0 : health,
      health,
      exactoTier: rule.metric === 'exacto' ? this.#exactoTierOf(credentialed) : 0,
      metric: this.#measure(endpoint, rule.metric),
      price: comparedPrice(facts, this.#snapshot),
      // An explicit order turns balancing off, except among endpoints that one of its entries names together.
      balanced:
        (rule.metric === 'balance' || rule.metric === 'exacto') && (listed || this.#order === undefined),
    };
  }

  #positionOf({ facts }: CredentialedEndpoint): number {
    const tier = this.#request.canonical.serviceTier;
    const position = this.#order?.findIndex((entry) => matchesProvider(entry, facts, tier)) ?? -1;
    return position === -1 ? Number.POSITIVE_INFINITY : position;
  }

  #exactoTierOf({ facts: { model, endpoint } }: CredentialedEndpoint): ExactoTier {
    let tiers = this.#exactoTiers.get(model);
    if (tiers === undefined) {
      tiers = exactoTiers(model, this.#snapshot);
      this.#exactoTiers.set(model, tiers);
    }
    return tiers.get(endpoint) ?? 1;
  }

  /** Price needs no separate measure because it decides among equals anyway. */
  #measure(endpoint: Endpoint, metric: Metric): number {
    if (metric === 'throughput') {
      return -(speedOf(endpoint, this.#snapshot.statistics).throughput?.p50 ?? Number.NEGATIVE_INFINITY);
    }
    if (metric === 'latency') {
      return speedOf(endpoint, this.#snapshot.statistics).latency?.p50 ?? Number.POSITIVE_INFINITY;
    }
    return 0;
  }
}

const balancing: Rule = { metric: 'balance', chosen: false };
const sortOfVariant = { nitro: 'throughput', floor: 'price', exacto: 'exacto' } as const;

function ruleOf(
  { variant }: Candidate,
  { provider, canonical, parameters }: AnyRequest,
  { policy }: RoutingSnapshot,
  flexible: boolean,
): Rule {
  const chosen = provider.sort?.by ?? (variant && sortOfVariant[variant]) ?? policy.defaultSort;
  if (chosen !== undefined) return { metric: chosen, chosen: true };
  if (canonical.serviceTier === 'priority') return { metric: 'throughput', chosen: false };
  if (flexible) return { metric: 'price', chosen: false };
  return parameters.includes('tools') ? { metric: 'exacto', chosen: false } : balancing;
}

/** 0 good, 1 too little traffic to judge, 2 flagged (docs/spec/routing.md#quality-order). */
type ExactoTier = 0 | 1 | 2;

/**
 * The tier of each endpoint of a model, compared with the model's other endpoints that have enough traffic.
 */
function exactoTiers(
  model: Model,
  { statistics, rules: { exacto } }: Pick<RoutingSnapshot, 'statistics' | 'rules'>,
): ReadonlyMap<Endpoint, ExactoTier> {
  const qualities = model.endpoints.map((endpoint) => statistics.quality(endpoint));
  const throughputs = qualities.map((quality) => throughputSignal(quality, exacto));
  const toolCalls = qualities.map((quality) => toolCallSignal(quality, exacto));
  const slowest = lowestUnflagged(throughputs, exacto.throughputDeviations, exacto.peers);
  const clumsiest = lowestUnflagged(toolCalls, exacto.toolCallDeviations, exacto.peers);
  const tiers = new Map<Endpoint, ExactoTier>();
  for (const [index, endpoint] of model.endpoints.entries()) {
    const throughput = throughputs[index];
    const successRate = toolCalls[index];
    const flagged =
      qualities[index]?.benchmark === 'flagged' ||
      (throughput !== undefined && throughput < slowest) ||
      (successRate !== undefined && successRate < clumsiest);
    const unproven = throughput === undefined || successRate === undefined;
    tiers.set(endpoint, flagged ? 2 : unproven ? 1 : 0);
  }
  return tiers;
}

function throughputSignal(quality: EndpointQuality | undefined, rules: ExactoRules): number | undefined {
  const measured = quality?.throughput;
  return measured !== undefined && measured.requests >= rules.throughputRequests ? measured.value : undefined;
}

function toolCallSignal(quality: EndpointQuality | undefined, rules: ExactoRules): number | undefined {
  const measured = quality?.toolCalls;
  return measured !== undefined && measured.requests >= rules.toolCallRequests
    ? measured.successRate
    : undefined;
}

/** The lowest value of a signal that still counts as good; no value is bad while there are too few peers. */
function lowestUnflagged(values: readonly (number | undefined)[], deviations: number, peers: number): number {
  const known = values.filter((value) => value !== undefined);
  if (known.length < peers) return Number.NEGATIVE_INFINITY;
  const middle = median(known);
  return middle - deviations * deviationAround(middle, known);
}

/**
 * 0 healthy, 1 somewhat unreliable, 2 temporarily avoided, 3 only when nothing else is left
 * (docs/spec/routing.md#health).
 */
export type HealthRank = 0 | 1 | 2 | 3;

/** The reliability of an endpoint; an unknown one counts as healthy. */
export function healthRank(health: EndpointHealth | undefined, rules: HealthRules): HealthRank {
  if (health === undefined) return 0;
  const { attempts, failures, recentAttempts, recentFailures, coolingDown } = health;
  const uptime = attempts < rules.uptimeRequests ? 1 : (attempts - failures) / attempts;
  if (uptime < rules.usableUptime) return 3;
  const { outageFailures, outageShare } = rules;
  const outage = recentFailures >= outageFailures && recentFailures >= outageShare * recentAttempts;
  if (outage || coolingDown) return 2;
  return uptime < rules.reliableUptime ? 1 : 0;
}

const percentiles = ['p50', 'p75', 'p90', 'p99'] as const;

/** The speed of an endpoint: measured, else presumed by its catalogue entry. */
export function speedOf(endpoint: Endpoint, statistics: StatisticsSnapshot): EndpointSpeed {
  const measured = statistics.speed(endpoint);
  const { prior } = endpoint;
  return {
    latency: measured?.latency ?? (prior && always(prior.ttftMs)),
    throughput: measured?.throughput ?? (prior && always(prior.tps)),
  };
}

function always(value: number): SpeedPercentiles {
  return { p50: value, p75: value, p90: value, p99: value };
}

/**
 * Whether the request sets speed cutoffs and an endpoint misses any; an unknown speed misses them
 * (docs/spec/routing.md#thresholds).
 */
function missesThresholds(
  endpoint: Endpoint,
  { preferredMaxLatency, preferredMinThroughput }: ProviderPreferences,
  statistics: StatisticsSnapshot,
): boolean {
  if (preferredMaxLatency === undefined && preferredMinThroughput === undefined) return false;
  const { latency, throughput } = speedOf(endpoint, statistics);
  return (
    misses(preferredMaxLatency, latency, (seconds, milliseconds) => milliseconds <= 1000 * seconds) ||
    misses(preferredMinThroughput, throughput, (cutoff, rate) => rate >= cutoff)
  );
}

function misses(
  cutoffs: Percentiles | undefined,
  known: SpeedPercentiles | undefined,
  passes: (cutoff: number, value: number) => boolean,
): boolean {
  if (cutoffs === undefined) return false;
  return percentiles.some((name) => {
    const cutoff = cutoffs[name];
    return cutoff !== undefined && (known === undefined || !passes(cutoff, known[name]));
  });
}
