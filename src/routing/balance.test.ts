import assert from 'node:assert/strict';
import { test } from 'node:test';
import { randomNumbers } from '../../test/routing/random-numbers.ts';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { planOrThrow } from '../../test/support/plan-or-throw.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { emptyStatistics, plainSnapshot } from '../../test/support/routing-services.ts';
import type { Endpoint, Model } from '../core/catalogue.ts';
import { parsePricePerMillion } from '../core/money.ts';
import type { StatisticsSnapshot } from './statistics-snapshot.ts';

const draws = 20_000;
/** Chi-square with two degrees of freedom stays below this in all but one of a thousand runs. */
const critical = 13.82;

const [plain] = modelOf('acme/swift-1', [providerOf({ slug: 'x' })]).endpoints;
assert.ok(plain);

/** An endpoint that costs so many USD per million tokens either way. */
function endpointAt(slug: string, usd: number): Endpoint {
  assert.ok(plain);
  const price = { prompt: parsePricePerMillion(usd), completion: parsePricePerMillion(usd) };
  return { ...plain, provider: providerOf({ slug }), tag: slug, price };
}

const model: Model = {
  ...modelOf('acme/swift-1', []),
  endpoints: [endpointAt('a', 1), endpointAt('b', 2), endpointAt('c', 3)],
};

const [, b] = model.endpoints;
const outageAtB: StatisticsSnapshot = {
  ...emptyStatistics,
  health: (endpoint) =>
    endpoint === b
      ? { attempts: 500, failures: 5, recentAttempts: 10, recentFailures: 2, coolingDown: false }
      : undefined,
};

/** How often each order came out. */
function drawOrders(statistics: StatisticsSnapshot, seed: number): ReadonlyMap<string, number> {
  const random = randomNumbers(seed);
  const catalogue = { models: new Map([[model.id, model]]), providers: new Map() };
  const snapshot = plainSnapshot(catalogue, { statistics, random });
  const request = parse({});
  const orders = new Map<string, number>();
  for (let draw = 0; draw < draws; draw += 1) {
    const order = planOrThrow(request, snapshot)
      .targets.map(({ endpoint }) => endpoint.tag)
      .join('');
    orders.set(order, (orders.get(order) ?? 0) + 1);
  }
  return orders;
}

function chiSquare(found: ReadonlyMap<string, number>, weights: Readonly<Record<string, number>>): number {
  const total = Object.values(weights).reduce((sum, weight) => sum + weight, 0);
  return Object.entries(weights).reduce((sum, [order, weight]) => {
    const expected = (draws * weight) / total;
    return sum + ((found.get(order) ?? 0) - expected) ** 2 / expected;
  }, 0);
}

test('20,000 draws at prices 1, 2 and 3 fall by the inverse squares', () => {
  const orders = drawOrders(emptyStatistics, 7);
  assert.deepEqual([...orders.keys()].sort(), ['abc', 'bac', 'cab'], 'the rest comes by price');
  const measure = chiSquare(orders, { abc: 1, bac: 1 / 4, cab: 1 / 9 });
  assert.ok(measure < critical, `chi-square ${measure}: ${JSON.stringify([...orders])}`);
});

test('with an outage at the middle one, the cheapest comes first in 9 of 10 cases', () => {
  const orders = drawOrders(outageAtB, 8);
  assert.deepEqual([...orders.keys()].sort(), ['acb', 'cab']);
  const measure = chiSquare(orders, { acb: 9, cab: 1 });
  assert.ok(measure < critical, `chi-square ${measure}: ${JSON.stringify([...orders])}`);
});

test('without any price all have the same probability', () => {
  const endpoints = model.endpoints.map((endpoint) => ({ ...endpoint, price: undefined }));
  const unpriced = { ...model, endpoints };
  const random = randomNumbers(9);
  const snapshot = plainSnapshot(
    { models: new Map([[model.id, unpriced]]), providers: new Map() },
    { random },
  );
  const first = new Map<string, number>();
  for (let draw = 0; draw < draws; draw += 1) {
    const tag = planOrThrow(parse({}), snapshot).targets[0]?.endpoint.tag ?? '';
    first.set(tag, (first.get(tag) ?? 0) + 1);
  }
  assert.ok(chiSquare(first, { a: 1, b: 1, c: 1 }) < critical, JSON.stringify([...first]));
});
