import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelFrom } from '../../test/support/model-from.ts';
import { planOrThrow } from '../../test/support/plan-or-throw.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { emptyStatistics, plainSnapshot } from '../../test/support/routing-services.ts';
import { type PicoUsd, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';
import { usualRoutingRules } from '../core/routing-rules.ts';
import type { RoutingSnapshot } from './route-plan.ts';
import type { StatisticsSnapshot } from './statistics-snapshot.ts';

const atlas = modelFrom('acme/atlas', {
  north: { usd: 3, tps: 60, ttft: 300 },
  'north/turbo': { usd: 4, tps: 90, ttft: 900 },
  'north/priority': { usd: 8, tps: 80, tier: 'priority' },
  south: { usd: 1, tps: 30, ttft: 200 },
  'south/flex': { usd: 0.5, tps: 5, tier: 'flex' },
  east: { usd: 2 },
});
const ibis = modelFrom('acme/ibis', { south: { usd: 0.2, tps: 200, ttft: 100 }, east: { usd: 9, tps: 300 } });
const fast = modelFrom('acme/fast', { north: { usd: 5 } });
const slow = { ...modelFrom('acme/slow', { north: { usd: 1 } }), fastSibling: 'acme/fast' };
const models = new Map([atlas, ibis, fast, slow].map((model) => [model.id, model]));

function order(body: object, change: Partial<RoutingSnapshot> = {}): readonly string[] {
  const snapshot = plainSnapshot({ models, providers: new Map() }, change);
  return planOrThrow(parse({ model: 'acme/atlas', ...body }), snapshot).targets.map(({ model, endpoint }) =>
    model === atlas ? endpoint.tag : `${model.name.split('/')[1]} ${endpoint.tag}`,
  );
}

const sorted = (sort: unknown) => ({ provider: { sort } });

test('an explicit sort is strict, unknown figures come last', () => {
  assert.deepEqual(order(sorted('price')), ['south', 'east', 'north', 'north/turbo']);
  assert.deepEqual(order(sorted('throughput')), ['north/turbo', 'north', 'south', 'east']);
  assert.deepEqual(order(sorted({ by: 'latency' })), ['south', 'north', 'north/turbo', 'east']);
  const tools = [{ type: 'function', name: 'f' }];
  assert.deepEqual(order({ ...sorted('price'), tools }), order(sorted('price')), 'tools or not');
});

test('variants sort and let a tier compete; a sort, an order or the default tier take that back', () => {
  const nitro = { model: 'acme/atlas:nitro' };
  assert.deepEqual(order(nitro), ['north/turbo', 'north/priority', 'north', 'south', 'east']);
  assert.deepEqual(order({ model: 'acme/atlas:floor' }), [
    'south/flex',
    'south',
    'east',
    'north',
    'north/turbo',
  ]);
  assert.deepEqual(order({ ...nitro, service_tier: 'default' }), ['north/turbo', 'north', 'south', 'east']);
  assert.deepEqual(order({ ...nitro, ...sorted('price') }), ['south', 'east', 'north', 'north/turbo']);
  assert.deepEqual(order({ ...nitro, provider: { order: ['east'] } }), [
    'east',
    'north/turbo',
    'north',
    'south',
  ]);
});

test('service tiers: priority first and then the others by speed, flex alone where there is any', () => {
  const priority = ['north/priority', 'north/turbo', 'north', 'south', 'east'];
  assert.deepEqual(order({ service_tier: 'priority' }), priority);
  assert.deepEqual(order({ service_tier: 'fast' }), priority);
  assert.deepEqual(order({ service_tier: 'flex' }), ['south/flex']);
  assert.deepEqual(
    order({ service_tier: 'flex', models: ['acme/ibis'] }),
    ['south/flex'],
    'of all candidates',
  );
  assert.deepEqual(order({ service_tier: 'flex', provider: { ignore: ['south'] } }), [
    'east',
    'north',
    'north/turbo',
  ]);
  assert.deepEqual(order({ service_tier: 'scale' }), order({}));
  assert.deepEqual(order({ service_tier: 'priority', provider: { allow_fallbacks: false } }), [
    'north/priority',
  ]);
  assert.deepEqual(order({ model: 'acme/slow', service_tier: 'priority' }), ['fast north']);
});

test('a tier endpoint is reached by its tag, or by its provider once the tier was asked for', () => {
  assert.deepEqual(order({ provider: { only: ['north/priority'] } }), ['north/priority']);
  assert.deepEqual(order({ provider: { only: ['north'] } }), ['north', 'north/turbo']);
  assert.deepEqual(order({ provider: { only: ['north'] }, service_tier: 'priority' }), [
    'north/priority',
    'north/turbo',
    'north',
  ]);
  assert.deepEqual(order({ provider: { order: ['south/flex', 'NORTH'] } }), [
    'south/flex',
    'north',
    'north/turbo',
    'south',
    'east',
  ]);
});

test('an order is kept, with a sort only among what it does not list', () => {
  assert.deepEqual(order({ provider: { order: ['north/turbo', 'nobody', 'south'] } }), [
    'north/turbo',
    'south',
    'east',
    'north',
  ]);
  assert.deepEqual(order({ provider: { order: ['east'], sort: 'throughput' } }), [
    'east',
    'north/turbo',
    'north',
    'south',
  ]);
  const strict = { order: ['nobody'], allow_fallbacks: false };
  assert.throws(() => order({ provider: strict }), /order|list of providers to try \(nobody\)/);
});

test('models stay in order unless the request makes them compete', () => {
  const body = { models: ['acme/ibis'] };
  assert.deepEqual(order({ ...body, provider: { sort: 'price' } }).slice(-2), ['ibis south', 'ibis east']);
  assert.deepEqual(order({ ...body, provider: { sort: { by: 'price', partition: 'none' } } }), [
    'ibis south',
    'south',
    'east',
    'north',
    'north/turbo',
    'ibis east',
  ]);
  assert.deepEqual(order({ ...body, provider: { allow_fallbacks: false } }), ['south', 'ibis south']);
  assert.deepEqual(order({ model: 'acme/atlas:nitro', models: ['acme/ibis:floor'] }).slice(-2), [
    'ibis south',
    'ibis east',
  ]);
  const primary = {
    model: 'acme/atlas:floor',
    models: ['acme/ibis:nitro'],
    provider: { sort: { partition: 'none' } },
  };
  assert.equal(order(primary)[0], 'ibis south', 'the first variant sorts all');
});

test('what misses a wish for speed goes behind everything, fallback models included', () => {
  assert.deepEqual(order({ provider: { preferred_min_throughput: 50 } }), [
    'north',
    'north/turbo',
    'south',
    'east',
  ]);
  assert.deepEqual(order({ provider: { preferred_max_latency: { p90: 0.3 } }, models: ['acme/ibis'] }), [
    'south',
    'north',
    'ibis south',
    'east',
    'north/turbo',
    'ibis east',
  ]);
});

test('health comes before price; under a sort only what is nearly dead goes back', () => {
  const health = (failures: number) => ({
    attempts: 1000,
    failures,
    recentAttempts: 0,
    recentFailures: 0,
    coolingDown: false,
  });
  const ill = (failures: number): StatisticsSnapshot => ({
    ...emptyStatistics,
    health: ({ tag }) => (tag === 'south' ? health(failures) : undefined),
  });
  assert.deepEqual(order({}, { statistics: ill(50) })[0], 'south', '95 % is healthy');
  assert.deepEqual(order({}, { statistics: ill(51) }), ['east', 'north', 'north/turbo', 'south']);
  assert.equal(order(sorted('price'), { statistics: ill(200) })[0], 'south', '80 %');
  assert.equal(order(sorted('price'), { statistics: ill(201) }).at(-1), 'south');
  assert.equal(order({ provider: { order: ['south'] } }, { statistics: ill(900) })[0], 'south');
});

test('the price that counts is that of this prompt at this hour', () => {
  const price = {
    prompt: parsePricePerMillion(1),
    completion: parsePricePerMillion(1),
    overrides: [
      { minPromptTokens: 1000, prompt: parsePricePerMillion(50) },
      { utcStart: '2200', utcEnd: '0600', prompt: parsePricePerMillion(0.1) },
    ],
  };
  const model = modelFrom('acme/tides', { north: { usd: 2 }, south: { usd: 1, fields: { price } } });
  const at = (tokens: number, hour: number) => {
    const catalogue = { models: new Map([[model.id, model]]), providers: new Map() };
    const prompt = { tokens, atMost: 3 * tokens };
    const snapshot = plainSnapshot(catalogue, { prompt, now: Date.UTC(2026, 10, 18, hour) });
    const limited = parse({ model: 'acme/tides', provider: { max_price: { prompt: 2 } } });
    const [first] = planOrThrow(parse({ model: 'acme/tides' }), snapshot).targets;
    const within = planOrThrow(limited, snapshot).targets.map(({ endpoint }) => endpoint.tag);
    return [first?.endpoint.tag, within.length];
  };
  assert.deepEqual(at(1000, 12), ['south', 2]);
  assert.deepEqual(at(1001, 12), ['north', 1]);
  assert.deepEqual(at(1001, 23), ['south', 2]);
});

test('each price limit is compared with its own price: an equal or missing price passes, a slightly higher one does not', () => {
  const limits = {
    prompt: ['prompt', parsePricePerMillion(2)],
    completion: ['completion', parsePricePerMillion(2)],
    request: ['request', parsePricePerUnit(2)],
    image: ['image', parsePricePerUnit(2)],
    audio: ['audioInput', parsePricePerUnit(2)],
  } as const;
  for (const [limit, [name, atLimit]] of Object.entries(limits)) {
    const plain = { prompt: 0n as PicoUsd, completion: 0n as PicoUsd };
    const priced = (own: bigint) => ({ usd: 1, fields: { price: { ...plain, [name]: own as PicoUsd } } });
    const model = modelFrom('acme/tides', {
      north: priced(atLimit),
      south: priced(atLimit + 1n),
      east: { usd: 1, fields: { price: plain } },
    });
    const snapshot = plainSnapshot({ models: new Map([[model.id, model]]), providers: new Map() });
    const within = (most: number) =>
      planOrThrow(parse({ model: model.id, provider: { max_price: { [limit]: most } } }), snapshot)
        .targets.map(({ endpoint }) => endpoint.tag)
        .toSorted();
    assert.deepEqual(within(2), ['east', 'north'], limit);
    assert.deepEqual(within(0), ['east'], limit);
    assert.equal(within(3).length, 3, limit);
  }
});

test('private endpoints come before public ones, for those who may use them', () => {
  const accounts = new Set(['user_1']);
  const model = modelFrom('acme/ours', { north: { usd: 1 }, south: { usd: 9, fields: { accounts } } });
  const catalogue = { models: new Map([[model.id, model]]), providers: new Map() };
  const of = (accountId: string) =>
    planOrThrow(
      parse({ model: 'acme/ours' }),
      plainSnapshot(catalogue, { policy: { pricedOnly: true, accountId } }),
    ).targets.map(({ endpoint }) => endpoint.tag);
  assert.deepEqual(of('user_1'), ['south', 'north']);
  assert.deepEqual(of('user_2'), ['north']);
});

test('no more than ten models are taken', () => {
  const slugs = Array.from({ length: 10 }, (_, index) => `acme/model-${index}`);
  assert.throws(() => order({ models: slugs }), /at most 10 models/);
  const rules = { ...usualRoutingRules, maxModels: 1 };
  assert.throws(() => order({ models: ['acme/ibis'] }, { rules }), /at most 1 models/);
});
