import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import type { Model, Provider } from '../../src/core/catalogue.ts';
import type { AutoRules } from '../../src/core/routing-rules.ts';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { taskTags } from '../../src/core/task-tags.ts';
import { taskExamples } from '../../src/routers/auto/task-examples.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';

const json = { 'content-type': 'application/json' };
const good: Script = { headers: json, steps: [chatBody('Good day.')] };
const says = (...words: string[]): Script => ({ headers: json, steps: [chatBody(...words)] });
/** The rules take it for mathematics. */
const input = 'Solve the equation 2x + 3 = 7.';

// biome-ignore lint/suspicious/noExplicitAny: answers, each checked by its test.
type Body = any;

/** A gateway whose classifying model is served by `clerk`, and models that answer by another provider. */
async function begin(
  t: TestContext,
  clerk: string,
  change: Partial<AutoRules> = {},
  more: readonly Model[] = [],
) {
  const answering = await startFakeUpstream(good);
  const baseUrl = (url: string) => `${url}/v1`;
  const north = providerOf({ slug: 'north', baseUrl: baseUrl(answering.url) });
  const office = providerOf({ slug: 'clerk', baseUrl: baseUrl(clerk), retainsPrompts: true });
  const auto = { ...usualRoutingRules.auto, classifierTimeout: 20_000, ...change };
  const gateway = await startGateway({
    models: [
      modelOf('acme/atlas', [north]),
      ...[classifierOf(office), ...more].filter((model) => model !== undefined),
    ],
    config: { routing: { ...usualRoutingRules, auto } },
  });
  t.after(async () => {
    await gateway.stop();
    await answering.close();
  });
  const ask = async (body: object = {}, key?: string) => {
    const headers = { 'x-service-metadata': 'enabled', ...(key && { authorization: `Bearer ${key}` }) };
    const plugins = [{ id: 'auto-router', allowed_models: ['acme/*'] }];
    const response = await gateway.post({ model: 'service/auto', input, plugins, ...body }, headers);
    const answer: Body = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    const [stage] = answer.service_metadata.pipeline ?? [];
    return { answer, id: response.headers.get('x-generation-id') ?? '', data: stage?.data };
  };
  return { gateway, ask };
}

function classifierOf(office: Provider): Model {
  return { ...modelOf('desk/clerk', [office]), inputModalities: ['text'] };
}

const withClerk = { classifierModel: 'desk/clerk' };

test('a chat model says the task; its turn is charged to the request and recorded', async (t) => {
  const clerk = await startFakeUpstream(says('"creative_writing".'));
  t.after(() => clerk.close());
  const { gateway, ask } = await begin(t, clerk.url, withClerk);
  const { answer, data, id } = await ask();
  assert.deepEqual([data.task_type, data.classified_by], ['creative_writing', 'model']);
  const sent: Body = clerk.requests[0]?.body;
  assert.match(sent.messages.at(-1).content, /Solve the equation/);
  assert.match(sent.messages[0].content, /do not follow it/);
  const own = await gateway.storage.generations.find(id);
  const [inner, ...others] = await gateway.storage.generations.ofRequest(id);
  assert.deepEqual([own?.model, inner?.model, others.length], ['acme/atlas', 'desk/clerk', 0]);
  assert.ok(own !== undefined && inner !== undefined && inner.cost > 0n);
  assert.equal(answer.usage.cost, Number(own.cost + inner.cost) / 1e9);
});

test('without an answer in time, or with one that is no tag, rules decide; "none" is no task', async (t) => {
  const clerk = await startFakeUpstream({ ending: 'hang' });
  t.after(() => clerk.close());
  const slow = await begin(t, clerk.url, { ...withClerk, classifierTimeout: 50 });
  const byRules = ['math', 'rules'];
  const late = await slow.ask();
  assert.deepEqual([late.data.task_type, late.data.classified_by], byRules);
  await clerk.closedConnections(1);
  const { ask } = await begin(t, clerk.url, withClerk);
  const broken: Script = { status: 500, headers: json, steps: ['{}'] };
  for (const script of [says('A sonnet, of course.'), broken, says('')]) {
    clerk.play(script);
    const { data } = await ask();
    assert.deepEqual([data.task_type, data.classified_by], byRules);
  }
  clerk.play(says('none'));
  assert.equal((await ask()).data.task_type, undefined);
});

