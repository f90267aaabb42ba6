import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FusionPanels } from '../../src/core/fusion.ts';
import { usualRoutingRules } from '../../src/core/routing-rules.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import type { Script } from '../fake-upstream/fake-upstream.ts';
import { checkContract } from '../support/contract.ts';
import { configOf } from '../support/gateway.ts';
import { calls, type Read, sent, startToolWorld } from './tool-world.ts';

const asks = calls(['service_fusion', { prompt: 'Is it so?' }]);
const says = (...words: string[]): Script => ({ steps: chatStream(...words) });
const analysis = {
  consensus: ['Yes.'],
  contradictions: [],
  partial_coverage: [],
  unique_insights: [],
  blind_spots: [],
};
const panels: FusionPanels = {
  'general-high': { models: ['globex/one', 'globex/two', 'globex/three'], analyst: 'acme/judge' },
  'general-fast': { models: ['globex/three'] },
};

/** The judge answers, and compares: its turns are the question to the panel, the comparison and the answer. */
const world = (scripts: Partial<Record<string, readonly Script[]>> = {}) => {
  const { tools } = configOf({ models: [] });
  return startToolWorld(
    {
      'acme/judge': [asks, says(JSON.stringify(analysis)), says('So it is.')],
      'globex/one': [says('Yes.')],
      'globex/two': [says('Yes!')],
      'globex/three': [says('Sure.')],
      ...scripts,
    },
    {
      config: {
        tools: { ...tools, fusion: { panels } },
        routing: { ...usualRoutingRules, fusion: { panels } },
      },
    },
  );
};
const fusion = { model: 'service/fusion', plugins: [{ id: 'fusion', tools: [] }] };
const itemOf = (body: Read) => body.output.find(({ type }: Read) => type === 'service:fusion');

test('service/fusion answers as the analyst of the panel, at the cost of the panel and the analysis besides its turns', async () => {
  await using fused = await world();
  const { gateway } = fused;
  const response = await gateway.post({ ...fusion, input: 'Shall I?' }, { 'x-service-metadata': 'enabled' });
  const body: Read = await response.json();
  checkContract('ServiceMetadata', body.service_metadata);
  assert.deepEqual([body.model, body.service_metadata.strategy], ['acme/judge', 'fusion']);
  const { responses, analysis: compared } = itemOf(body);
  assert.deepEqual([responses.length, compared], [3, analysis]);
  const id = response.headers.get('x-generation-id') ?? '';
  const turns = [
    await gateway.storage.generations.find(id),
    ...(await gateway.storage.generations.ofRequest(id)),
  ];
  // Two turns of the request, three members and one analysis.
  assert.equal(turns.length, 6);
  const routed = turns.filter((turn) => turn?.routedBy === 'service/fusion');
  assert.deepEqual([routed.length, routed[0]?.model], [2, 'acme/judge']);
  const cost = turns.reduce((sum, turn) => sum + (turn?.cost ?? 0n), 0n);
  assert.equal(body.usage.cost, Number(cost) / 1e9);
});

test('a stream of service/fusion shows the panel', async () => {
  await using fused = await world();
  const events = await fused.stream(fusion);
  const kinds = events.map(({ type }) => type.replace('response.fusion_call.', ''));
  for (const kind of ['panel.added', 'panel.completed', 'analysis.completed', 'completed']) {
    assert.ok(kinds.includes(kind), kind);
  }
  assert.equal(kinds.filter((kind) => kind === 'panel.completed').length, 3);
});

test('members that fail are named, and what the analyst writes badly is left out', async () => {
  await using fused = await world({
    'acme/judge': [asks, says('I cannot say.'), says('So it is.')],
    'globex/two': [{ status: 500, whole: '{}', headers: {} }],
  });
  const item = itemOf(await fused.ask(fusion));
  assert.deepEqual(
    item.failed_models.map(({ model }: Read) => model),
    ['globex/two'],
  );
  assert.deepEqual(
    [item.responses.length, item.analysis, item.failure_reason],
    [2, undefined, 'judge_not_valid_json'],
  );
});

test('service/fusion-flash has the fast panel; models that a request names win', async () => {
  await using fused = await world({ 'globex/three': [asks, says('Sure.'), says('{}'), says('Fast.')] });
  const fast = await fused.ask({ model: 'service/fusion-flash', plugins: fusion.plugins });
  assert.deepEqual([fast.model, itemOf(fast).responses.length], ['globex/three', 1]);
  fused.upstream('globex/one').play(asks, says(JSON.stringify(analysis)), says('Mine.'));
  const plugin = { id: 'fusion', tools: [], model: 'globex/one', analysis_models: ['globex/two'] };
  const own = await fused.ask({ model: 'service/fusion', plugins: [plugin] });
  assert.equal(own.model, 'globex/one');
  assert.deepEqual(
    itemOf(own).responses.map(({ model }: Read) => model),
    ['globex/two'],
  );
});

test('without its plugin the chosen model answers alone, and inside of a panel so does a fusion', async () => {
  await using fused = await world();
  fused.upstream('acme/judge').play(says('Alone.'));
  const alone = await fused.ask({ model: 'service/fusion', plugins: [{ id: 'fusion', enabled: false }] });
  assert.deepEqual([alone.model, itemOf(alone)], ['acme/judge', undefined]);
  assert.equal(sent(fused.upstream('acme/judge'), 0).tools, undefined);
  fused.upstream('globex/one').play(asks, says('{}'), says('Done.'));
  const plugin = { id: 'fusion', tools: [], model: 'globex/one', analysis_models: ['service/fusion'] };
  const nested = await fused.ask({ model: 'globex/one', plugins: [plugin] });
  assert.deepEqual(itemOf(nested).responses, [{ model: 'service/fusion', content: 'Alone.' }]);
  assert.equal(sent(fused.upstream('acme/judge'), 1).tools, undefined);
});

test('a panel that a request names and that is not there is 400; fusion routers with a panel are listed', async () => {
  await using fused = await world();
  const missing = await fused.ask({
    model: 'service/fusion',
    plugins: [{ id: 'fusion', preset: 'general-budget' }],
  });
  assert.equal(missing.httpStatus, 400);
  assert.match(missing.error.message, /tools\.fusion\.panels\.general-budget/);
  const list: Read = await (await fused.gateway.get('/api/v1/models')).json();
  const ids = list.data.map(({ id }: Read) => id);
  assert.ok(ids.includes('service/fusion') && ids.includes('service/fusion-flash'));
});

test('when the answering model is away, a member of the panel answers instead', async () => {
  await using fused = await world({
    'acme/judge': [{ status: 503, whole: '{}', headers: {} }],
    'globex/one': [says('I take over.')],
  });
  const body = await fused.ask(fusion);
  assert.deepEqual([body.httpStatus, body.model], [200, 'globex/one']);
});
