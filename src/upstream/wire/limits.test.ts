import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chatBody, chatChunk, chatStream } from '../../../test/fake-upstream/chat-stream.ts';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import { type FakeUpstream, startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { patientTimeouts } from '../../../test/support/timeouts.ts';
import type { Timeouts } from '../../core/catalogue.ts';
import { openaiChatAdapter } from '../openai-chat/openai-chat-adapter.ts';
import { createHttpUpstream } from './http-upstream.ts';
import { createTransport } from './transport.ts';

const transport = createTransport();
const upstream = createHttpUpstream(openaiChatAdapter, transport);
after(() => transport.destroy());

function callTo(fake: FakeUpstream, timeouts: Partial<Timeouts> = {}, signal?: AbortSignal) {
  return createCall({
    provider: { baseUrl: fake.url, timeouts: { ...patientTimeouts, ...timeouts } },
    signal,
  });
}

test('a provider that accepts and sends nothing exceeds the first-event limit', async () => {
  await using fake = await startFakeUpstream({ ending: 'hang' });
  const error = await failureOf(upstream, callTo(fake, { firstEvent: 40 }));
  assert.equal(error.code, 'provider_timeout');
  assert.equal(error.message, 'NorthGPU did not begin to answer within 0.04 s.');
  await fake.closedConnections(1);
});

test('comments are no beginning of an answer', async () => {
  await using fake = await startFakeUpstream({ steps: [': wait\n\n', 5, ': wait\n\n'], ending: 'hang' });
  const error = await failureOf(upstream, callTo(fake, { firstEvent: 60 }));
  assert.match(error.message, /did not begin/);
});

test('a provider that stops in the middle passes the idle limit', async () => {
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'Good ' })], ending: 'hang' });
  // Long enough for what was sent to arrive, on any machine.
  const { deltas, thrown } = await listen(upstream, callTo(fake, { idle: 2_000 }));
  assert.equal(textOf(deltas), 'Good ');
  assert.ok(thrown instanceof Error && thrown.message === 'NorthGPU fell silent for 2 s.');
});

test('an answer with a finish reason is complete, even if its stream stays open or breaks off', async () => {
  const said = chatChunk({ content: 'Good day.' }) + chatChunk({}, 'stop');
  const comments = Array.from({ length: 40 }, () => [': wait\n\n', 5]).flat();
  for (const script of [
    { steps: [said], ending: 'hang' },
    { steps: [said, ...comments], ending: 'hang' },
    { steps: [said, 5], ending: 'cut' },
    // In the middle of what was to come behind its end.
    { steps: [said, 'data: {"choices":[],"usa', 5], ending: 'cut' },
    { steps: [said, 'data: {"choices":[],"usa'], ending: 'hang' },
    { steps: [said, 'data: {"choices":[],"usa'] },
    { steps: [said, 'data: [DO', 5], ending: 'cut' },
  ] as const) {
    await using fake = await startFakeUpstream(script);
    const { deltas, thrown } = await listen(upstream, callTo(fake, { idle: 60 }));
    assert.equal(thrown, undefined);
    assert.equal(textOf(deltas), 'Good day.');
    assert.deepEqual(deltas.at(-1), { kind: 'finish', reason: 'stop', native: 'stop' });
    await fake.closedConnections(1);
  }
});

test('a provider that never ends passes the total limit', async () => {
  const steps = Array.from({ length: 2_000 }, () => [chatChunk({ content: 'more ' }), 5]).flat();
  await using fake = await startFakeUpstream({ steps });
  const error = await failureOf(upstream, callTo(fake, { total: 80 }));
  assert.equal(error.code, 'provider_timeout');
  assert.equal(error.message, 'NorthGPU did not finish within 0.08 s.');
});

test('a whole answer may take longer than the first event of a stream', async () => {
  await using fake = await startFakeUpstream({ whole: chatBody('Good day.'), delay: 2_500 });
  const call = { ...callTo(fake, { firstEvent: 20, idle: 2_000 }), streamed: false };
  assert.equal(textOf((await listen(upstream, call)).deltas), 'Good day.');
});

test('an unstreamed call that is never answered passes the total limit', async () => {
  await using fake = await startFakeUpstream({ ending: 'hang' });
  const error = await failureOf(upstream, {
    ...callTo(fake, { firstEvent: 20, total: 2_000 }),
    streamed: false,
  });
  assert.equal(error.message, 'NorthGPU did not finish within 2 s.');
  await fake.closedConnections(1);
});

test('a whole answer that stops in the middle passes the idle limit, whatever was asked for', async () => {
  for (const streamed of [false, true]) {
    const headers = { 'content-type': 'application/json' };
    await using fake = await startFakeUpstream({ headers, steps: ['{"choices"'], ending: 'hang' });
    const { deltas, thrown } = await listen(upstream, { ...callTo(fake, { idle: 40 }), streamed });
    assert.deepEqual(deltas, []);
    assert.ok(thrown instanceof Error && thrown.message === 'NorthGPU fell silent for 0.04 s.');
    await fake.closedConnections(1);
  }
});

