import type { Delta } from '../../src/core/delta.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { parseInferenceRequest } from '../../src/dialects/responses/request/parse-inference-request.ts';
import { roomOf } from '../../src/ports/answer-room.ts';
import type { AttemptOutcome } from '../../src/ports/endpoint-statistics.ts';
import type { Upstream, UpstreamCall } from '../../src/ports/upstream.ts';
import { openAnswer } from '../../src/routing/attempt.ts';
import { type HealthRank, healthRank } from '../../src/routing/ordering-key.ts';
import { LiveStatistics } from '../../src/routing/statistics/live-statistics.ts';
import { MemoryEndpointStatistics } from '../../src/shared-state/memory/statistics/memory-endpoint-statistics.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { planOrThrow } from '../support/plan-or-throw.ts';
import { plainSnapshot } from '../support/routing-services.ts';
import { supportOf } from '../support/scripted-upstream.ts';
import { VirtualTime } from './virtual-time.ts';

const minute = 60_000;

/** How the provider `north` behaves during a part of the hour; its neighbours are always well. */
export interface Phase {
  readonly name: string;
  /** Minutes from the beginning; the last one ends with the hour. */
  readonly from: number;
  readonly until: number;
  readonly timeToFirstToken?: number;
  /** Of the requests, how many fail. */
  readonly failing?: number;
  /** Seconds a 429 asks to wait; `none` is a 429 that names no wait. */
  readonly limiting?: number | 'none';
}

/** What happens to `north`. */
export const phases: readonly Phase[] = [
  { name: 'well', from: 0, until: 8 },
  { name: 'slow', from: 8, until: 16, timeToFirstToken: 4000 },
  { name: 'well', from: 16, until: 22 },
  { name: 'down', from: 22, until: 26, failing: 1 },
  { name: 'well', from: 26, until: 31 },
  { name: '429, wait 30 s', from: 31, until: 35, limiting: 30 },
  { name: '429, no hint', from: 35, until: 39, limiting: 'none' },
  { name: 'well', from: 39, until: 43 },
  { name: 'one in eight fails', from: 43, until: 60, failing: 1 / 8 },
];

/** Prices in USD per million, in and out alike. */
export const prices = { north: 1, south: 2, east: 3 } as const;

/** A provider of the simulation. */
export type Slug = keyof typeof prices;

/** The two kinds of requests that come in turns. */
export const kinds = ['any', 'prompt'] as const;

/** `any` states no wish; `prompt` prefers endpoints that begin within 1.5 s. */
export type Kind = (typeof kinds)[number];

/** One request: whom the plan put first, who answered, and what was known of everybody then. */
export interface Observation {
  readonly at: number;
  readonly kind: Kind;
  readonly first: Slug;
  readonly served: Slug;
  readonly ranks: Readonly<Record<Slug, HealthRank>>;
}

/** How an attempt at `north` ended. */
export interface NorthOutcome {
  readonly at: number;
  readonly outcome: AttemptOutcome;
  readonly retryAfter?: number;
}

/** Everything seen in an hour. */
export interface Hour {
  readonly observations: readonly Observation[];
  readonly north: readonly NorthOutcome[];
}

