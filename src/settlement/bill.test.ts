import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Endpoint, Model, Price } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import { formatUsd, parsePricePerMillion, parsePricePerUnit } from '../core/money.ts';
import { plainChat } from '../core/request.ts';
import { type Ending, makeBill } from './cost.ts';
import { MeasuredPrompt } from './measured-prompt.ts';
import { Meter } from './meter.ts';

const price: Price = {
  prompt: parsePricePerMillion(3),
  completion: parsePricePerMillion(15),
  cacheRead: parsePricePerMillion('0.30'),
  cacheWrite: parsePricePerMillion('3.75'),
};
const provider: Endpoint['provider'] = {
  slug: 'acme',
  name: 'Acme',
  adapter: 'openai-chat',
  headers: {},
  quirks: {},
  timeouts: { connect: 1, firstEvent: 1, total: 1, idle: 1 },
  retainsPrompts: true,
  trainsOnPrompts: true,
  publishesPrompts: false,
};
const endpoint: Endpoint = { provider, upstreamModel: 'atlas-4', tag: 'acme', tier: 'default', price };
const flex: Endpoint = { ...endpoint, tag: 'acme/flex', tier: 'flex', price: halved(price) };
const model: Model = {
  id: 'acme/atlas-4',
  canonicalSlug: 'acme/atlas-4',
  name: 'Atlas 4',
  description: '',
  created: 0,
  inputModalities: ['text', 'image'],
  outputModalities: ['text', 'image'],
  endpoints: [endpoint, flex],
};
/** Providers may serve it unasked; nobody stated its price. */
const priority: Endpoint = { ...endpoint, tag: 'acme/priority', tier: 'priority', price: undefined };
const request = plainChat([
  {
    kind: 'message',
    role: 'user',
    content: [
      { kind: 'text', text: 'What is in these two pictures?'.padEnd(20_000) },
      { kind: 'image', url: 'https://example.com/a.png', detail: 'auto' },
      { kind: 'image', url: 'https://example.com/b.png', detail: 'auto' },
    ],
  },
]);

function halved(whole: Price): Price {
  return { ...whole, prompt: parsePricePerMillion('1.5'), completion: parsePricePerMillion('7.5') };
}

function bill(
  deltas: readonly Delta[],
  ending: Ending,
  asked = endpoint,
  priced?: Partial<Price>,
  listed = model,
) {
  const meter = new Meter();
  meter.watch(deltas);
  const served = { ...asked, price: priced === undefined ? asked.price : { ...price, ...priced } };
  return makeBill(
    meter,
    ending,
    { model: listed, endpoint: served, beganAt: 0, pieces },
    new MeasuredPrompt(request),
  );
}

const pieces = { searches: 256, pictures: 64 };
const usage: Delta = { kind: 'usage', usage: { uncachedInput: 1000, output: 200 } };
const stop: Delta = { kind: 'finish', reason: 'stop' };
const said: Delta = { kind: 'text', block: 0, text: 'A cat.'.padEnd(1_000) };

test('an answer pays what was reported', () => {
  const { cost, estimated, insured } = bill([said, usage, stop], 'finished');
  assert.equal(formatUsd(cost.total), '0.006');
  assert.equal(formatUsd(cost.input), '0.003');
  assert.equal(formatUsd(cost.output), '0.003');
  assert.deepEqual([estimated, insured], [false, false]);
});

test('the discount of a cache, of the worked example of docs/spec/money.md#cost', () => {
  const cached: Delta = {
    kind: 'usage',
    usage: { uncachedInput: 1000, cacheRead: 10_000, cacheWrite: 1000, output: 800, reasoning: 300 },
  };
  const { cost } = bill([said, cached, stop], 'finished');
  assert.equal(formatUsd(cost.total), '0.02175');
  assert.equal(formatUsd(cost.cacheDiscount), '0.02625');
  const written: Delta = { kind: 'usage', usage: { uncachedInput: 0, cacheWrite: 1000, output: 1 } };
  assert.equal(formatUsd(bill([said, written, stop], 'finished').cost.cacheDiscount), '-0.00075');
});

test('the tier that served decides, not the one asked for', () => {
  const tier: Delta = { kind: 'tier', tier: 'flex' };
  assert.equal(formatUsd(bill([tier, said, usage, stop], 'finished').cost.total), '0.003');
  const downgraded: Delta = { kind: 'tier', tier: 'default' };
  assert.equal(formatUsd(bill([downgraded, said, usage, stop], 'finished', flex).cost.total), '0.006');
  const unlisted: Delta = { kind: 'tier', tier: 'priority' };
  const listings = [model.endpoints, [...model.endpoints, priority]];
  for (const endpoints of listings) {
    const unpriced = { ...model, endpoints };
    assert.equal(
      formatUsd(bill([unlisted, said, usage, stop], 'finished', endpoint, {}, unpriced).cost.total),
      '0.006',
    );
  }
});

