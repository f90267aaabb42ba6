import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chatChunk, chatStream, dataEvent } from '../../../test/fake-upstream/chat-stream.ts';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import {
  type FakeUpstream,
  type Script,
  startFakeUpstream,
} from '../../../test/fake-upstream/fake-upstream.ts';
import { type CallChanges, createCall, testApiKey } from '../../../test/fake-upstream/upstream-call.ts';
import { patientTimeouts } from '../../../test/support/timeouts.ts';
import { openaiChatAdapter } from '../openai-chat/openai-chat-adapter.ts';
import { createHttpUpstream } from './http-upstream.ts';
import { createTransport, type Transport } from './transport.ts';

const transport = createTransport();
const upstream = createHttpUpstream(openaiChatAdapter, transport);
after(() => transport.destroy());

const json = { 'content-type': 'application/json' };

function callTo(fake: FakeUpstream, changes: CallChanges = {}) {
  return createCall({ ...changes, provider: { baseUrl: `${fake.url}/v1`, ...changes.provider } });
}

async function failureAfter(script: Script, changes: CallChanges = {}) {
  await using fake = await startFakeUpstream(script);
  return await failureOf(upstream, callTo(fake, changes));
}

test('a call goes out as one POST and comes back as deltas', async () => {
  await using fake = await startFakeUpstream({ steps: chatStream('Good ', 'day.') });
  const bodies: unknown[] = [];
  const call = callTo(fake, {
    provider: {
      baseUrl: `${fake.url}/base/v1/?version=2`,
      headers: { 'X-Team': 'gateway', Accept: 'text/*' },
    },
    onBody: (body) => bodies.push(body),
  });
  const { deltas, thrown } = await listen(upstream, call);
  assert.equal(thrown, undefined);
  assert.equal(textOf(deltas), 'Good day.');
  assert.deepEqual(deltas.at(-1), { kind: 'finish', reason: 'stop', native: 'stop' });
  const [request] = fake.requests;
  assert.equal(request?.method, 'POST');
  assert.equal(request?.path, '/base/v1/chat/completions?version=2');
  assert.equal(request?.headers.authorization, `Bearer ${testApiKey}`);
  assert.equal(request?.headers['content-type'], 'application/json');
  assert.equal(request?.headers['x-team'], 'gateway');
  assert.equal(request?.headers.accept, 'text/*');
  assert.equal(request?.headers['accept-encoding'], 'identity');
  assert.deepEqual(bodies, [request?.body]);
  assert.ok(!JSON.stringify(bodies).includes(testApiKey));
});

test('what arrives together is one batch', async () => {
  await using fake = await startFakeUpstream({ steps: [chatStream('a', 'b', 'c').join('')] });
  const { batches, deltas } = await listen(upstream, callTo(fake));
  assert.equal(textOf(deltas), 'abc');
  assert.equal(batches, 1);
});

test('connections are kept for the next call, also after a refusal', async () => {
  await using fake = await startFakeUpstream(
    { steps: chatStream('one') },
    { status: 400, headers: json, steps: ['{"error":{"message":"no"}}'] },
    { steps: chatStream('two') },
  );
  for (let count = 0; count < 12; count++) await listen(upstream, callTo(fake));
  assert.equal(fake.requests.length, 12);
  // An answer counts as complete a moment before its connection is free, so a second one may be opened.
  assert.ok(Math.max(...fake.requests.map((request) => request.connection)) <= 2);
});

test('a refusal becomes the error of its status and body', async () => {
  const error = await failureAfter({
    status: 429,
    headers: { ...json, 'retry-after': '7' },
    steps: ['{"error":{"message":"slow down","type":"tokens","code":"rate_limit_exceeded"}}'],
  });
  assert.equal(error.code, 'upstream_rate_limit');
  assert.equal(error.retryAfter, 7);
  assert.deepEqual(error.metadata, { provider_name: 'NorthGPU', provider_code: 'rate_limit_exceeded' });
});

test('a page of markup is no message', async () => {
  const headers = { 'content-type': 'text/html' };
  const error = await failureAfter({ status: 400, headers, steps: ['<html><b>Bad</b></html>'] });
  assert.equal(error.message, 'NorthGPU refused the request.');
});

test('a refusal nested as deep as 64 KiB allow is one by its status', async () => {
  const [open, close] = ['['.repeat(30_000), ']'.repeat(30_000)];
  const error = await failureAfter({ status: 413, headers: json, steps: [open + close] });
  assert.equal(error.code, 'upstream_too_large');
  assert.equal(error.message, 'NorthGPU refused the request.');
});

test('no more than 64 KiB of a refusal are read', async () => {
  const kib = 'x'.repeat(1024);
  await using fake = await startFakeUpstream({
    status: 500,
    headers: json,
    steps: Array(65).fill(kib),
    ending: 'hang',
  });
  const error = await failureOf(upstream, callTo(fake));
  assert.equal(error.code, 'provider_failed');
  await fake.closedConnections(1);
});

