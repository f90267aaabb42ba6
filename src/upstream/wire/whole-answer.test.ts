import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { chatBody, chatStream } from '../../../test/fake-upstream/chat-stream.ts';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import { type Script, type Step, startFakeUpstream } from '../../../test/fake-upstream/fake-upstream.ts';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { patientTimeouts } from '../../../test/support/timeouts.ts';
import { openaiChatAdapter } from '../openai-chat/openai-chat-adapter.ts';
import { createHttpUpstream } from './http-upstream.ts';
import { createTransport } from './transport.ts';

const transport = createTransport();
const upstream = createHttpUpstream(openaiChatAdapter, transport);
after(() => transport.destroy());

const json = { 'content-type': 'application/json; charset=utf-8' };
const body = chatBody('Zoë ', '日本語 👩‍👩‍👧');
const said = 'Zoë 日本語 👩‍👩‍👧';

async function hear(script: Script, changes: CallChanges = {}) {
  await using fake = await startFakeUpstream(script);
  const provider = { baseUrl: fake.url, ...changes.provider };
  const heard = await listen(upstream, createCall({ streamed: false, ...changes, provider }));
  const [request] = fake.requests;
  assert.ok(request);
  return { ...heard, accept: request.headers.accept, body: request.body as { readonly stream: unknown } };
}

async function failure(script: Script) {
  await using fake = await startFakeUpstream(script);
  const call = createCall({ streamed: false, provider: { baseUrl: fake.url } });
  const { deltas } = await listen(upstream, call);
  assert.deepEqual(deltas, [], 'nothing of a broken answer may be passed on');
  return await failureOf(upstream, call);
}

test('an unstreamed call asks for one body and gets one batch', async () => {
  const { deltas, batches, ...request } = await hear({ whole: body });
  assert.deepEqual(JSON.parse(JSON.stringify(deltas)), [
    { kind: 'start', upstreamId: 'chatcmpl-1' },
    { kind: 'text', block: 1, text: said },
    {
      kind: 'usage',
      usage: { uncachedInput: 9, output: 2 },
    },
    { kind: 'finish', reason: 'stop', native: 'stop' },
  ]);
  assert.equal(batches, 1);
  assert.equal(request.accept, 'application/json');
  assert.equal(request.body.stream, false);
});

test('bytes may be cut anywhere, also inside characters, and padded with blank lines', async () => {
  const bytes = Buffer.from(body);
  const torn = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, index) =>
    bytes.subarray(index * 7, index * 7 + 7),
  );
  const steps: Step[] = ['\n', '\n', ...torn, '\n'];
  assert.equal(textOf((await hear({ headers: json, steps })).deltas), said);
  assert.equal(textOf((await hear({ headers: json, steps: [`\uFEFF${body}`] })).deltas), said);
});

test('the type of the answer decides how it is read, not what was asked for', async () => {
  const events = { steps: chatStream(said) };
  const problem = { headers: { 'content-type': 'application/vnd.acme+json' }, steps: [body] };
  assert.equal(textOf((await hear(events)).deltas), said);
  assert.equal(textOf((await hear({ headers: json, steps: [body] }, { streamed: true })).deltas), said);
  assert.equal(textOf((await hear(problem)).deltas), said);
});

test('an answer without a telling type is what was asked for', async () => {
  const untelling: Record<string, string>[] = [{}, { 'content-type': 'text/plain' }];
  for (const headers of untelling) {
    assert.equal(textOf((await hear({ headers, steps: [body] })).deltas), said);
    const streamed = await hear({ headers, steps: chatStream(said) }, { streamed: true });
    assert.equal(textOf(streamed.deltas), said);
  }
});

test('a provider that always streams is asked for a stream, with its limits', async () => {
  const quirks = { alwaysStream: true };
  const { deltas, accept } = await hear({ steps: chatStream(said), whole: 'no' }, { provider: { quirks } });
  assert.equal(textOf(deltas), said);
  assert.equal(accept, 'text/event-stream');
  const timeouts = { ...patientTimeouts, firstEvent: 40 };
  const { thrown } = await hear({ ending: 'hang' }, { provider: { quirks, timeouts } });
  assert.ok(thrown instanceof Error && /did not begin/.test(thrown.message));
});

test('connections are kept', async () => {
  await using fake = await startFakeUpstream({ whole: body });
  const call = createCall({ streamed: false, provider: { baseUrl: fake.url } });
  for (let count = 0; count < 6; count++) await listen(upstream, call);
  assert.ok(Math.max(...fake.requests.map((request) => request.connection)) <= 2);
});

test('what is broken, cut short or no answer at all is a failed provider', async () => {
  const length = { ...json, 'content-length': String(body.length + 100) };
  const scripts: Script[] = [
    { headers: json, steps: [body.slice(0, -9)] },
    { headers: json, steps: ['oops'] },
    { headers: json, steps: [] },
    { headers: json, steps: ['[]'] },
    { headers: json, steps: ['null'] },
    { headers: json, steps: ['{}'] },
    { headers: json, steps: ['{"choices":[]}'] },
    { headers: json, steps: ['{"choices":[{"text":"hi","finish_reason":"stop"}]}'] },
    { headers: json, steps: ['{"choices":[{"message":{"content":"hi"},"finish_reason":"error"}]}'] },
    { headers: json, steps: ['{"choices":[{"message":{"content":"hi","tool_calls":7}}]}'] },
    { headers: json, steps: [body.slice(0, -9)], ending: 'cut' },
    { headers: length, steps: [body], ending: 'cut' },
    { headers: json, steps: [], ending: 'cut' },
  ];
  for (const script of scripts) {
    const error = await failure(script);
    assert.equal(error.code, 'provider_failed', JSON.stringify(script));
    assert.equal(error.metadata.provider_name, 'NorthGPU');
  }
});

test('a failure sent instead of the answer is that failure', async () => {
  const nested = await failure({ headers: json, steps: ['{"error":{"message":"busy","code":503}}'] });
  assert.equal(nested.code, 'provider_overloaded');
  const flat = { object: 'error', message: 'slow down', code: 429 };
  const plain = await failure({ headers: json, steps: [JSON.stringify(flat)] });
  assert.equal(plain.code, 'upstream_rate_limit');
  assert.equal(plain.message, 'slow down');
});

test('a body longer than an answer may be is given up at the limit', async () => {
  const limit = 1024 * 1024;
  const fits = await hear({ headers: json, steps: [body.padEnd(limit - 100)] }, { limit });
  assert.equal(fits.thrown, undefined);
  await using fake = await startFakeUpstream({
    headers: json,
    steps: [' '.repeat(limit + 1)],
    ending: 'hang',
  });
  const provider = { baseUrl: fake.url };
  const error = await failureOf(upstream, createCall({ streamed: false, limit, provider }));
  assert.equal(error.code, 'provider_endless');
  assert.equal(error.message, 'The provider sent more than 1048576 bytes in one body.');
  await fake.closedConnections(1);
});

test('an answer of very many pieces is no trouble', async () => {
  const annotations = Array.from({ length: 200_000 }, (_, index) => ({ url_citation: { url: `a${index}` } }));
  const many = JSON.stringify({ choices: [{ message: { content: 'hi', annotations } }] });
  const { deltas, thrown } = await hear({ headers: json, steps: [many] });
  assert.equal(thrown, undefined);
  assert.equal(deltas.filter((delta) => delta.kind === 'annotation').length, annotations.length);
});
