import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelFrom } from '../../test/support/model-from.ts';
import { planOrThrow } from '../../test/support/plan-or-throw.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { emptyStatistics, plainSnapshot } from '../../test/support/routing-services.ts';
import { parsePricePerMillion } from '../core/money.ts';
import { explainOrder } from './explain-order.ts';
import type { RoutingSnapshot } from './route-plan.ts';

const cachedPrice = {
  prompt: parsePricePerMillion(3),
  completion: parsePricePerMillion(3),
  cacheRead: parsePricePerMillion(0.3),
};
const atlas = modelFrom('acme/atlas', {
  north: { usd: 3, tps: 60, ttft: 300, fields: { price: cachedPrice } },
  'north/priority': { usd: 8, tps: 80, tier: 'priority' },
  south: { usd: 1, tps: 30, ttft: 200 },
  east: { usd: 2 },
});
const ibis = modelFrom('acme/ibis', { south: { usd: 0.2, tps: 200, ttft: 100 } });
const twins = modelFrom('acme/twins', {
  south: { usd: 1, fields: { accounts: new Set(['user_1']) } },
  east: { usd: 1 },
});
const models = new Map([atlas, ibis, twins].map((model) => [model.id, model]));

/** The plan, each endpoint with what put it there. */
function explained(body: object, change: Partial<RoutingSnapshot> = {}): readonly string[] {
  const snapshot = plainSnapshot({ models, providers: new Map() }, { random: () => 0, ...change });
  const { ranked } = planOrThrow(parse({ model: 'acme/atlas', ...body }), snapshot);
  const reasons = explainOrder(ranked);
  return ranked.map(({ facts }, index) => `${facts.tag}: ${reasons[index]}`);
}

test('a draw is named, and what stands behind its winner', () => {
  assert.deepEqual(explained({}), ['south: drawn', 'east: price', 'north: price']);
  const last = { random: () => 0.9999 };
  assert.deepEqual(explained({}, last), ['north: drawn', 'south: drawn', 'east: price']);
  assert.deepEqual(explained({ provider: { only: ['east'] } }), ['east: only']);
});

test('what the request wants is named before the price', () => {
  const sorted = (sort: string) => explained({ provider: { sort } });
  assert.deepEqual(sorted('price'), ['south: price', 'east: price', 'north: price']);
  assert.deepEqual(sorted('throughput'), ['north: speed', 'south: speed', 'east: speed']);
  assert.deepEqual(sorted('latency'), ['south: speed', 'north: speed', 'east: speed']);
  assert.deepEqual(explained({ provider: { order: ['east'] } }), [
    'east: order',
    'south: order',
    'north: price',
  ]);
  assert.deepEqual(explained({ provider: { preferred_min_throughput: 50 } }), [
    'north: speed_wanted',
    'south: speed_wanted',
    'east: price',
  ]);
  assert.equal(explained({ service_tier: 'priority' })[0], 'north/priority: service_tier');
  assert.equal(explained({ models: ['acme/ibis'] }).at(-1), 'south: model');
});

test('health, private endpoints and an earlier answer of the conversation are named', () => {
  const failing = { attempts: 1000, failures: 150, recentAttempts: 0, recentFailures: 0, coolingDown: false };
  const statistics: RoutingSnapshot['statistics'] = {
    ...emptyStatistics,
    health: ({ tag }) => (tag === 'south' ? failing : undefined),
  };
  assert.deepEqual(explained({}, { statistics }), ['east: drawn', 'north: price', 'south: health']);
  const policy = { pricedOnly: true, accountId: 'user_1' };
  assert.deepEqual(explained({ model: 'acme/twins' }, { policy }), [
    'south: own_endpoint',
    'east: own_endpoint',
  ]);
  const sticky: RoutingSnapshot['sticky'] = () => ({ tag: 'north', credentialClass: 1 });
  assert.deepEqual(explained({}, { sticky }), ['north: sticky', 'south: drawn', 'east: price']);
  const twoLeft = explained({ provider: { ignore: ['east'] } }, { sticky });
  assert.deepEqual(twoLeft, ['north: sticky', 'south: sticky'], 'the other one follows because of it');
});