/** Plays an hour of requests, two a second, against real plans, attempts and statistics, without waiting. */
export async function playHour(seed = 1): Promise<Hour> {
  const time = new VirtualTime();
  const draw = createDraws(seed);
  const told: NorthOutcome[] = [];
  const statistics = new MemoryEndpointStatistics(time);
  const record = statistics.record.bind(statistics);
  statistics.record = (entry) => {
    const { endpoint, outcome, retryAfter } = entry;
    if (endpoint.tag === 'north' && outcome !== undefined) told.push({ at: time.now(), outcome, retryAfter });
    record(entry);
  };
  const live = new LiveStatistics(statistics, time);
  const model = createModel();
  const upstreams = new Map([['simulated', new SimulatedUpstream(time, createDraws(seed + 1))]]);
  const catalogue = { models: new Map([[model.id, model]]), providers: new Map() };
  const observations: Observation[] = [];

  const ask = async (kind: Kind) => {
    const at = time.now();
    const snapshot = plainSnapshot(catalogue, { statistics: live, upstreams, now: at, random: draw });
    const plan = planOrThrow(requests[kind], snapshot);
    const ranks = Object.fromEntries(
      model.endpoints.map((endpoint) => [
        endpoint.tag,
        healthRank(live.health(endpoint), usualRoutingRules.health),
      ]),
    ) as Record<Slug, HealthRank>;
    const open = await openAnswer(plan, requests[kind].canonical, {
      upstreams,
      statistics,
      clock: time,
      signal: new AbortController().signal,
      streamed: true,
      health: usualRoutingRules.health,
      fallbacks: true,
      maxAttempts: usualRoutingRules.maxAttempts,
      retrySame: false,
      strict: false,
      room: roomOf(32 * 1024 * 1024),
      admit: () => undefined,
      onTry: () => {},
      onAttempt: () => {},
    });
    for await (const _batch of open.batches);
    const first = plan.targets[0]?.endpoint.tag as Slug;
    observations.push({ at, kind, first, served: open.target.endpoint.tag as Slug, ranks });
  };
  const arrive = async () => {
    for (let request = 0; time.now() < 60 * minute; request += 1) {
      void ask(kinds[request % kinds.length] ?? 'any');
      await time.sleep(500);
    }
  };
  void arrive();
  await time.run();
  return { observations: observations.sort((one, other) => one.at - other.at), north: told };
}

function createModel() {
  const providers = Object.keys(prices).map((slug) => providerOf({ slug, adapter: 'simulated' }));
  const model = modelOf('acme/atlas', providers);
  const endpoints = model.endpoints.map((endpoint) => {
    const price = parsePricePerMillion(prices[endpoint.tag as Slug]);
    return { ...endpoint, price: { prompt: price, completion: price } };
  });
  return { ...model, endpoints };
}

const requests: Readonly<Record<Kind, InferenceRequest>> = {
  any: parse({}),
  prompt: parse({ provider: { preferred_max_latency: 1.5 } }),
};

function parse(change: object): InferenceRequest {
  return parseInferenceRequest(
    { model: 'acme/atlas', input: 'Hi', stream: true, ...change },
    { headers: {}, aliases: [], echoDefaults: false, hashEndUser: (raw) => raw },
  ).request;
}

/** Numbers from 0 until below 1 that are the same for the same seed. */
function createDraws(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** Three providers of which one goes through the phases. */
class SimulatedUpstream implements Upstream {
  readonly #time: VirtualTime;
  readonly #draw: () => number;

  constructor(time: VirtualTime, draw: () => number) {
    this.#time = time;
    this.#draw = draw;
  }

  support() {
    return supportOf();
  }

  async *stream({ endpoint }: UpstreamCall): AsyncGenerator<readonly Delta[]> {
    const { timeToFirstToken, failing = 0, limiting } = this.#phaseOf(endpoint.tag);
    if (limiting !== undefined) {
      await this.#time.sleep(50);
      const retryAfter = limiting === 'none' ? undefined : limiting;
      throw new HeadgateError('upstream_rate_limit', 'Too many.', { retryAfter });
    }
    if (this.#draw() < failing) {
      await this.#time.sleep(200);
      throw new HeadgateError('provider_failed', 'Down.');
    }
    await this.#time.sleep(timeToFirstToken ?? 300 + 200 * this.#draw());
    yield [{ kind: 'text', block: 0, text: 'Hi' }];
    await this.#time.sleep(1000);
    yield [
      { kind: 'usage', usage: { output: 60 } },
      { kind: 'finish', reason: 'stop' },
    ];
  }

  #phaseOf(slug: string): Partial<Phase> {
    if (slug !== 'north') return {};
    const now = this.#time.now() / minute;
    return phases.find(({ from, until }) => now >= from && now < until) ?? {};
  }
}
