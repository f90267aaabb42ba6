import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as readJson } from 'node:stream/consumers';
import { type TestContext, test } from 'node:test';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway } from '../support/gateway.ts';

/** A local server with these models; it knows no others. */
async function startLocal(t: TestContext, models: Record<string, object>) {
  const state = { models, status: 200, asked: 0, authorization: '' };
  const server = createServer(async (request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (request.url === '/v1/models') {
      state.asked += 1;
      state.authorization = request.headers.authorization ?? '';
      answer(state.status, {
        data: Object.entries(state.models).map(([id, more]) => ({ id, object: 'model', ...more })),
      });
      return;
    }
    const { model } = (await readJson(request)) as { model: string };
    const whole = chatBody('Good ', 'day.');
    if (model in state.models) answer(200, typeof whole === 'string' ? JSON.parse(whole) : whole);
    else answer(404, { error: { message: `model ${model} not found` } });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { state, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function start(t: TestContext, url: string, pauses = { usual: 60_000, least: 20 }) {
  const local = providerOf({ slug: 'local', name: 'Local', baseUrl: `${url}/v1`, discovers: true });
  const gateway = await startGateway({
    models: [modelOf('local/declared', [local])],
    providers: [local],
    billingMode: 'prepaid',
    parts: { discoveryPauses: pauses },
  });
  t.after(() => gateway.stop());
  const ask = async (model: string) => {
    const response = await gateway.post({ model, input: 'Hello' });
    const body = (await response.json()) as { usage?: { cost: number }; error?: { code: unknown } };
    return { status: response.status, cost: body.usage?.cost };
  };
  const listed = async () => {
    const { data } = (await (await gateway.get('/api/v1/models')).json()) as {
      data: { id: string; context_length: number | null; pricing: { prompt: string } }[];
    };
    return data.filter(({ id }) => id.startsWith('local/'));
  };
  return { gateway, ask, listed };
}

test('models that a local server lists are served from the start, at no cost', async (t) => {
  const { state, url } = await startLocal(t, {
    'llama3.2:latest': {},
    'Qwen/Qwen3-8B': { max_model_len: 40_960 },
    declared: {},
    'with space': {},
  });
  const { ask, listed } = await start(t, url);
  assert.equal(state.asked, 1);
  const models = await listed();
  assert.deepEqual(models.map(({ id }) => id).sort(), [
    'local/Qwen/Qwen3-8B',
    'local/declared',
    'local/llama3.2:latest',
  ]);
  const qwen = models.find(({ id }) => id === 'local/Qwen/Qwen3-8B');
  assert.partialDeepStrictEqual(qwen, { context_length: 40_960, pricing: { prompt: '0' } });
  assert.equal(models.find(({ id }) => id === 'local/declared')?.pricing.prompt, '0.000003');
  // The account has no money.
  for (const name of ['local/qwen/qwen3-8b', 'local/llama3.2:latest', 'local/llama3.2']) {
    assert.deepEqual(await ask(name), { status: 200, cost: 0 }, name);
  }
  assert.equal((await ask('local/declared')).status, 402);
});

test('a model that is new there is known after one request for it, one that has gone after another', async (t) => {
  const { state, url } = await startLocal(t, { old: {} });
  const { ask, listed } = await start(t, url);
  state.models = { young: {} };
  assert.equal((await ask('local/young')).status, 400);
  await eventually('the new model', async () =>
    (await ask('local/young')).status === 200 ? true : undefined,
  );
  assert.deepEqual((await listed()).map(({ id }) => id).sort(), ['local/declared', 'local/young']);
  state.models = { younger: {} };
  assert.equal((await ask('local/young')).status, 404, 'the provider does not know it any more');
  await eventually('the list after a 404', async () =>
    (await listed()).some(({ id }) => id === 'local/younger') ? true : undefined,
  );
});

test('a list is read again and again; while it cannot be read the models stay', async (t) => {
  const { state, url } = await startLocal(t, { old: {} });
  const { ask, gateway, listed } = await start(t, url, { usual: 20, least: 60_000 });
  state.status = 500;
  await eventually('the failure in the log', () =>
    gateway.log.some((line) => line.includes('could not be listed')) ? true : undefined,
  );
  assert.equal((await ask('local/old')).status, 200);
  state.status = 200;
  state.models = { old: {}, young: {} };
  await eventually('the new model', async () =>
    (await listed()).some(({ id }) => id === 'local/young') ? true : undefined,
  );
});

test('requests for models nobody has cause few looks', async (t) => {
  const { state, url } = await startLocal(t, { old: {} });
  const { ask } = await start(t, url, { usual: 60_000, least: 60_000 });
  for (let count = 0; count < 20; count += 1) assert.equal((await ask('local/nobody')).status, 400);
  assert.equal(state.asked, 1);
});

test('a server that is away does not keep the gateway from starting', async (t) => {
  const { state, url } = await startLocal(t, { old: {} });
  state.status = 503;
  const { ask } = await start(t, url, { usual: 20, least: 60_000 });
  assert.equal((await ask('local/old')).status, 400);
  state.status = 200;
  await eventually('its models', async () => ((await ask('local/old')).status === 200 ? true : undefined));
});
