import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { parseUsd } from '../../src/core/money.ts';
import { DestinationQueue, type QueueParts } from '../../src/destinations/destination-queue.ts';
import type { Batch, Sent } from '../../src/destinations/send-batch.ts';
import type { DestinationHealth } from '../../src/ports/destinations.ts';
import { Slots } from '../../src/waiting/slots.ts';
import { spansIn, startBroadcasting } from '../support/destination-backend.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const path = '/observability/destinations';

describe('delivery', () => {
  test('what is not taken is sent again as the same message, then lost and counted', async (t) => {
    const { backend, create, ask, gateway, manage } = await startBroadcasting(t);
    const id = await create({ type: 'webhook', config: { url: backend.url } });
    backend.answer = { status: 503 };
    await ask('Hello');
    const tries = await backend.wait(4);
    assert.equal(new Set(tries.map(({ headers }) => headers['webhook-id'])).size, 1);
    assert.equal(new Set(tries.map(({ body }) => body.toString())).size, 1);
    await eventually('the loss', async () => (await dropped(gateway)) === 1 || undefined);
    const { state } = (await manage('GET', `${path}/${id}`)).body.data;
    assert.equal(state.state, 'failing');
    assert.equal(state.status, 503);
    backend.answer = { status: 200 };
    await ask('Hello again');
    await backend.wait(5);
    await eventually('its recovery', async () => {
      const shown = (await manage('GET', `${path}/${id}`)).body.data.state;
      return shown.state === 'ok' && shown.succeeded_at !== null ? true : undefined;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(backend.taken.length, 5, 'nothing more is sent');
  });

  test('a refusal for good is not tried again; what a backend says of spans it left out counts', async (t) => {
    const { backend, create, ask, gateway } = await startBroadcasting(t);
    await create();
    backend.answer = { status: 413 };
    await ask('Hello');
    await eventually('the loss', async () => (await dropped(gateway)) === 1 || undefined);
    assert.equal(backend.taken.length, 1);
    backend.answer = { status: 200, body: '{"partialSuccess":{"rejectedSpans":"4","errorMessage":"no"}}' };
    await ask('Hello');
    await eventually('the second loss', async () => (await dropped(gateway)) === 2 || undefined);
    assert.equal(backend.taken.length, 2);
  });

  test('operators are alerted once when one is paused, and again after it took something', async (t) => {
    const receiver = await startReceiver(t);
    const { backend, create, ask, manage } = await startBroadcasting(t, {
      destinations: { retries: 0 },
      pauses: { batch: 1, rest: 50 },
      config: { alerts: { webhook: receiver.url, thresholds: [1], balance: parseUsd(0) } },
      parts: { alertPause: 20 },
    });
    const id = await create();
    const state = async () => (await manage('GET', `${path}/${id}`)).body.data.state?.state;
    const until = (wanted: string) =>
      eventually(wanted, async () => {
        await ask('Hello');
        return (await state()) === wanted ? true : undefined;
      });
    backend.answer = { status: 401 };
    await until('paused');
    const [first] = await receiver.wait(1);
    const { type, data } = first?.alert ?? {};
    assert.equal(type, 'destination.failing');
    assert.deepEqual(data?.object, { type: 'destination', id, name: 'mine', kind: 'otel-collector' });
    assert.deepEqual([data?.status, data?.reason, data?.succeeded_at], [401, 'status', null]);
    await ask('Hello');
    await new Promise((resolve) => setTimeout(resolve, 150));
    assert.equal(receiver.posted.length, 1, 'once');
    backend.answer = { status: 200 };
    await until('ok');
    backend.answer = { status: 503 };
    await until('paused');
    const posted = await receiver.wait(2);
    assert.equal(posted[1]?.alert.data.status, 503);
    assert.notEqual(posted[1]?.id, first?.id);
  });

  test('a destination that never answers changes nothing for clients, and a stop sends what waits', async (t) => {
    const { backend, create, ask, gateway } = await startBroadcasting(t, { pauses: { batch: 60_000 } });
    await create();
    for (let count = 0; count < 5; count += 1) assert.equal((await ask(`Hello ${count}`)).status, 200);
    assert.equal(backend.taken.length, 0);
    await gateway.server.stop();
    const roots = backend.taken.flatMap(spansIn).filter(({ kind }) => kind === 'server');
    assert.equal(roots.length, 5);
    assert.equal(backend.taken.length, 1, 'in one batch');
  });
});

/** Requests that were dropped, by the metrics of a gateway. */
async function dropped(gateway: { readonly get: (path: string) => Promise<Response> }): Promise<number> {
  const text = await (await gateway.get('/metrics')).text();
  const lines = text.split('\n').filter((line) => /^headgate_sink_items_total.*result="dropped"/.test(line));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

/** A queue whose backend is a function. */
function open(send: (batch: Batch) => Promise<Sent> | Sent, more: Partial<QueueParts> = {}) {
  const counts = { sent: 0, dropped: 0 };
  const health: DestinationHealth[] = [];
  const parts: QueueParts = {
    limits: () => ({ queue: 1_000, queueBytes: 8 << 20, totalBytes: 64 << 20, retries: 1 }),
    pauses: { batch: 1, retry: 1, rest: 50 },
    slots: new Slots(8, 1_000),
    total: { bytes: 0 },
    join: (payloads) => Buffer.concat(payloads),
    send: async (_destination, batch) => send(batch),
    now: () => performance.now(),
    onItems: (result, count) => {
      counts[result] += count;
    },
    onHealth: (one) => health.push(one),
    ...more,
  };
  const queue = new DestinationQueue({ type: 'webhook', config: {} }, parts);
  return { queue, counts, health, parts };
}

const taken: Sent = { isTaken: true, status: 200, rejected: 0 };
const away: Sent = { isTaken: false, reason: 'refused', mayRetry: true };

describe('what waits for a destination has bounds', () => {
  test('of requests and bytes, for one and for all, and the newest is dropped', async (t) => {
    const never = new Promise<Sent>(() => undefined);
    const limits = () => ({ queue: 10, queueBytes: 1_000, totalBytes: 1_500, retries: 0 });
    const total = { bytes: 0 };
    const many = open(() => never, { limits, total, pauses: { batch: 60_000, retry: 1, rest: 1 } });
    for (let count = 0; count < 25; count += 1) many.queue.add(Buffer.alloc(10));
    assert.deepEqual(many.counts, { sent: 0, dropped: 15 });
    const large = open(() => never, { limits, total, pauses: { batch: 60_000, retry: 1, rest: 1 } });
    for (let count = 0; count < 3; count += 1) large.queue.add(Buffer.alloc(400));
    assert.deepEqual(large.counts, { sent: 0, dropped: 1 });
    const third = open(() => never, { limits, total, pauses: { batch: 60_000, retry: 1, rest: 1 } });
    third.queue.add(Buffer.alloc(700));
    assert.deepEqual(third.counts, { sent: 0, dropped: 1 }, 'the room of all is used up');
    large.queue.drop();
    assert.equal(total.bytes, 100);
    third.queue.add(Buffer.alloc(700));
    assert.equal(third.counts.dropped, 1);
    for (const { queue } of [many, third]) queue.drop();
    assert.equal(total.bytes, 0);
    t.diagnostic('bounds held');
  });

  test('a batch has at most a hundred requests and one megabyte', async () => {
    const sizes: number[] = [];
    const { queue, counts } = open((batch) => {
      sizes.push(batch.body.length);
      return taken;
    });
    for (let count = 0; count < 250; count += 1) queue.add(Buffer.alloc(100));
    await eventually('all', () => (counts.sent === 250 ? true : undefined));
    assert.ok(
      sizes.every((size) => size <= 10_000),
      sizes.join(),
    );
    sizes.length = 0;
    for (let count = 0; count < 5; count += 1) queue.add(Buffer.alloc(600_000));
    await eventually('the large ones', () => (counts.sent === 255 ? true : undefined));
    assert.ok(
      sizes.every((size) => size <= 1024 * 1024),
      sizes.join(),
    );
  });

  test('ten minutes of outage: it rests, tries once, loses what does not fit, and recovers', async () => {
    let isAway = true;
    let tries = 0;
    const { queue, counts, health } = open(
      () => {
        tries += 1;
        return isAway ? away : taken;
      },
      { limits: () => ({ queue: 50, queueBytes: 8 << 20, totalBytes: 64 << 20, retries: 0 }) },
    );
    let added = 0;
    const add = () => {
      queue.add(Buffer.alloc(10));
      added += 1;
    };
    await eventually('a rest', () => {
      add();
      return health.at(-1)?.state === 'paused' ? true : undefined;
    });
    assert.ok(tries >= 20);
    const before = tries;
    for (let count = 0; count < 100; count += 1) add();
    await eventually('a trial', () => (tries > before ? true : undefined));
    await eventually('its end', () => (counts.dropped >= added - 50 ? true : undefined));
    assert.equal(health.at(-1)?.state, 'paused', 'one trial shows that it is still away');
    isAway = false;
    await eventually('its recovery', () => {
      add();
      return health.at(-1)?.state === 'ok' ? true : undefined;
    });
    await eventually('an empty queue', () => (counts.sent + counts.dropped === added ? true : undefined));
    assert.ok(counts.sent > 0);
    assert.ok(counts.dropped >= 100, String(counts.dropped));
  });

  test('it waits as long as a backend asks, and no longer than a minute', async () => {
    const at: number[] = [];
    const { queue, counts } = open(() => {
      at.push(performance.now());
      return at.length === 1
        ? { isTaken: false, reason: 'status', status: 429, mayRetry: true, retryAfter: 120 }
        : taken;
    });
    queue.add(Buffer.alloc(1));
    await eventually('it is taken', () => (counts.sent === 1 ? true : undefined));
    assert.ok((at[1] ?? 0) - (at[0] ?? 0) >= 115);
  });
});
