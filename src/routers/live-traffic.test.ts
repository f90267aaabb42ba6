import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import type { Catalogue } from '../core/catalogue.ts';
import { nanoFromInteger, parsePricePerMillion, zeroUsd } from '../core/money.ts';
import type { RouterTrafficRow } from '../ports/router-traffic.ts';
import { dayLength, utcDay } from '../util/utc-windows.ts';
import { LiveTraffic } from './live-traffic.ts';

const now = Date.UTC(2026, 10, 25, 12);
const today = utcDay(now);

const row = (day: number, model: string, cost: number, task = 'math'): RouterTrafficRow => ({
  day,
  router: 'service/auto',
  task,
  model,
  generations: 1,
  fallbacks: 0,
  inputTokens: 10,
  cachedTokens: 0,
  outputTokens: 1,
  reasoningTokens: 0,
  cost: zeroUsd,
  listCost: nanoFromInteger(cost),
});

function begin() {
  const clock = { time: now, now: () => clock.time };
  const read: number[] = [];
  const at = { rows: [] as readonly RouterTrafficRow[], fails: false };
  const price = {
    prompt: parsePricePerMillion(4),
    completion: parsePricePerMillion(8),
    cacheRead: parsePricePerMillion(1),
  };
  const model = modelOf('acme/atlas', [providerOf({ slug: 'north' })], { price });
  const catalogue = { models: new Map([[model.id, model]]) } as unknown as Catalogue;
  const sums = { group: 'acme/atlas', requests: 1, outputTokens: 1, reasoningTokens: 0, cost: zeroUsd };
  const traffic = new LiveTraffic({
    clock,
    catalogue: () => catalogue,
    routerTraffic: {
      read: async (since) => {
        read.push(utcDay(since) - utcDay(clock.time));
        if (at.fails) throw new Error('away');
        return at.rows.filter(({ day }) => day * dayLength >= since);
      },
    },
    generations: { usage: async () => [{ ...sums, inputTokens: 100, cachedTokens: 50 }] },
  });
  const spends = (task = 'math') =>
    Object.fromEntries([...traffic.traffic(task)].map(([id, { spend }]) => [id, Number(spend)]));
  return { clock, read, at, traffic, spends };
}

test('seven days count, by task and model; what is older does not', async () => {
  const { at, traffic, spends } = begin();
  at.rows = [
    row(today - 7, 'a/a', 1),
    row(today - 6, 'a/a', 2),
    row(today, 'a/a', 4),
    row(today, 'a/b', 8, 'legal'),
  ];
  await traffic.ready(false);
  assert.deepEqual([spends(), spends('legal'), spends('health')], [{ 'a/a': 6 }, { 'a/b': 8 }, {}]);
  assert.equal(traffic.traffic('math').get('a/a')?.generations, 2);
});

test('figures are read again after five minutes, days that are over only once', async () => {
  const { clock, read, at, traffic, spends } = begin();
  at.rows = [row(today - 6, 'a/a', 1), row(today - 1, 'a/a', 2)];
  await traffic.ready(false);
  await traffic.ready(false);
  spends();
  assert.deepEqual(read, [-6]);
  at.rows = [row(today - 6, 'a/a', 100), row(today - 1, 'a/a', 4), row(today, 'a/a', 8)];
  clock.time += 300_000;
  assert.deepEqual(spends(), { 'a/a': 3 });
  await new Promise(setImmediate);
  assert.deepEqual(spends(), { 'a/a': 13 });
  clock.time += dayLength;
  spends();
  await new Promise(setImmediate);
  assert.deepEqual([spends(), read], [{ 'a/a': 12 }, [-6, -1, -1]]);
});

test('while the database is away the last figures count, and at first none', async () => {
  const { clock, at, traffic, spends } = begin();
  at.fails = true;
  await traffic.ready(true);
  assert.deepEqual(spends(), {});
  at.fails = false;
  at.rows = [row(today, 'a/a', 1)];
  clock.time += 300_000;
  spends();
  await new Promise(setImmediate);
  at.fails = true;
  clock.time += 300_000;
  spends();
  await new Promise(setImmediate);
  assert.deepEqual(spends(), { 'a/a': 1 });
});

test('input costs what the cache leaves of its price; a model without traffic has no such price', async () => {
  const { traffic } = begin();
  await traffic.ready(true);
  assert.equal(traffic.inputPrice('acme/atlas'), parsePricePerMillion('2.5'));
  assert.equal(traffic.inputPrice('acme/other'), undefined);
});
