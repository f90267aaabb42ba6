import type { Catalogue, Model, Provider } from '../../src/core/catalogue.ts';
import { HeadgateError } from '../../src/core/errors.ts';
import type { InferenceRequest } from '../../src/core/inference-request.ts';
import { nanoFromInteger, parsePricePerMillion } from '../../src/core/money.ts';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import type { RouterTrafficRow } from '../../src/ports/router-traffic.ts';
import { askRouter } from '../../src/routers/ask-router.ts';
import { LiveTraffic } from '../../src/routers/live-traffic.ts';
import { dayLength, utcDay } from '../../src/util/utc-windows.ts';
import { randomNumbers } from '../routing/random-numbers.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { parse } from '../support/request-parsing.ts';
import { plainSnapshot } from '../support/routing-services.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 10, 16);
/** Requests an hour. */
const pace = 30;
const tokens = { input: 2_000, output: 500 };

/** What a day of the week brings, from its hour on. */
export interface WeekEvent {
  readonly hour: number;
  readonly words: string;
}

/** The models of the week by name, with USD per million tokens as it begins. */
export const weekModels = { tiny: 0.2, small: 0.5, middle: 2, large: 5, huge: 15, fresh: 1 } as const;
/** A model of the week. */
export type WeekModel = keyof typeof weekModels;

/** The tasks that the requests of the week are about, with a prompt that the rules recognise. */
export const weekTasks = {
  math: 'Solve the equation 2x + 3 = 7.',
  translation: 'Translate this letter into French.',
  'code:debugging': 'My Python function throws a TypeError, what is wrong with it?',
} as const;
/** A task of the week. */
export type WeekTask = keyof typeof weekTasks;

/** What happens. */
export const weekEvents = {
  cheaper: { hour: 36, words: 'large costs 1 instead of 5' },
  outage: { hour: 84, words: 'middle is down' },
  back: { hour: 96, words: 'middle is back' },
  released: { hour: 120, words: 'fresh is released' },
} as const satisfies Record<string, WeekEvent>;

/** One request: when, about what, what the router put first, and which model answered. */
export interface WeekRequest {
  readonly hour: number;
  readonly task: WeekTask;
  /** Whether the request restricted the choice to one model. */
  readonly isRestricted: boolean;
  readonly first: WeekModel;
  readonly answered: WeekModel;
}

/**
 * Plays a week of requests to `service/auto`: the real router over the real figures of traffic, on a simulated clock. A tenth
 * of the requests allow one model only, most of them `large`; the others want a good answer for up to two thirds of the costs.
 */
export async function playWeek(seed: number): Promise<readonly WeekRequest[]> {
  const clock = { time: start, now: () => clock.time };
  const random = randomNumbers(seed);
  const rows: RouterTrafficRow[] = [];
  const north = providerOf({ slug: 'north' });
  let catalogue = catalogueAt(0, north);
  const traffic = new LiveTraffic({
    clock,
    catalogue: () => catalogue,
    routerTraffic: { read: async (since) => rows.filter(({ day }) => day * dayLength >= since) },
    generations: { usage: async () => [] },
  });
  const seen: WeekRequest[] = [];
  for (let at = 0; at < 7 * 24; at += 1) {
    clock.time = start + at * hour;
    catalogue = catalogueAt(at, north);
    await traffic.ready(false);
    traffic.traffic('math');
    await new Promise(setImmediate);
    for (let count = 0; count < pace; count += 1) {
      const { task, request, isRestricted } = drawRequest(random);
      const models = chooseFor(request, { catalogue, traffic, now: clock.time, random });
      const first = models[0];
      const answered = models.find((name) => !isDown(name, at));
      if (first === undefined || answered === undefined) continue;
      seen.push({ hour: at, task, isRestricted, first, answered });
      rows.push(rowOf(answered, task, at, clock.time));
    }
  }
  return seen;
}

function drawRequest(random: () => number) {
  const tasks = Object.keys(weekTasks) as readonly WeekTask[];
  const task = tasks[Math.floor(random() * tasks.length)] ?? 'math';
  const isRestricted = random() < 0.1;
  const only = random() < 0.7 ? 'acme/large' : 'acme/small';
  const settings = isRestricted ? { allowed_models: [only] } : { cost_quality_tradeoff: 3 };
  const plugins = [{ id: 'auto-router', ...settings }];
  return { task, isRestricted, request: parse({ model: 'service/auto', input: weekTasks[task], plugins }) };
}

function chooseFor(
  request: InferenceRequest,
  at: {
    readonly catalogue: Catalogue;
    readonly traffic: LiveTraffic;
    readonly now: number;
    readonly random: () => number;
  },
): readonly WeekModel[] {
  const { catalogue, traffic, now, random } = at;
  const auto = { ...usualRoutingRules.auto, priors: { math: { 'acme/middle': 1 } } };
  const outcome = askRouter({
    request,
    named: { slug: 'service/auto', routerId: 'service/auto', variant: undefined },
    snapshot: plainSnapshot(catalogue, { now, random, rules: { ...usualRoutingRules, auto } }),
    statistics: traffic,
  });
  if (outcome instanceof HeadgateError) return [];
  return outcome.models.map((id) => id.replace('acme/', '') as WeekModel);
}

function priceAt(name: WeekModel, at: number): number {
  return name === 'large' && at >= weekEvents.cheaper.hour ? 1 : weekModels[name];
}

function isDown(name: WeekModel, at: number): boolean {
  return name === 'middle' && at >= weekEvents.outage.hour && at < weekEvents.back.hour;
}

function catalogueAt(at: number, provider: Provider): Catalogue {
  const names = (Object.keys(weekModels) as readonly WeekModel[]).filter(
    (name) => name !== 'fresh' || at >= weekEvents.released.hour,
  );
  const models = names.map((name, place): readonly [string, Model] => {
    const price = parsePricePerMillion(priceAt(name, at));
    const model = modelOf(`acme/${name}`, [provider], { price: { prompt: price, completion: price } });
    return [model.id, { ...model, created: start / 1000 + place }];
  });
  return { models: new Map(models), providers: new Map() };
}

function rowOf(name: WeekModel, task: WeekTask, at: number, now: number): RouterTrafficRow {
  const { input, output } = tokens;
  // USD per million tokens are micro-USD a token.
  const cost = nanoFromInteger(Math.round(priceAt(name, at) * (input + output) * 1_000));
  return {
    day: utcDay(now),
    router: 'service/auto',
    task,
    model: `acme/${name}`,
    generations: 1,
    inputTokens: input,
    cachedTokens: 0,
    outputTokens: output,
    reasoningTokens: 0,
    cost,
    fallbacks: 0,
    listCost: cost,
  };
}