test('a classifying model that the request or its key rules out is not asked', async (t) => {
  const clerk = await startFakeUpstream(says('roleplay'));
  t.after(() => clerk.close());
  const { gateway, ask } = await begin(t, clerk.url, withClerk);
  const key = await gateway.createKey({ allowedModels: ['acme/*'] });
  const ruledOut = [
    await ask({ provider: { zdr: true } }),
    await ask({ provider: { ignore: ['clerk'] } }),
    await ask({ provider: { only: ['north'] } }),
    await ask({}, key),
  ];
  for (const { data } of ruledOut) assert.equal(data.classified_by, 'rules');
  assert.equal(clerk.requests.length, 0);
  assert.equal((await ask()).data.classified_by, 'model');
});

test('only routers that choose by the task ask for it, once a request; a router is not asked', async (t) => {
  const clerk = await startFakeUpstream(says('roleplay'));
  t.after(() => clerk.close());
  const { ask } = await begin(t, clerk.url, withClerk);
  await ask({ model: 'acme/atlas' });
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,AA==' };
  await ask({ input: [{ role: 'user', content: [picture] }] });
  assert.equal(clerk.requests.length, 0);
  await ask({ models: ['service/auto', 'service/auto-beta'] });
  assert.equal(clerk.requests.length, 1);
  const circle = await begin(t, clerk.url, { classifierModel: 'service/auto' });
  assert.equal((await circle.ask()).data.classified_by, 'rules');
});

test('a plan asks no model for the task unless that is wanted, and then it is charged', async (t) => {
  const clerk = await startFakeUpstream(says('roleplay'));
  t.after(() => clerk.close());
  const { gateway } = await begin(t, clerk.url, withClerk);
  const plan = async (query: string): Promise<Body> => {
    const response = await fetch(`${gateway.url}/api/v1/responses/plan${query}`, {
      method: 'POST',
      headers: { ...json, authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({ model: 'service/auto', input }),
    });
    return response.json();
  };
  const spent = async () => {
    const { data } = (await (await gateway.get('/api/v1/key')).json()) as Body;
    return data.usage;
  };
  const before = await spent();
  assert.equal((await plan('')).routers[0].data.task_type, 'math');
  assert.equal(clerk.requests.length, 0);
  assert.deepEqual(await spent(), before);
  assert.equal((await plan('?classify=true')).routers[0].data.task_type, 'roleplay');
  assert.equal(clerk.requests.length, 1);
  assert.ok((await spent()) > before);
  assert.match((await plan('?classify=maybe')).error.message, /classify/);
});

test('an embedding model learns the examples with the first requests, and then compares with them', async (t) => {
  const tagOf = new Map(
    Object.entries(taskExamples).flatMap(([tag, texts]) => texts.map((text) => [text, tag])),
  );
  const asked: number[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { input: given } = JSON.parse(Buffer.concat(chunks).toString());
    const texts: readonly string[] = [given].flat();
    asked.push(texts.length);
    // What no example says is nearest to poems.
    const vectorOf = (text: string) =>
      taskTags.map((tag) => (tag === (tagOf.get(text) ?? 'creative_writing') ? 2 : 0.1));
    const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) }));
    response.writeHead(200, json);
    response.end(
      JSON.stringify({ object: 'list', data, model: 'e', usage: { prompt_tokens: 5, total_tokens: 5 } }),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const office = providerOf({ slug: 'vectors', baseUrl: `${url}/v1` });
  const embedder: Model = {
    ...modelOf('desk/vectors', [office]),
    inputModalities: ['text'],
    outputModalities: ['embeddings'],
  };
  const { ask } = await begin(t, url, { classifierModel: 'desk/vectors' }, [embedder]);
  const first = await ask();
  assert.equal(first.data.classified_by, 'rules');
  let last = first;
  for (let time = 0; time < 30 && last.data.classified_by === 'rules'; time += 1) last = await ask();
  assert.deepEqual([last.data.task_type, last.data.classified_by], ['creative_writing', 'model']);
  assert.equal(
    asked.reduce((sum, count) => sum + count - 1, 0),
    tagOf.size,
  );
  assert.ok(Math.max(...asked) <= 13, 'each request brings a few examples only');
  await ask();
  assert.equal(asked.at(-1), 1);
  const [ofTools] = taskExamples.health ?? [];
  const known = await ask({ input: ofTools });
  assert.equal(known.data.task_type, 'health');
  const count = asked.length;
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  assert.equal((await ask({ tools })).data.classified_by, 'rules');
  assert.equal(asked.length, count);
});
