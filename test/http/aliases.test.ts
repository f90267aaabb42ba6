import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({ whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const models = [modelOf('acme/atlas-4', [north]), modelOf('service/atlas', [north])];
  gateway = await startGateway({
    models,
    config: { compat: { aliases: ['word'], byokCreatedStatus: 200, unavailableTools: 'refuse' } },
  });
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

const hello = { model: 'acme/atlas-4', input: 'Hello' };

/** Of answers and errors. */
interface Body {
  readonly model?: string;
  readonly service_metadata?: object;
  readonly error?: { readonly message: string };
}

async function ask(fields: object, headers: Record<string, string> = {}): Promise<Body> {
  return (await (await gateway.post({ ...hello, ...fields }, headers)).json()) as Body;
}

test('the word of an operator is read as the prefix of models and tools (README decision 1)', async () => {
  assert.equal((await ask({ model: 'Word/atlas' })).model, 'service/atlas');
  const { error } = await ask({ tools: [{ type: 'word:web_search' }] });
  assert.match(error?.message ?? '', /^tools\[0\]\.type: "service:web_search" is not available/);
});

test('and of headers, by which a request is described and recorded', async () => {
  assert.ok((await ask({}, { 'X-Word-Metadata': 'enabled' })).service_metadata !== undefined);
  const { error } = await ask({ text: { verbosity: 'max' } }, { 'X-Word-Strict': 'true' });
  assert.match(error?.message ?? '', /text\.verbosity/);
  for (const name of ['X-Word-Title', 'X-Service-Title', 'X-Title']) {
    const response = await gateway.post(hello, { [name]: 'Tide tables' });
    await response.arrayBuffer();
    const record = await gateway.storage.generations.find(response.headers.get('x-generation-id') ?? '');
    assert.equal(record?.appTitle, 'Tide tables', name);
  }
});
