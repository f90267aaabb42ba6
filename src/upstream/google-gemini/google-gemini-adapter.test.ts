import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import {
  type FakeUpstream,
  type Script,
  startFakeUpstream,
} from '../../../test/fake-upstream/fake-upstream.ts';
import { type CallChanges, createCall, testApiKey } from '../../../test/fake-upstream/upstream-call.ts';
import { geminiAnswer, geminiStream } from '../../../test/support/gemini-answers.ts';
import { createHttpUpstream } from '../wire/http-upstream.ts';
import { createTransport } from '../wire/transport.ts';
import { googleGeminiAdapter, vertexGeminiAdapter } from './google-gemini-adapter.ts';

const transport = createTransport();
const upstream = createHttpUpstream(googleGeminiAdapter, transport);
after(() => transport.destroy());

const json = { 'content-type': 'application/json; charset=UTF-8' };
const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 2, totalTokenCount: 6 };
const answers = [
  geminiAnswer([{ text: 'Good ' }]),
  geminiAnswer([{ text: 'day.' }], { finishReason: 'STOP', usageMetadata }),
];

function callTo(fake: FakeUpstream, changes: CallChanges = {}) {
  return createCall({
    endpoint: { upstreamModel: 'gemini-3-flash-preview' },
    ...changes,
    provider: { baseUrl: `${fake.url}/v1beta`, ...changes.provider },
  });
}

test('a streamed call over a socket', async () => {
  await using fake = await startFakeUpstream({ steps: answers.map((answer) => geminiStream([answer])) });
  const { deltas, thrown } = await listen(upstream, callTo(fake));
  assert.equal(thrown, undefined);
  assert.equal(textOf(deltas), 'Good day.');
  assert.deepEqual(deltas.at(-1), { kind: 'finish', reason: 'stop', native: 'STOP' });
  const [request] = fake.requests;
  assert.equal(request?.path, '/v1beta/models/gemini-3-flash-preview:streamGenerateContent?alt=sse');
  assert.equal(request?.headers['x-goog-api-key'], testApiKey);
  assert.deepEqual(request?.body, { contents: [{ role: 'user', parts: [{ text: 'Hello there' }] }] });
});

test('an unstreamed answer is one object, and a list of events is read as well', async () => {
  for (const whole of [
    geminiAnswer([{ text: 'Good day.' }], { finishReason: 'STOP', usageMetadata }),
    answers,
  ]) {
    await using fake = await startFakeUpstream({ headers: json, steps: [JSON.stringify(whole)] });
    const { deltas, thrown } = await listen(upstream, callTo(fake, { streamed: false }));
    assert.equal(thrown, undefined);
    assert.equal(textOf(deltas), 'Good day.');
    assert.equal(fake.requests[0]?.path, '/v1beta/models/gemini-3-flash-preview:generateContent');
  }
});

test('a refusal becomes the corresponding error, with the stated wait', async () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '27.5s' }];
  const cases: readonly (readonly [number, object, string])[] = [
    [429, { code: 429, message: 'Slow down.', status: 'RESOURCE_EXHAUSTED', details }, 'upstream_rate_limit'],
    [503, { code: 503, message: 'Overloaded.', status: 'UNAVAILABLE' }, 'provider_overloaded'],
    [400, { code: 400, message: 'API key not valid.', status: 'INVALID_ARGUMENT' }, 'upstream_credential'],
    [404, { code: 404, message: 'models/x is not found.', status: 'NOT_FOUND' }, 'upstream_not_found'],
  ];
  for (const [status, error, code] of cases) {
    await using fake = await startFakeUpstream({ status, headers: json, steps: [JSON.stringify({ error })] });
    const failure = await failureOf(upstream, callTo(fake));
    assert.equal(failure.code, code);
    assert.equal(failure.retryAfter, status === 429 ? 28 : undefined);
  }
});

test('what breaks off in the middle fails after what was said', async () => {
  const begun = geminiStream(answers.slice(0, 1));
  const error = { error: { code: 500, message: 'Broken.', status: 'INTERNAL' } };
  const scripts: readonly Script[] = [
    { steps: [begun], ending: 'cut' },
    { steps: [begun] },
    { steps: [begun, geminiStream([error])] },
    { steps: [begun, 'data: {"candidates":[{"content":\r\n\r\n'] },
  ];
  for (const script of scripts) {
    await using fake = await startFakeUpstream(script);
    const { deltas, thrown } = await listen(upstream, callTo(fake));
    assert.equal(textOf(deltas), 'Good ');
    assert.match(String(thrown), /NorthGPU|stream|Broken|JSON/);
  }
});

test('both hosts read the seals of both', () => {
  for (const adapter of [googleGeminiAdapter, vertexGeminiAdapter]) {
    const { seals } = adapter.support(createCall().endpoint.provider);
    assert.deepEqual(seals, ['google-gemini-v1']);
  }
});