test('a refusal whose body never ends is still a refusal', async () => {
  const error = await failureAfter(
    { status: 404, headers: json, steps: ['{"error":{"message":"No such model"}}'], ending: 'hang' },
    { provider: { timeouts: { ...patientTimeouts, firstEvent: 2_000 } } },
  );
  assert.equal(error.code, 'upstream_not_found');
  assert.equal(error.message, 'No such model');
});

test('redirects are not followed', async () => {
  await using elsewhere = await startFakeUpstream({ steps: chatStream('stolen') });
  const error = await failureAfter({
    status: 307,
    headers: { location: `${elsewhere.url}/v1/chat/completions` },
  });
  assert.equal(error.code, 'provider_failed');
  assert.equal(elsewhere.requests.length, 0);
});

test('a page of markup is no answer', async () => {
  const error = await failureAfter({ headers: { 'content-type': 'text/html' }, steps: ['<html></html>'] });
  assert.equal(error.code, 'provider_failed');
  assert.equal(error.message, 'NorthGPU sent neither an event stream nor JSON.');
});

test('an event stream without its content type is read all the same', async () => {
  await using fake = await startFakeUpstream({ headers: {}, steps: chatStream('hi') });
  assert.equal(textOf((await listen(upstream, callTo(fake))).deltas), 'hi');
});

test('a refused connection is a failed provider, without its address', async () => {
  const fake = await startFakeUpstream();
  await fake.close();
  const error = await failureOf(upstream, callTo(fake));
  assert.equal(error.code, 'provider_failed');
  assert.equal(error.message, 'NorthGPU could not be reached: the connection was refused.');
});

test('a provider without a usable address fails as one', async () => {
  const error = await failureOf(upstream, createCall({ provider: { baseUrl: undefined } }));
  assert.equal(error.code, 'provider_failed');
});

test('a connection cut in the middle fails after what was said', async () => {
  await using fake = await startFakeUpstream({
    steps: chatStream('Good ', 'day.').slice(0, 2),
    ending: 'cut',
  });
  const { deltas, thrown } = await listen(upstream, callTo(fake));
  assert.equal(textOf(deltas), 'Good ');
  assert.ok(
    thrown instanceof Error &&
      thrown.message === 'The connection to NorthGPU broke: the connection was reset.',
  );
});

test('a stream that closes before the answer is complete has failed', async () => {
  const error = await failureAfter({ steps: chatStream('Good ', 'day.').slice(0, 2) });
  assert.equal(error.code, 'provider_failed');
  assert.equal(error.metadata.provider_name, 'NorthGPU');
});

test('an event that is not JSON fails after what was said', async () => {
  await using fake = await startFakeUpstream({
    steps: [`${chatChunk({ content: 'Good ' })}data: {"broken\n\n`],
  });
  const { deltas, thrown } = await listen(upstream, callTo(fake));
  assert.equal(textOf(deltas), 'Good ');
  assert.ok(thrown instanceof Error);
});

test('an error inside the stream is the error', async () => {
  const report = dataEvent({ error: { message: 'Too busy', code: 503 } });
  const error = await failureAfter({ steps: [chatChunk({ content: 'Good ' }), report], ending: 'hang' });
  assert.equal(error.code, 'provider_overloaded');
});

test('a finished answer is not waited for, and its connection is released', async () => {
  await using fake = await startFakeUpstream({ steps: chatStream('done'), ending: 'hang' });
  const { deltas, thrown } = await listen(upstream, callTo(fake));
  assert.equal(thrown, undefined);
  assert.equal(textOf(deltas), 'done');
  await fake.closedConnections(1);
});

test('an answer that said its end is whole, though its connection breaks in the same turn', async () => {
  const controller = {
    ...{ aborted: false, paused: false, reason: null, rawHeaders: null, rawTrailers: null },
    ...{ abort: () => {}, pause: () => {}, resume: () => {} },
  };
  // As over TLS, where the last bytes and the end are read at once.
  const breaking: Transport = {
    origins: 0,
    send: (_request, handler) => {
      handler.onRequestStart?.(controller, undefined);
      handler.onResponseStart?.(controller, 200, { 'content-type': 'text/event-stream' });
      for (const event of chatStream('Good ', 'day.'))
        handler.onResponseData?.(controller, Buffer.from(event));
      handler.onResponseError?.(controller, new Error('other side closed'));
    },
    close: async () => {},
    destroy: async () => {},
  };
  const { deltas, thrown } = await listen(createHttpUpstream(openaiChatAdapter, breaking), createCall());
  assert.equal(thrown, undefined);
  assert.equal(textOf(deltas), 'Good day.');
});

test('a request counts as sent once it has a connection, not before', async () => {
  let sent = 0;
  const onSent = () => {
    sent += 1;
  };
  const gone = await startFakeUpstream();
  await gone.close();
  await failureOf(upstream, callTo(gone, { onSent }));
  assert.equal(sent, 0);
  await using fake = await startFakeUpstream({ steps: chatStream('Good day.') });
  await listen(upstream, callTo(fake, { onSent }));
  assert.equal(sent, 1);
});
