import type { Catalogue, Endpoint, Model } from '../../src/core/catalogue.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { type RoutingRules, usualRoutingRules } from '../../src/core/routing-rules.ts';
import type { ProviderCredential } from '../../src/ports/credentials.ts';
import type { RoutePolicy, RoutingSnapshot } from '../../src/routing/route-plan.ts';
import type {
  EndpointHealth,
  EndpointQuality,
  EndpointSpeed,
  SpeedPercentiles,
  StatisticsSnapshot,
} from '../../src/routing/statistics-snapshot.ts';
import { testCredential } from '../support/credentials.ts';
import { parse } from '../support/request-parsing.ts';
import { plainSnapshot } from '../support/routing-services.ts';
import { otherAccount, someAccount } from './random-catalogue.ts';
import { type Chooser, chooserOf } from './random-numbers.ts';

/** A request and the moment it comes in, without the random numbers of the draw. */
export interface Situation {
  readonly request: InferenceRequest;
  readonly snapshot: RoutingSnapshot;
}

/** Every number another one. */
const otherRules: RoutingRules = {
  maxModels: 3,
  maxAttempts: 4,
  retrySame: false,
  stickyLifetime: 1,
  health: {
    uptimeRequests: 20,
    reliableUptime: 0.97,
    usableUptime: 0.9,
    outageFailures: 1,
    outageShare: 0.5,
    rateLimitWait: 1,
    rateLimitWaitMax: 1,
  },
  exacto: {
    throughputRequests: 50,
    throughputDeviations: 0.5,
    toolCallRequests: 100,
    toolCallDeviations: 1,
    benchmarkDeviations: 1,
    peers: 3,
  },
  auto: { defaultModels: [], priors: {}, classifierTimeout: 300 },
  bodybuilder: {},
  fusion: { panels: {} },
};
const weather = ['XX', 'DE'];
const percentiles = ['p50', 'p75', 'p90', 'p99'] as const;

/** A random request to a catalogue at a random moment; the same one for the same seed. */
export function randomSituation(
  seed: number,
  catalogue: Catalogue,
  statistics: StatisticsSnapshot,
): Situation {
  const choose = chooserOf(seed);
  const models = [...catalogue.models.values()];
  const tokens = choose.one([20, 500, 3_000, 20_000, 150_000]);
  const slugs = [...(catalogue.aliases?.keys() ?? []), 'acme/nobody'];
  const request = parse(randomBody(choose, models, slugs));
  const named = models.filter(({ id }) => request.models.some((slug) => slug.toLowerCase().startsWith(id)));
  return {
    request,
    snapshot: plainSnapshot(catalogue, {
      policy: randomPolicy(choose, models, named),
      rules: choose.chance(0.7) ? usualRoutingRules : otherRules,
      statistics: choose.chance(0.7) ? statistics : plainSnapshot(catalogue).statistics,
      prompt: { tokens, atMost: 3 * tokens },
      now: Date.UTC(2026, 10, 18, choose.below(24), 30),
      sticky: choose.chance(0.3) ? randomSticky(choose.below(1000)) : undefined,
    }),
  };
}

/** What endpoints did, made up from a seed: every endpoint's figures stay the same. */
export function randomStatistics(seed: number): StatisticsSnapshot {
  const known = new Map<Endpoint, ReturnType<typeof figures>>();
  const choose = chooserOf(seed);
  const of = (endpoint: Endpoint) => {
    const found = known.get(endpoint) ?? figures(choose);
    known.set(endpoint, found);
    return found;
  };
  return {
    health: (endpoint, credentialId) => of(endpoint)[credentialId === undefined ? 'shared' : 'own'],
    speed: (endpoint) => of(endpoint).speed,
    quality: (endpoint) => of(endpoint).quality,
  };
}

function figures(choose: Chooser) {
  return {
    shared: randomHealth(choose),
    own: randomHealth(choose),
    speed: randomSpeed(choose),
    quality: randomQuality(choose),
  };
}

