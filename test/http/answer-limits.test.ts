import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { chatBody, chatChunk, chatStream } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';
import { defaultLimits } from '../support/limits.ts';
import { readStream, textOf } from '../support/read-stream.ts';

const answerBytes = 100_000;
const hello = { model: 'acme/atlas-4', input: 'Hello' };
const streamed = { ...hello, stream: true };
const word = 'x'.repeat(984);
const json = { 'content-type': 'application/json' };
/** Chunks that count a thousand bytes each. */
const chunks = (count: number) => Array<string>(count).fill(chatChunk({ content: word }));

/** A gateway with a provider that answers as scripted; `answersLimit`: bytes of memory of all answers together. */
async function start(script: Script, answersLimit?: number) {
  const stack = new AsyncDisposableStack();
  const upstream = stack.use(await startFakeUpstream(script));
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north])],
    config: { limits: { ...defaultLimits, answerBytes } },
    answersLimit,
  });
  stack.defer(() => gateway.stop());
  const charged = async () => {
    const { usage } = await gateway.storage.ledger.keySpend(gateway.keyHash, Date.now());
    return Number(usage.total) / 1e9;
  };
  return { upstream, gateway, charged, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test('an answer that is as long as an answer may be is whole', async () => {
  await using it = await start({ steps: chatStream(...Array<string>(99).fill(word)) });
  const { terminal } = await readStream(await it.gateway.post(streamed));
  assert.equal(terminal.status, 'completed');
  assert.equal(textOf(terminal).length, 99 * word.length);
});

test('a longer answer ends as incomplete and is charged for what was produced, streamed or not', async () => {
  for (const body of [streamed, hello]) {
    // A provider that streams whatever it is asked for.
    await using it = await start({ steps: chunks(150), ending: 'hang' });
    const response = await it.gateway.post(body);
    const answer = body === streamed ? (await readStream(response)).terminal : await response.json();
    const { status, incomplete_details: details, usage } = answer as Record<string, Record<string, unknown>>;
    assert.equal(status, 'incomplete');
    assert.deepEqual(details, { reason: 'max_output_tokens' });
    assert.ok(textOf(answer as Record<string, unknown>).length < 2 * answerBytes);
    assert.ok(Number(usage?.output_tokens) > 5_000, JSON.stringify(usage));
    assert.equal(await it.charged(), usage?.cost);
    await it.upstream.closedConnections(1);
  }
});

test('a body or an event that is longer is an error, and nothing is charged', async () => {
  const endless = ['data: {"id":"', ...Array<string>(110).fill(word)];
  for (const [body, script] of [
    [hello, { headers: json, steps: [chatBody(word.repeat(110))], ending: 'hang' }],
    [hello, { headers: json, steps: endless, ending: 'hang' }],
    [streamed, { steps: endless, ending: 'hang' }],
  ] as const) {
    await using it = await start(script);
    const response = await it.gateway.post(body);
    const { error } = (await response.json()) as { error: { metadata: { error_type: string } } };
    assert.equal(response.status, 502);
    assert.equal(error.metadata.error_type, 'max_tokens_exceeded');
    assert.equal(await it.charged(), 0);
    await it.upstream.closedConnections(1);
  }
});

test('when all answers together are too long, the longest is cut off and the others go on', async () => {
  const short = chatStream('Good ', 'day.');
  const [first = '', ...rest] = short;
  // Four bytes of memory for each byte of an answer.
  await using it = await start({}, 4 * answerBytes);
  it.upstream.play(
    { steps: [first, ...chunks(60)], ending: 'hang' },
    { steps: [first, ...chunks(10), 300, ...chunks(35), ...rest] },
  );
  const long = it.gateway.post(streamed);
  await eventually('the first call', () => it.upstream.requests.length === 1);
  const other = it.gateway.post(streamed);
  const [cut, whole] = [await readStream(await long), await readStream(await other)];
  assert.equal(cut.terminal.status, 'incomplete');
  assert.equal(whole.terminal.status, 'completed');
  const costOf = ({ terminal }: typeof cut) => (terminal.usage as { cost: number }).cost;
  assert.ok(costOf(cut) > 0);
  assert.equal((await it.charged()).toFixed(9), (costOf(cut) + costOf(whole)).toFixed(9));
});

test('an answer that is cut off while its client takes nothing loses its connection, and is charged', async () => {
  const large = chatChunk({ content: 'x'.repeat(60_000) });
  const steps = Array<string>(1_000).fill(large);
  const upstream = await startFakeUpstream({ steps, ending: 'hang' });
  const north = providerOf({ slug: 'north', name: 'NorthGPU', baseUrl: `${upstream.url}/v1` });
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north])],
    answersLimit: 8_000_000,
  });
  const { hostname, port } = new URL(gateway.url);
  const clients = Array.from({ length: 4 }, () => connect(Number(port), hostname).pause());
  const body = JSON.stringify(streamed);
  const head = `POST /api/v1/responses HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${gateway.key}`;
  try {
    for (const client of clients) {
      client.on('error', () => undefined);
      await once(client, 'connect');
      client.write(`${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    }
    // Two megabytes of answers fit; the buffers of the system take more of each.
    await upstream.closedConnections(1);
    const spend = () => gateway.storage.ledger.keySpend(gateway.keyHash, Date.now());
    await eventually('a charge', async () => Number((await spend()).usage.total) > 0);
  } finally {
    for (const client of clients) client.destroy();
    await gateway.stop();
    await upstream.close();
  }
});
