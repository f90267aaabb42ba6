import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../test/support/request-parsing.ts';
import type { ProviderPreferences } from '../../core/inference-request.ts';
import { parsePricePerMillion, parsePricePerUnit } from '../../core/money.ts';

const decimal = 'a number or a decimal such as "0.25"';

/** `provider` and the exact answer to it, or its beginning (docs/spec/routing.md#preferences). */
const refused: readonly (readonly [unknown, string])[] = [
  ['acme', 'provider: expected an object, got a string'],
  [{ ordre: ['x'] }, 'provider.ordre: unknown field, allowed are "order", "only", "ignore", '],
  [{ order: 'x' }, 'provider.order: expected an array, got a string'],
  [{ only: ['x', 5] }, 'provider.only[1]: expected a string, got a number'],
  [{ ignore: [''] }, 'provider.ignore[0]: must not be empty'],
  [{ allow_fallbacks: 0 }, 'provider.allow_fallbacks: expected a boolean, got a number'],
  [{ data_collection: 'maybe' }, 'provider.data_collection: must be one of "allow", "deny", got "maybe"'],
  [{ quantizations: ['fp3'] }, 'provider.quantizations[0]: must be one of "int4", "int8", '],
  [
    { sort: 'speed' },
    'provider.sort: must be one of "price", "throughput", "latency", "exacto", got "speed"',
  ],
  [{ sort: 5 }, 'provider.sort: expected a string or an object, got a number'],
  [{ sort: { partition: 'all' } }, 'provider.sort.partition: must be one of "model", "none", got "all"'],
  [{ sort: { direction: 'asc' } }, 'provider.sort.direction: unknown field, allowed are "by", "partition"'],
  [{ preferred_max_latency: -1 }, 'provider.preferred_max_latency: must be at least 0, got -1'],
  [
    { preferred_max_latency: '2' },
    'provider.preferred_max_latency: expected a number or an object, got a string',
  ],
  [
    { preferred_min_throughput: { p95: 1 } },
    'provider.preferred_min_throughput.p95: unknown field, allowed are "p50", "p75", "p90", "p99"',
  ],
  [{ max_price: { prompt: -1 } }, 'provider.max_price.prompt: must be at least 0, got -1'],
  [{ max_price: { prompt: '-1' } }, `provider.max_price.prompt: must be ${decimal}, got "-1"`],
  [{ max_price: { image: 'cheap' } }, `provider.max_price.image: must be ${decimal}, got "cheap"`],
  [{ max_price: { audio: true } }, 'provider.max_price.audio: expected a number or a string, got a boolean'],
  [{ max_price: { input: 1 } }, 'provider.max_price.input: unknown field, allowed are "prompt", '],
];

for (const [provider, message] of refused) {
  test(message.slice(0, 90), () => {
    const [status, got] = refusal({ provider });
    assert.deepEqual([status, got.slice(0, message.length)], [400, message]);
  });
}

function read(provider: unknown, route?: unknown): ProviderPreferences {
  return JSON.parse(JSON.stringify(parse({ provider, route }).provider));
}

test('every preference is read', () => {
  const provider = {
    order: ['a', 'b/turbo'],
    only: ['a'],
    ignore: ['c'],
    allow_fallbacks: false,
    require_parameters: true,
    data_collection: 'deny',
    zdr: true,
    enforce_distillable_text: false,
    quantizations: ['fp8', 'unknown'],
    sort: { by: 'latency', partition: 'none' },
    preferred_min_throughput: 50,
    preferred_max_latency: { p50: 1.5, p99: 4, p90: null },
    max_price: { prompt: 1, completion: '2.50', request: null, image: 1e-7 },
  };
  assert.deepEqual(read(provider), {
    order: ['a', 'b/turbo'],
    only: ['a'],
    ignore: ['c'],
    allowFallbacks: false,
    requireParameters: true,
    dataCollection: 'deny',
    zdr: true,
    enforceDistillableText: false,
    quantizations: ['fp8', 'unknown'],
    sort: { by: 'latency', partition: 'none' },
    preferredMinThroughput: { p50: 50 },
    preferredMaxLatency: { p50: 1.5, p99: 4 },
    maxPrice: { prompt: '1', completion: '2.5', image: '0.0000001' },
  });
});

test('null and empty preferences are unset', () => {
  const provider = {
    order: [],
    only: [],
    quantizations: [],
    zdr: null,
    max_price: {},
    preferred_max_latency: {},
  };
  assert.deepEqual(read(provider), {});
  assert.deepEqual(read(null), {});
});

test('a sort may be a word or an object, and route only names a partition that was left open', () => {
  assert.deepEqual(read({ sort: 'price' }).sort, { by: 'price', partition: 'model' });
  assert.deepEqual(read({ sort: 'price' }, 'sort').sort, { by: 'price', partition: 'none' });
  assert.deepEqual(read({ sort: { by: 'price', partition: 'model' } }, 'sort').sort, {
    by: 'price',
    partition: 'model',
  });
  assert.deepEqual(read({}, 'sort').sort, { partition: 'none' });
  for (const route of ['fallback', 'other', null, 5, {}]) assert.equal(read({}, route).sort, undefined);
});

test('price limits are text that prices can be compared with, whatever number was sent', () => {
  for (const limit of [0, 0.1 + 0.2, 1e-7, 5e-324, 1e21, 1.5e300, 123456789.12345679, '000.1000', '7']) {
    const { maxPrice } = read({ max_price: { prompt: limit, image: limit } });
    assert.equal(typeof parsePricePerMillion(maxPrice?.prompt ?? ''), 'bigint');
    assert.equal(typeof parsePricePerUnit(maxPrice?.image ?? ''), 'bigint');
  }
  assert.equal(read({ max_price: { prompt: 0.1 + 0.2 } }).maxPrice?.prompt, '0.3');
});
