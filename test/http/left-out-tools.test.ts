import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { chatBody, chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let dropping: TestGateway;
let refusing: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('Good day.'), whole: chatBody('Good day.') });
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const models = [modelOf('acme/atlas-4', [north])];
  const compat = {
    aliases: [],
    byokCreatedStatus: 200,
    modelAliases: {},
    claudeIds: true,
    closeStreams: false,
    echoModel: false,
  };
  dropping = await startGateway({ models, config: { compat: { ...compat, unavailableTools: 'drop' } } });
  refusing = await startGateway({ models });
});

after(async () => {
  await dropping.stop();
  await refusing.stop();
  await upstream.close();
});

const clientOf = (gateway: TestGateway) =>
  new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
const clock = {
  type: 'function' as const,
  name: 'clock',
  parameters: { type: 'object', properties: {} },
  strict: false,
};
const ask = {
  model: 'acme/atlas-4',
  input: 'Hello',
  tools: [{ type: 'web_search_preview' as const }, clock],
};

interface Sent {
  readonly tools?: readonly { readonly type: string }[];
}

test('a hosted tool that nobody can run is left out, and header and report say so', async () => {
  const client = clientOf(dropping);
  const headers = { 'X-Service-Metadata': 'enabled' };
  const { data, response } = await client.responses.create(ask, { headers }).withResponse();
  assert.equal(data.output_text, 'Good day.');
  assert.equal(response.headers.get('x-service-left-out'), 'web_search_preview');
  const { service_metadata: metadata } = data as unknown as { service_metadata: { pipeline: object[] } };
  assert.deepEqual(metadata.pipeline, [
    {
      type: 'plugin',
      name: 'translation',
      summary: '1 field altered for north',
      data: {
        fields: [
          {
            field: 'tools[0]',
            action: 'dropped',
            how: 'no endpoint of the model has this tool, and the gateway cannot run it',
          },
        ],
      },
    },
  ]);
  const sent = upstream.requests.at(-1)?.body as Sent;
  assert.deepEqual(
    sent.tools?.map(({ type }) => type),
    ['function'],
  );
});

test('streams and answers under an idempotency key say so too', async () => {
  const { data, response } = await clientOf(dropping)
    .responses.create({ ...ask, stream: true })
    .withResponse();
  for await (const event of data) assert.notEqual(event.type, 'response.failed');
  assert.equal(response.headers.get('x-service-left-out'), 'web_search_preview');
  for (const stream of [false, true]) {
    for (let time = 0; time < 2; time += 1) {
      const again = await dropping.post({ ...ask, stream }, { 'Idempotency-Key': `left-${stream}` });
      await again.arrayBuffer();
      assert.equal(again.headers.get('x-service-left-out'), 'web_search_preview');
    }
  }
});

test('a choice that needs the tool, a strict request and the default refuse', async () => {
  const only = { ...ask, tools: [{ type: 'web_search_preview' as const }] };
  const refusals: readonly (readonly [TestGateway, object, object])[] = [
    [dropping, { ...ask, tool_choice: { type: 'web_search_preview' } }, {}],
    [dropping, { ...only, tool_choice: 'required' }, {}],
    [
      dropping,
      {
        ...ask,
        tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search_preview' }] },
      },
      {},
    ],
    [dropping, ask, { 'X-Service-Strict': 'true' }],
    [refusing, ask, {}],
  ];
  for (const [gateway, body, headers] of refusals) {
    const response = await gateway.post(body, headers as Record<string, string>);
    assert.equal(response.status, 400, JSON.stringify(body));
    await response.arrayBuffer();
  }
  const taken = await dropping.post({ ...ask, tool_choice: 'required' });
  assert.equal(taken.status, 200, await taken.text());
});

test('what else stands in the way still refuses, and the plan shows what would be left out', async () => {
  const blind = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } };
  const response = await dropping.post({ ...ask, input: [{ role: 'user', content: [blind] }] });
  assert.equal(response.status, 400);
  await response.arrayBuffer();
  const plan = await fetch(`${dropping.url}/api/v1/responses/plan`, {
    method: 'POST',
    headers: { authorization: `Bearer ${dropping.key}`, 'content-type': 'application/json' },
    body: JSON.stringify(ask),
  });
  assert.equal(plan.status, 200);
  assert.match(await plan.text(), /no endpoint of the model has this tool/);
});
