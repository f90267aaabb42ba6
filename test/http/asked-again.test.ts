import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** docs/spec/routing.md#attempts: the same endpoint once more where no other is left. */
let one: FakeUpstream;
let two: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  [one, two] = await Promise.all([startFakeUpstream(), startFakeUpstream()]);
  const first = providerOf({ slug: 'first', baseUrl: `${one.url}/v1` });
  const second = providerOf({ slug: 'second', baseUrl: `${two.url}/v1` });
  gateway = await startGateway({
    models: [
      modelOf('acme/alone', [first]),
      // Failures count against an endpoint, so each case has endpoints of its own.
      ...[1, 2, 3, 4].map((at) => modelOf(`acme/pair-${at}`, [first, second])),
    ],
    retrySame: true,
  });
});

after(async () => {
  await gateway.stop();
  await Promise.all([one.close(), two.close()]);
});

const good: Script = { steps: chatStream('Good day.'), whole: chatBody('Good day.') };
const refuses = (status: number, headers: Record<string, string> = {}, error: object = {}): Script => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  steps: [JSON.stringify({ error: { message: 'No.', ...error } })],
});
const wait = (seconds: string) => ({ 'retry-after': seconds });

/** Asks, and says what came and how often each provider was asked. */
async function ask(model: string, scripts: readonly Script[], others: readonly Script[] = [], more = {}) {
  const before = [one.requests.length, two.requests.length] as const;
  one.play(...scripts);
  two.play(...others);
  const response = await gateway.post({ model, input: 'Hello', ...more });
  const body = await response.text();
  const times = [one.requests.length - before[0], two.requests.length - before[1]];
  const record = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
  return { status: response.status, body, times, record, headers: response.headers };
}

const passing: readonly (readonly [string, Script])[] = [
  ['500', refuses(500)],
  ['500 with a code of its own', refuses(500, {}, { code: 'internal_error' })],
  ['502', refuses(502)],
  ['503', refuses(503)],
  ['529', refuses(529)],
  ['503 with a short wait', refuses(503, wait('1'))],
  ['429 with a short wait', refuses(429, wait('1'))],
  ['a reset', { ending: 'cut' }],
];

for (const [name, failing] of passing) {
  test(`the only endpoint is asked once more after ${name}, streamed and not`, async () => {
    for (const stream of [false, true]) {
      const { status, body, times, record } = await ask('acme/alone', [failing, good], [], { stream });
      assert.deepEqual([status, times], [200, [2, 0]]);
      assert.ok(body.includes('Good day.'));
      const attempts = record?.attempts ?? [];
      assert.equal(attempts.length, 2, 'both are in the record');
      assert.equal(attempts.at(-1)?.status, 200);
    }
  });
}

const lasting: readonly (readonly [string, Script, number])[] = [
  ['400', refuses(400), 400],
  ['401', refuses(401), 502],
  ['404', refuses(404), 404],
  ['501', refuses(501), 502],
  ['504', refuses(504), 524],
  ['429 with a long wait', refuses(429, wait('3')), 429],
  ['429 without a wait', refuses(429), 429],
  ['503 with a long wait', refuses(503, wait('30')), 529],
  [
    'a status of 500 for a prompt that is too long',
    refuses(500, {}, { code: 'context_length_exceeded' }),
    400,
  ],
];

for (const [name, failing, expected] of lasting) {
  test(`no endpoint is asked again after ${name}`, async () => {
    const { status, times } = await ask('acme/alone', [failing, good]);
    assert.deepEqual([status, times], [expected, [1, 0]]);
  });
}

test('one that fails twice fails as it would have at once, and is not asked a third time', async () => {
  const { status, body, times, headers } = await ask('acme/alone', [refuses(503)]);
  assert.deepEqual([status, times], [529, [2, 0]]);
  assert.equal(JSON.parse(body).error.metadata.error_type, 'provider_overloaded');
  assert.equal(headers.get('x-should-retry'), null);
});

test('others come first; then the last that failed for a moment', async () => {
  const handed = await ask('acme/pair-1', [refuses(503), good], [good]);
  assert.deepEqual([handed.status, handed.times], [200, [1, 1]], 'there was another');
  const again = await ask('acme/pair-2', [refuses(503), good], [refuses(404)]);
  assert.deepEqual([again.status, again.times], [200, [2, 1]]);
  const last = await ask('acme/pair-3', [refuses(500)], [refuses(503), good]);
  assert.deepEqual([last.status, last.times], [200, [1, 2]]);
  const lost = await ask('acme/pair-4', [refuses(500)], [refuses(503)]);
  assert.deepEqual([lost.status, lost.times], [503, [1, 2]]);
});

test('a client that leaves during the pause ends it', async () => {
  one.play(refuses(429, wait('2')), good);
  const before = one.requests.length;
  const leaving = new AbortController();
  const asked = fetch(`${gateway.url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'acme/alone', input: 'Hello' }),
    signal: leaving.signal,
  });
  asked.catch(() => {});
  while (one.requests.length === before) await new Promise((resolve) => setTimeout(resolve, 5));
  setTimeout(() => leaving.abort(), 100);
  await assert.rejects(asked);
  // What had failed by then is free, whoever leaves.
  const booked = await eventually('the record', async () => {
    const manager = await gateway.createKey({ kind: 'management' });
    const listed = await gateway.get('/api/v1/generations?limit=1', { authorization: `Bearer ${manager}` });
    const { data } = (await listed.json()) as { data: { id: string }[] };
    const found = await gateway.storage.generations.find(data[0]?.id ?? '');
    return found?.cancelled === true && found;
  });
  assert.deepEqual([booked.cost, booked.usage], [0n, {}]);
  await gateway.stop();
  assert.equal(one.requests.length, before + 1);
});