test('a refusal of an unstreamed call that never ends passes the idle limit and is still a refusal', async () => {
  await using fake = await startFakeUpstream({ status: 404, steps: [''], ending: 'hang' });
  const error = await failureOf(upstream, { ...callTo(fake, { idle: 40 }), streamed: false });
  assert.equal(error.code, 'upstream_not_found');
});

test('an aborted signal ends an unstreamed call', async () => {
  await using fake = await startFakeUpstream({ ending: 'hang' });
  const controller = new AbortController();
  const waiting = listen(upstream, { ...callTo(fake, {}, controller.signal), streamed: false });
  while (fake.requests.length === 0) await new Promise(setImmediate);
  controller.abort('gone');
  assert.equal((await waiting).thrown, 'gone');
  await fake.closedConnections(1);
});

test('waiting for a free connection counts as connecting', async () => {
  const narrow = createTransport({ maxConnections: 1 });
  const single = createHttpUpstream(openaiChatAdapter, narrow);
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'Good ' })], ending: 'hang' });
  const call = callTo(fake, { connect: 3_000 });
  const first = single.stream(call)[Symbol.asyncIterator]();
  await first.next();
  const error = await failureOf(single, call);
  assert.equal(error.code, 'provider_failed');
  assert.equal(error.message, 'NorthGPU could not be reached within 3 s.');
  assert.equal(fake.requests.length, 1);
  await first.return?.();
  await narrow.destroy();
});

test('an aborted signal ends the iteration with its reason and closes the connection', async () => {
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'Good ' })], ending: 'hang' });
  const controller = new AbortController();
  const reason = new Error('the client has gone');
  const call = callTo(fake, {}, controller.signal);
  const heard: unknown[] = [];
  await assert.rejects(
    async () => {
      for await (const batch of upstream.stream(call)) {
        heard.push(...batch);
        controller.abort(reason);
      }
    },
    (thrown) => thrown === reason,
  );
  assert.equal(heard.length, 2);
  await fake.closedConnections(1);
});

test('an abort wakes a reader that waits for the first byte', async () => {
  await using fake = await startFakeUpstream({ ending: 'hang' });
  const controller = new AbortController();
  const waiting = listen(upstream, callTo(fake, {}, controller.signal));
  while (fake.requests.length === 0) await new Promise(setImmediate);
  controller.abort('gone');
  assert.equal((await waiting).thrown, 'gone');
  await fake.closedConnections(1);
});

test('a call aborted before it starts sends nothing', async () => {
  await using fake = await startFakeUpstream({ steps: chatStream('hi') });
  const { thrown } = await listen(upstream, callTo(fake, {}, AbortSignal.abort('never')));
  assert.equal(thrown, 'never');
  assert.equal(fake.requests.length, 0);
});

test('leaving the iteration closes the connection', async () => {
  await using fake = await startFakeUpstream({ steps: [chatChunk({ content: 'Good ' })], ending: 'hang' });
  for await (const _batch of upstream.stream(callTo(fake))) break;
  await fake.closedConnections(1);
});

test('what is not read is not fetched, and nothing is lost when reading goes on', async () => {
  const piece = 'x'.repeat(64 * 1024);
  const count = 640;
  const total = piece.length * count;
  const steps = [...Array.from({ length: count }, () => chatChunk({ content: piece })), ...chatStream()];
  await using fake = await startFakeUpstream({ steps });
  let length = 0;
  let paused = false;
  const told: (boolean | 'whole')[] = [];
  const onPaused = (isPaused: boolean) => told.push(isPaused);
  const onWhole = () => told.push('whole');
  for await (const batch of upstream.stream({ ...callTo(fake), onPaused, onWhole })) {
    length += textOf(batch).length;
    if (paused) continue;
    paused = true;
    await stalled(fake);
    assert.ok(fake.bytesWritten < total, `${fake.bytesWritten} of ${total} bytes were fetched unread`);
    while (told.at(-1) !== true) await new Promise((resolve) => setTimeout(resolve, 10));
  }
  assert.equal(length, total);
  assert.deepEqual(told.slice(-2), [false, 'whole']);
});

test('time in which nobody reads does not count as idle', async () => {
  const piece = 'x'.repeat(64 * 1024);
  await using fake = await startFakeUpstream({ steps: chatStream(...Array<string>(64).fill(piece)) });
  let length = 0;
  for await (const batch of upstream.stream(callTo(fake, { idle: 3_000 }))) {
    if (length === 0) await new Promise((resolve) => setTimeout(resolve, 3_500));
    length += textOf(batch).length;
  }
  assert.equal(length, 64 * piece.length);
});

/** Resolves when the fake provider has not got rid of a byte for a while. */
async function stalled(fake: FakeUpstream): Promise<void> {
  let written = -1;
  while (written !== fake.bytesWritten) {
    written = fake.bytesWritten;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}
