import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chatStream } from '../../../test/fake-upstream/chat-stream.ts';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import { startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { binaryEvent, binaryException } from '../../../test/support/binary-message.ts';
import { patientTimeouts } from '../../../test/support/timeouts.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Adapter, AddressedRequest } from '../adapter.ts';
import { openaiChatAdapter } from '../openai-chat/openai-chat-adapter.ts';
import { createHttpUpstream } from './http-upstream.ts';
import { createTransport } from './transport.ts';

const transport = createTransport();
after(() => transport.destroy());

function upstreamWith(changes: Partial<Adapter>) {
  return createHttpUpstream({ ...openaiChatAdapter, ...changes }, transport);
}

function callTo(url: string, changes: CallChanges = {}) {
  return createCall({ ...changes, provider: { baseUrl: url, ...changes.provider } });
}

for (const later of [false, true]) {
  test(`headers given ${later ? 'later' : 'at once'} vouch for what is really sent`, async () => {
    await using fake = await startFakeUpstream({ steps: chatStream('hi') });
    const seen: AddressedRequest[] = [];
    const upstream = upstreamWith({
      authorize(request) {
        seen.push(request);
        const headers = { authorization: `Seal ${request.body.length}` };
        return later ? new Promise((resolve) => setImmediate(resolve, headers)) : headers;
      },
    });
    const call = callTo(`${fake.url}/v1?version=2`, { provider: { headers: { 'X-Team': 'gateway' } } });
    assert.equal(textOf((await listen(upstream, call)).deltas), 'hi');
    const [request] = fake.requests;
    assert.equal(seen[0]?.url.href, `${fake.url}${request?.path}`);
    assert.equal(seen[0]?.headers['x-team'], 'gateway');
    assert.deepEqual(JSON.parse(seen[0]?.body ?? ''), request?.body);
    assert.equal(request?.headers.authorization, `Seal ${JSON.stringify(request?.body).length}`);
  });
}

test('a request may bring its own address', async () => {
  await using fake = await startFakeUpstream({ steps: chatStream('hi') });
  const upstream = upstreamWith({
    encode: (call) => ({ ...openaiChatAdapter.encode(call), baseUrl: `${fake.url}/region/eu/` }),
  });
  const call = createCall({ provider: { baseUrl: undefined, headers: { 'X-Team': 'gateway' } } });
  assert.equal(textOf((await listen(upstream, call)).deltas), 'hi');
  assert.equal(fake.requests[0]?.path, '/region/eu/chat/completions');
  assert.equal(fake.requests[0]?.headers['x-team'], 'gateway');
});

test('a credential that cannot be used is that failure, before anything is sent', async () => {
  await using fake = await startFakeUpstream();
  const refusal = new HeadgateError('upstream_credential', 'No token.');
  for (const authorize of [
    () => Promise.reject(refusal),
    () => {
      throw refusal;
    },
  ]) {
    assert.equal(
      (await failureOf(upstreamWith({ authorize }), callTo(fake.url))).code,
      'upstream_credential',
    );
  }
  assert.equal(fake.requests.length, 0);
});

test('a token that does not come is not waited for beyond the time to connect', async () => {
  const upstream = upstreamWith({ authorize: () => new Promise(() => undefined) });
  const timeouts = { ...patientTimeouts, connect: 30 };
  const error = await failureOf(upstream, callTo('http://127.0.0.1:1', { provider: { timeouts } }));
  assert.equal(error.code, 'provider_failed');
  const reason = new Error('gone');
  const controller = new AbortController();
  const heard = listen(upstream, callTo('http://127.0.0.1:1', { signal: controller.signal }));
  controller.abort(reason);
  assert.equal((await heard).thrown, reason);
});

test('binary messages are read by dialects that have them', async () => {
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  const chunk = { choices: [{ delta: { content: 'hi' }, finish_reason: 'stop' }] };
  const script = { headers, steps: [binaryEvent('chunk', chunk)] };
  await using fake = await startFakeUpstream(script);
  const { deltas } = await listen(upstreamWith({ framing: 'aws-event-stream' }), callTo(fake.url));
  assert.equal(textOf(deltas), 'hi');
  assert.equal((await failureOf(upstreamWith({}), callTo(fake.url))).code, 'provider_failed');
  fake.play({ headers, steps: [binaryException('throttlingException', {}).subarray(0, 20)], ending: 'cut' });
  assert.equal(
    (await failureOf(upstreamWith({ framing: 'aws-event-stream' }), callTo(fake.url))).code,
    'provider_failed',
  );
});

test('what a provider supports is worked out once', () => {
  let asked = 0;
  const upstream = upstreamWith({
    support(provider) {
      asked += 1;
      return openaiChatAdapter.support(provider);
    },
  });
  const { provider } = createCall().endpoint;
  assert.equal(upstream.support(provider), upstream.support(provider));
  upstream.support({ ...provider });
  assert.equal(asked, 2);
});