function randomHealth(choose: Chooser): EndpointHealth | undefined {
  if (choose.chance(0.4)) return undefined;
  const attempts = choose.one([20, 99, 100, 1000]);
  const recentAttempts = choose.below(20);
  return {
    attempts,
    failures: Math.floor(attempts * choose.one([0, 0, 0.05, 0.06, 0.2, 0.21])),
    recentAttempts,
    recentFailures: choose.chance(0.7) ? 0 : choose.below(recentAttempts + 1),
    coolingDown: choose.chance(0.1),
  };
}

function randomSpeed(choose: Chooser): EndpointSpeed | undefined {
  if (choose.chance(0.3)) return undefined;
  const rising = (scale: number): SpeedPercentiles => ({
    p50: scale,
    p75: 2 * scale,
    p90: 3 * scale,
    p99: 9 * scale,
  });
  const falling = (scale: number): SpeedPercentiles => ({
    p50: scale,
    p75: scale / 2,
    p90: scale / 3,
    p99: scale / 9,
  });
  return {
    latency: choose.chance(0.2) ? undefined : rising(choose.one([100, 200, 400, 800])),
    throughput: choose.chance(0.2) ? undefined : falling(choose.one([20, 40, 80])),
  };
}

function randomQuality(choose: Chooser): EndpointQuality | undefined {
  if (choose.chance(0.2)) return undefined;
  const requests = () => choose.one([50, 100, 200, 500]);
  return {
    throughput: choose.chance(0.1) ? undefined : { requests: requests(), value: 30 + choose.below(50) },
    toolCalls: choose.chance(0.1)
      ? undefined
      : { requests: requests(), successRate: choose.one([0.99, 0.98, 0.97, 0.9, 0.5]) },
    benchmark: choose.one([undefined, 'good', 'good', 'flagged'] as const),
  };
}

function randomSticky(
  salt: number,
): (model: Model) => { tag: string; credentialClass: 0 | 1 | 2 } | undefined {
  return ({ id, endpoints }) => {
    const choose = chooserOf(salt + id.length * 31 + Number(id.replace(/\D/g, '')));
    if (choose.chance(0.2)) return undefined;
    return { tag: choose.one(endpoints).tag, credentialClass: choose.one([0, 1, 1, 2] as const) };
  };
}

/** The body of a random request to models of a catalogue. */
export function randomBody(
  choose: Chooser,
  models: readonly Model[],
  others: readonly string[],
): Record<string, unknown> {
  const slugs = Array.from({ length: choose.one([1, 1, 1, 2, 3]) }, () => randomSlug(choose, models, others));
  return {
    model: slugs[0],
    ...(slugs.length > 1 ? { models: slugs.slice(1) } : {}),
    ...(choose.chance(0.1)
      ? {
          input: [
            { role: 'user', content: [{ type: 'input_image', image_url: 'data:image/png;base64,AA==' }] },
          ],
        }
      : {}),
    ...(choose.chance(0.3)
      ? { service_tier: choose.one(['auto', 'default', 'flex', 'priority', 'fast']) }
      : {}),
    ...(choose.chance(0.3) ? { tools: [{ type: 'function', name: 'f' }] } : {}),
    ...(choose.chance(0.2)
      ? { text: { format: { type: 'json_object' }, ...(choose.chance(0.5) ? { verbosity: 'low' } : {}) } }
      : {}),
    ...(choose.chance(0.3) ? { max_output_tokens: choose.one([500, 4_000, 50_000]) } : {}),
    ...(choose.chance(0.1) ? { truncation: 'auto' } : {}),
    ...(choose.chance(0.2) ? { top_p: 0.5, seed: 1 } : {}),
    ...(choose.chance(0.7) ? { provider: randomPreferences(choose, models) } : {}),
  };
}

function randomSlug(choose: Chooser, models: readonly Model[], others: readonly string[]): string {
  if (choose.chance(0.03)) return choose.one(others);
  const { id, canonicalSlug } = choose.one(models);
  const base = choose.chance(0.2) ? canonicalSlug : choose.chance(0.1) ? id.toUpperCase() : id;
  return choose.chance(0.3) ? `${base}:${choose.one(['nitro', 'floor', 'exacto'])}` : base;
}

