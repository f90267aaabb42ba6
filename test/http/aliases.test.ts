import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
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
    config: {
      compat: {
        aliases: ['word'],
        byokCreatedStatus: 200,
        unavailableTools: 'refuse',
        modelAliases: {},
        claudeIds: true,
        closeStreams: false,
        echoModel: false,
      },
    },
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

test('the word of an operator is read as the prefix of models and tools (docs/spec/requests.md#prefix-aliases)', async () => {
  assert.equal((await ask({ model: 'Word/atlas' })).model, 'service/atlas');
  const { error } = await ask({ tools: [{ type: 'word:web_search' }] });
  assert.match(error?.message ?? '', /^tools: web search needs a search engine/);
});

test('errors repeat the spelling of the client, also through a client library', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
  const refusalOf = async (fields: object) => {
    const refused = client.responses.create({ ...hello, ...fields });
    return refused.then(
      () => assert.fail('it was answered'),
      (error: unknown) => {
        assert.ok(error instanceof OpenAI.APIError);
        return error;
      },
    );
  };
  const unknown = await refusalOf({ model: 'word/nothing' });
  assert.equal(unknown.status, 400);
  assert.match(unknown.message, /The model "word\/nothing" does not exist/);
  const { availability } = (unknown.error as { readonly metadata: { readonly availability: object } })
    .metadata;
  assert.deepEqual((availability as { readonly requested_models: unknown }).requested_models, [
    'word/nothing',
  ]);
  const filtered = await refusalOf({ model: 'Word/atlas', provider: { only: ['nobody'] } });
  assert.match(filtered.message, /Word\/atlas is served by north/);
  const contradictory = await refusalOf({ model: 'word/atlas:nitro:floor' });
  assert.match(contradictory.message, /"word\/atlas:nitro:floor"/);
  const chosen = await refusalOf({ tool_choice: { type: 'word:web_search' } });
  assert.match(chosen.message, /"word:web_search"/);
});

test('a preset is not found while there are none', async () => {
  for (const fields of [
    { preset: 'fast' },
    { model: '@preset/fast' },
    { model: 'acme/atlas-4@preset/fast' },
  ]) {
    const response = await gateway.post({ ...hello, ...fields });
    assert.equal(response.status, 404, JSON.stringify(fields));
    const { error } = (await response.json()) as Body;
    assert.match(error?.message ?? '', /There is no preset "fast"/);
  }
  const response = await gateway.post({ ...hello, preset: null });
  assert.equal(response.status, 200);
  await response.arrayBuffer();
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