test('pictures and searches pay by the piece, a request once', () => {
  const picture: Delta[] = [
    { kind: 'hosted', block: 1, type: 'image_generation_call' },
    { kind: 'result', block: 1, fields: { result: 'AAAA' } },
  ];
  const searched: Delta = { kind: 'usage', usage: { uncachedInput: 1000, output: 200, webSearches: 3 } };
  const priced = {
    image: parsePricePerUnit('0.001'),
    imageOutput: parsePricePerUnit('0.04'),
    webSearch: parsePricePerUnit('0.01'),
    request: parsePricePerUnit('0.005'),
  };
  const searching = { ...endpoint, provider: { ...provider, quirks: { webSearch: 'always' } } };
  const { cost } = bill([...picture, searched, stop], 'finished', searching, priced);
  assert.equal(
    formatUsd(cost.total),
    '0.083',
    '0.006 tokens, 0.002 in, 0.04 out, 0.03 searches, 0.005 request',
  );
  const unasked = bill([...picture, searched, stop], 'finished', endpoint, priced);
  assert.equal(formatUsd(unasked.cost.total), '0.053', 'nobody let it search');
  assert.deepEqual([unasked.implausible, unasked.estimated], [['searches'], true]);
});

test('picture tokens have their own prices, and none where the picture has one', () => {
  const tokens: Delta = {
    kind: 'usage',
    usage: { uncachedInput: 1000, imageInput: 400, output: 1200, imageOutput: 1000 },
  };
  const own = { imageToken: parsePricePerMillion(10), imageOutputToken: parsePricePerMillion(30) };
  assert.equal(formatUsd(bill([said, tokens, stop], 'finished', endpoint, own).cost.total), '0.0388');
  const each = { imageOutput: parsePricePerUnit('0.04') };
  assert.equal(formatUsd(bill([said, tokens, stop], 'finished', endpoint, each).cost.total), '0.006');
});

test('zero-completion insurance: nothing and no reason, or an error after part of it', () => {
  const silent: Delta = { kind: 'usage', usage: { uncachedInput: 1000, output: 0 } };
  for (const insured of [bill([silent], 'finished'), bill([said, usage], 'failed')]) {
    assert.equal(insured.insured, true);
    assert.equal(insured.cost.total, 0n);
  }
  const regular = bill([silent, stop], 'finished');
  assert.equal(regular.insured, false, 'nothing, but with a regular end');
  assert.equal(formatUsd(regular.cost.total), '0.003');
});

test('an aborted stream is not insured: it pays the input and what was written', () => {
  const { cost, usage: counted, estimated, insured } = bill([said], 'cancelled');
  assert.deepEqual([estimated, insured], [true, false]);
  assert.ok((counted.uncachedInput ?? 0) > 5 && (counted.output ?? 0) >= 2);
  assert.ok(cost.total > 0n);
});

test('usage missing from a whole answer is estimated and marked; a zero for what was there is missing', () => {
  for (const told of [{}, { uncachedInput: 100 }, { uncachedInput: 100, output: 0 }, { output: 40 }]) {
    const half: Delta = { kind: 'usage', usage: told };
    const { usage: counted, estimated } = bill([half, said, stop], 'finished');
    assert.equal(estimated, true);
    assert.ok((counted.uncachedInput ?? 0) > 5, 'the prompt had tokens');
    assert.ok((counted.output ?? 0) >= 2, 'the answer had tokens');
  }
  const none: Delta = { kind: 'usage', usage: { uncachedInput: 0, output: 40 } };
  assert.ok((bill([none, said, stop], 'finished').usage.uncachedInput ?? 0) > 5);
  const pictured: Delta[] = [
    { kind: 'hosted', block: 1, type: 'image_generation_call' },
    { kind: 'result', block: 1, fields: { result: 'AAAA' } },
    { kind: 'usage', usage: { uncachedInput: 100, output: 0 } },
  ];
  assert.equal(bill([...pictured, stop], 'finished').estimated, false, 'nothing was written');
});

test('a call that began before the hour of another price pays what held when it began, whenever it ends', () => {
  const atNoon = Date.UTC(2026, 10, 18, 12);
  const dear = { prompt: parsePricePerMillion(300), completion: parsePricePerMillion(1500) };
  const timed = {
    ...endpoint,
    price: { ...price, overrides: [{ ...dear, utcStart: '1200', utcEnd: '1159' }] },
  };
  const meter = new Meter();
  meter.watch([
    { kind: 'usage', usage: { uncachedInput: 10_000, output: 0 } },
    { kind: 'finish', reason: 'stop', native: 'stop' },
  ]);
  const costAt = (beganAt: number) =>
    formatUsd(
      makeBill(meter, 'finished', { model, endpoint: timed, beganAt, pieces }, new MeasuredPrompt(request))
        .cost.total,
    );
  // All day but for one minute it is dear; what the clock says now decides nothing.
  assert.equal(costAt(atNoon - 1), '0.03');
  assert.equal(costAt(atNoon), '3');
});
