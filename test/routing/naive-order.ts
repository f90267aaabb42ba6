import type { Endpoint } from '../../src/core/catalogue.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import type { RoutingSnapshot } from '../../src/routing/route-plan.ts';
import type { EndpointSpeed } from '../../src/routing/statistics-snapshot.ts';
import { matches, type NaiveCandidate, type NaiveEntry, naiveHealth, naivePrice } from './naive-rules.ts';

/**
 * The ordering key of docs/spec/routing.md#ordering, in three pieces: a draw happens among those equal in the first
 * two.
 */
export interface NaiveKey {
  readonly pool: readonly number[];
  /** Health, then exacto tier. */
  readonly rank: readonly number[];
  readonly last: readonly (number | string)[];
  readonly price: number;
  readonly draws: boolean;
}

type Asked = Pick<InferenceRequest, 'provider'> & Partial<Pick<InferenceRequest, 'canonical' | 'parameters'>>;

/** The key of one copy. */
export function naiveKey(
  one: NaiveEntry,
  asked: Asked,
  snapshot: RoutingSnapshot,
  candidates: readonly NaiveCandidate[],
  flexible: boolean,
): NaiveKey {
  const { endpoint } = one;
  const { provider } = asked;
  const listed = listedAt(endpoint, asked) !== notListed;
  const primary = provider.sort?.partition === 'none' ? candidates[0] : undefined;
  const chosen = chosenSort((primary ?? one.candidate).variant, asked, snapshot);
  const metric = listed ? 'draw' : (chosen ?? otherMetric(asked, flexible));
  const price = pricePerMillion(endpoint, snapshot);
  const health = naiveHealth(one, snapshot);
  const counted = chosen === undefined || health === 3 ? health : 0;
  return {
    pool: poolOf(one, asked, snapshot),
    rank: [listed ? 0 : counted, metric === 'exacto' ? naiveExacto(one, snapshot) : 0],
    last: [
      measure(metric, naiveSpeed(endpoint, snapshot)),
      price,
      endpoint.tag,
      one.place,
      one.credential?.sortOrder ?? 0,
    ],
    price,
    draws: (metric === 'draw' || metric === 'exacto') && (listed || provider.order === undefined),
  };
}

const notListed = 1e9;

function listedAt(endpoint: Endpoint, { provider, canonical }: Asked): number {
  const at = provider.order?.findIndex((entry) => matches(entry, endpoint, canonical?.serviceTier)) ?? -1;
  return at === -1 ? notListed : at;
}

function poolOf(one: NaiveEntry, asked: Asked, snapshot: RoutingSnapshot): number[] {
  const { endpoint, model } = one;
  const isPublic = endpoint.accounts === undefined && model.accounts === undefined;
  const missed = isMissed(naiveSpeed(endpoint, snapshot), asked.provider);
  return [
    one.class !== 0 && missed ? 1 : 0,
    asked.provider.sort?.partition === 'none' ? 0 : one.place,
    one.class,
    listedAt(endpoint, asked),
    asked.canonical?.serviceTier === 'priority' && endpoint.tier !== 'priority' ? 1 : 0,
    isPublic ? 1 : 0,
  ];
}

function chosenSort(
  variant: string | undefined,
  { provider }: Asked,
  { policy }: RoutingSnapshot,
): string | undefined {
  const ofVariant = { nitro: 'throughput', floor: 'price', exacto: 'exacto' }[variant ?? ''];
  return provider.sort?.by ?? ofVariant ?? policy.defaultSort;
}

function otherMetric({ canonical, parameters }: Asked, flexible: boolean): string {
  if (canonical?.serviceTier === 'priority') return 'throughput';
  if (flexible) return 'price';
  return parameters?.includes('tools') === true ? 'exacto' : 'draw';
}

function measure(metric: string, { throughput, latency }: EndpointSpeed): number {
  if (metric === 'throughput') return -(throughput?.p50 ?? Number.NEGATIVE_INFINITY);
  return metric === 'latency' ? (latency?.p50 ?? Number.POSITIVE_INFINITY) : 0;
}

function pricePerMillion(endpoint: Endpoint, snapshot: RoutingSnapshot): number {
  const price = naivePrice(endpoint, snapshot);
  if (price === undefined) return Number.POSITIVE_INFINITY;
  const usd = (pico: bigint | undefined) => Number(pico ?? 0n) / 1e12;
  return 1e6 * (0.75 * usd(price.prompt) + 0.25 * usd(price.completion)) + 1000 * usd(price.request);
}

function naiveSpeed(endpoint: Endpoint, { statistics }: RoutingSnapshot): EndpointSpeed {
  const measured = statistics.speed(endpoint);
  const { prior } = endpoint;
  const flat = (value: number | undefined) =>
    value === undefined ? undefined : { p50: value, p75: value, p90: value, p99: value };
  return {
    latency: measured?.latency ?? flat(prior?.ttftMs),
    throughput: measured?.throughput ?? flat(prior?.tps),
  };
}

function isMissed(speed: EndpointSpeed, provider: InferenceRequest['provider']): boolean {
  const names = ['p50', 'p75', 'p90', 'p99'] as const;
  return names.some((name) => {
    const seconds = provider.preferredMaxLatency?.[name];
    const rate = provider.preferredMinThroughput?.[name];
    const latency = speed.latency?.[name] ?? Number.POSITIVE_INFINITY;
    const throughput = speed.throughput?.[name] ?? 0;
    return (seconds !== undefined && latency > seconds * 1000) || (rate !== undefined && throughput < rate);
  });
}

function naiveExacto(
  { model, endpoint }: NaiveEntry,
  { statistics, rules: { exacto: rules } }: RoutingSnapshot,
): number {
  const all = model.endpoints.map((one) => statistics.quality(one));
  const speeds = all.flatMap((one) =>
    (one?.throughput?.requests ?? 0) >= rules.throughputRequests ? [one?.throughput?.value ?? 0] : [],
  );
  const rates = all.flatMap((one) =>
    (one?.toolCalls?.requests ?? 0) >= rules.toolCallRequests ? [one?.toolCalls?.successRate ?? 0] : [],
  );
  const { throughput, toolCalls, benchmark } = statistics.quality(endpoint) ?? {};
  const fastEnoughKnown = (throughput?.requests ?? 0) >= rules.throughputRequests;
  const toolsKnown = (toolCalls?.requests ?? 0) >= rules.toolCallRequests;
  if (benchmark === 'flagged') return 2;
  const floor = (values: readonly number[], deviations: number) =>
    values.length < rules.peers ? Number.NEGATIVE_INFINITY : floorOf(values, deviations);
  if (fastEnoughKnown && (throughput?.value ?? 0) < floor(speeds, rules.throughputDeviations)) return 2;
  if (toolsKnown && (toolCalls?.successRate ?? 0) < floor(rates, rules.toolCallDeviations)) return 2;
  return fastEnoughKnown && toolsKnown ? 0 : 1;
}

function floorOf(values: readonly number[], deviations: number): number {
  const middle = medianOf(values);
  return middle - deviations * (1.4826 * medianOf(values.map((value) => Math.abs(value - middle))));
}

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  const lower = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
  const upper = sorted[Math.ceil((sorted.length - 1) / 2)] ?? 0;
  return (lower + upper) / 2;
}