function randomPreferences(choose: Chooser, models: readonly Model[]): Record<string, unknown> {
  const entries = () =>
    Array.from({ length: 1 + choose.below(12) }, () => {
      const { tag, provider } = choose.one(choose.one(models).endpoints);
      return choose.one([tag, provider.slug, provider.slug, provider.name, tag.toUpperCase()]);
    });
  const cutoffs = (values: readonly number[]) =>
    choose.chance(0.5)
      ? choose.one(values)
      : Object.fromEntries(choose.some(percentiles, 0.5).map((name) => [name, choose.one(values)]));
  return {
    ...(choose.chance(0.25) ? { order: entries() } : {}),
    ...(choose.chance(0.15) ? { only: [...entries(), ...entries()] } : {}),
    ...(choose.chance(0.15) ? { ignore: entries() } : {}),
    ...(choose.chance(0.15) ? { allow_fallbacks: choose.chance(0.2) } : {}),
    ...(choose.chance(0.1) ? { require_parameters: true } : {}),
    ...(choose.chance(0.1) ? { data_collection: choose.one(['allow', 'deny']) } : {}),
    ...(choose.chance(0.1) ? { zdr: choose.chance(0.8) } : {}),
    ...(choose.chance(0.05) ? { enforce_distillable_text: true } : {}),
    ...(choose.chance(0.1) ? { quantizations: choose.some(['fp4', 'fp8', 'bf16', 'unknown'], 0.6) } : {}),
    ...(choose.chance(0.3) ? { sort: randomSort(choose) } : {}),
    ...(choose.chance(0.15) ? { preferred_max_latency: cutoffs([0.2, 0.5, 2]) } : {}),
    ...(choose.chance(0.15) ? { preferred_min_throughput: cutoffs([10, 30]) } : {}),
    ...(choose.chance(0.1) ? { max_price: { prompt: choose.one([0, 1, '2.5']), completion: 10 } } : {}),
  };
}

function randomSort(choose: Chooser): unknown {
  const by = choose.one(['price', 'throughput', 'latency', 'exacto']);
  return choose.one([by, { by }, { by, partition: 'none' }, { partition: 'none' }]);
}

function randomPolicy(choose: Chooser, models: readonly Model[], named: readonly Model[]): RoutePolicy {
  const providers = (among: readonly Model[]) => [
    ...new Set(among.flatMap(({ endpoints }) => endpoints.map(({ provider }) => provider.slug))),
  ];
  return {
    pricedOnly: choose.chance(0.3),
    accountId: choose.one([someAccount, otherAccount]),
    credentials: choose.chance(0.5) ? randomCredentials(choose, providers(named), named) : undefined,
    ownCredentialsOnly: choose.chance(0.03),
    ...(choose.chance(0.1) ? { allowedProviders: [choose.some(providers(models), 0.7)] } : {}),
    ...(choose.chance(0.1) ? { ignoredProviders: choose.some(providers(models), 0.1) } : {}),
    ...(choose.chance(0.1) ? { zeroRetention: ({ id }) => id.length % 2 === 0 } : {}),
    forbidPaidTraining: choose.chance(0.1),
    forbidFreeTraining: choose.chance(0.1),
    forbidFreePublication: choose.chance(0.1),
    ...(choose.chance(0.3) ? { country: choose.one(weather) } : {}),
    ...(choose.chance(0.05) ? { dataRegions: ['europe'] } : {}),
    ...(choose.chance(0.1) ? { defaultSort: choose.one(['price', 'throughput', 'latency'] as const) } : {}),
  };
}

function randomCredentials(
  choose: Chooser,
  providers: readonly string[],
  models: readonly Model[],
): readonly ProviderCredential[] {
  if (providers.length === 0) return [];
  return Array.from({ length: 1 + choose.below(5) }, (_, index) => {
    const isFallback = choose.chance(0.3);
    return testCredential({
      id: `credential-${index}`,
      accountId: someAccount,
      provider: choose.one(providers),
      isFallback,
      isRequired: choose.chance(0.3),
      isByokOnly: !isFallback && choose.chance(0.2),
      declaredZdr: choose.one([null, null, true, false]),
      allowedModels: choose.chance(0.5)
        ? null
        : choose.some(models, 0.6).map(({ canonicalSlug }) => canonicalSlug),
      sortOrder: choose.below(3),
    });
  });
}
