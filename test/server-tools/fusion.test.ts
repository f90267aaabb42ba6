import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseUsd, usdToNumber } from '../../src/core/money.ts';
import { ledgerEntry } from '../conformance/fixtures.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import type { Script } from '../fake-upstream/fake-upstream.ts';
import { configOf } from '../support/gateway.ts';
import { calls, type Read, sent, startToolWorld } from './tool-world.ts';

const answer: Script = { steps: chatStream('Well', ' then.') };
const asks = calls(['service_fusion', { prompt: 'Is it so?' }]);
const analysis = {
  consensus: ['Both say so.'],
  contradictions: [{ topic: 'when', stances: [{ model: 'globex/one', stance: 'now' }] }],
  partial_coverage: [{ models: ['globex/one'], point: 'how' }],
  unique_insights: [{ model: 'globex/two', insight: 'why' }],
  blind_spots: ['cost'],
};
const analyst: Script = { steps: chatStream(`Here: \`\`\`json\n${JSON.stringify(analysis)}\n\`\`\``) };
const says = (...words: string[]): Script => ({ steps: chatStream(...words) });
const fails = (status: number): Script => ({ status, whole: '{}', headers: {} });
const panel = ['globex/one', 'globex/two'];
const tool = (parameters: object = {}) => ({
  type: 'service:fusion',
  parameters: { analysis_models: panel, model: 'globex/judge', ...parameters },
});
const fusionOf = (body: Read) => body.output.find(({ type }: Read) => type === 'service:fusion');

const world = (scripts: Partial<Record<string, readonly Script[]>> = {}, options = {}) =>
  startToolWorld(
    {
      'acme/atlas-4': [asks, answer],
      'globex/one': [says('Yes', '.')],
      'globex/two': [says('No.')],
      'globex/judge': [analyst],
      ...scripts,
    },
    options,
  );

test('a panel is asked side by side, an analyst compares, and the model answers', async () => {
  await using fused = await world();
  const body = await fused.ask({ tools: [tool({ temperature: 0.7, tools: [] })] });
  const item = fusionOf(body);
  assert.deepEqual(item.responses, [
    { model: 'globex/one', content: 'Yes.' },
    { model: 'globex/two', content: 'No.' },
  ]);
  assert.deepEqual([item.status, item.analysis, item.failed_models], ['completed', analysis, undefined]);
  const result = JSON.parse(sent(fused.upstream('acme/atlas-4'), 1).messages.at(-1)?.content ?? '');
  assert.deepEqual([result.status, result.analysis], ['ok', analysis]);
  const [member, judge] = [sent(fused.upstream('globex/one'), 0), sent(fused.upstream('globex/judge'), 0)];
  assert.deepEqual([member.temperature, member.tools], [0.7, undefined]);
  assert.deepEqual(
    member.messages.map(({ content }) => content),
    ['Is it so?'],
  );
  assert.deepEqual([judge.temperature, judge.tools], [0, undefined]);
  assert.match(judge.messages.at(-1)?.content ?? '', /"answer":"No\."/);
  // Two turns, two members and the analyst: each is charged, and the answer says the sum.
  const spent = await fused.gateway.storage.ledger.balance(fused.gateway.account.id);
  assert.ok(Math.abs(usdToNumber(spent.spentTotal) - body.usage.cost) < 1e-9);
});

test('a stream shows the panel while it writes', async () => {
  await using fused = await world();
  const events = await fused.stream({ tools: [tool()] });
  const seen = events.filter(({ type }) => type.startsWith('response.fusion_call'));
  const kinds = new Set(seen.map(({ type }) => type.replace('response.fusion_call.', '')));
  assert.deepEqual(
    kinds,
    new Set([
      'in_progress',
      'panel.added',
      'panel.delta',
      'panel.completed',
      'analysis.in_progress',
      'analysis.completed',
      'completed',
    ]),
  );
  const written = seen.filter(({ type, model }) => type.endsWith('panel.delta') && model === 'globex/one');
  assert.equal(written.map(({ delta }) => delta).join(''), 'Yes.');
  const [began] = seen.filter(({ type }) => type.endsWith('analysis.in_progress'));
  assert.deepEqual([began?.analyst_model, began?.judge_model], ['globex/judge', 'globex/judge']);
});

const judges: readonly (readonly [string, Script])[] = [
  ['judge_not_valid_json', says('I would rather not.')],
  ['judge_schema_mismatch', says('{"consensus": "all"}')],
  ['judge_upstream_error', fails(400)],
  ['judge_empty_completion', says(' ')],
];
for (const [reason, script] of judges) {
  test(`an analyst that fails (${reason}) leaves the answers of the panel`, async () => {
    await using fused = await world({ 'globex/judge': [script] });
    const item = fusionOf(await fused.ask({ tools: [tool()] }));
    assert.deepEqual([item.responses.length, item.analysis, item.failure_reason], [2, undefined, reason]);
    const result = JSON.parse(sent(fused.upstream('acme/atlas-4'), 1).messages.at(-1)?.content ?? '');
    assert.deepEqual([result.status, 'analysis' in result], ['ok', false]);
  });
}

test('a panel that fails in part names who failed, with the status', async () => {
  await using fused = await world({ 'globex/two': [fails(500)] });
  const item = fusionOf(await fused.ask({ tools: [tool()] }));
  assert.equal(item.responses.length, 1);
  assert.deepEqual([item.failed_models[0].model, item.failed_models[0].status_code], ['globex/two', 502]);
});

const broken: readonly (readonly [string, number, number])[] = [
  ['all_panels_failed', 500, 500],
  ['rate_limited', 500, 429],
];
for (const [reason, one, two] of broken) {
  test(`a panel of which nobody answers is an error: ${reason}`, async () => {
    await using fused = await world({ 'globex/one': [fails(one)], 'globex/two': [fails(two)] });
    const body = await fused.ask({ tools: [tool()] });
    assert.deepEqual([body.status, fusionOf(body).failure_reason], ['completed', reason]);
    assert.equal(fused.upstream('globex/judge').requests.length, 0);
  });
}

test('a panel that the account cannot pay: insufficient_credits, and the model answers all the same', async () => {
  await using fused = await world({}, { billingMode: 'prepaid' });
  const { account, storage } = fused.gateway;
  // Enough for turns of ten tokens, too little for members that may write 16,000.
  await storage.ledger.append(ledgerEntry(account.id, { amount: parseUsd('0.01') }));
  const body = await fused.ask({ tools: [tool()], max_output_tokens: 10 });
  const { failure_reason, failed_models, responses } = fusionOf(body);
  assert.deepEqual([failure_reason, responses], ['insufficient_credits', undefined]);
  assert.deepEqual(
    failed_models.map(({ model, status_code }: Read) => [model, status_code]),
    panel.map((model) => [model, 402]),
  );
  assert.deepEqual([body.status, body.output.at(-1).content[0].text], ['completed', 'Well then.']);
  for (const slug of [...panel, 'globex/judge']) assert.equal(fused.upstream(slug).requests.length, 0);
});

test('models that nobody knows are invalid, and a second call is capped', async () => {
  await using fused = await world({ 'acme/atlas-4': [asks, asks, answer] });
  const body = await fused.ask({ tools: [tool({ analysis_models: ['a/b', 'c/d'] })] });
  const items = body.output.filter(({ type }: Read) => type === 'service:fusion');
  assert.deepEqual(
    items.map(({ failure_reason }: Read) => failure_reason),
    ['invalid_model', 'fusion_invocation_capped'],
  );
});

test('the panel has tools, and inner calls never get fusion', async () => {
  await using fused = await world({ 'globex/one': [calls(['service_datetime', {}]), says('Late.')] });
  const parameters = { analysis_models: ['globex/one'], tools: [{ type: 'service:datetime' }] };
  const body = await fused.ask({ tools: [tool(parameters)] });
  assert.equal(fusionOf(body).responses[0].content, 'Let me ask. Late.');
  const names = sent(fused.upstream('globex/one'), 0).tools?.map((one) => one.function.name);
  assert.deepEqual(names, ['service_datetime']);
});

const config = (panels: object) => {
  const { tools } = configOf({ models: [] });
  return { config: { tools: { ...tools, fusion: { panels } } } };
};

test("the plugin offers the tool; panels are the operator's, and members nobody has are skipped", async () => {
  const panels = { 'general-fast': { models: ['no/such', 'globex/two'], analyst: 'globex/judge' } };
  await using fused = await world({}, config(panels));
  const body = await fused.ask({ plugins: [{ id: 'fusion', preset: 'general-fast' }] });
  assert.deepEqual(fusionOf(body).responses, [{ model: 'globex/two', content: 'No.' }]);
  assert.equal(fused.upstream('globex/judge').requests.length, 1);
});

test('settings of the tool beat those of the plugin, field by field', async () => {
  await using fused = await world();
  const plugins = [{ id: 'fusion', analysis_models: ['globex/two'], model: 'globex/judge' }];
  const own = { type: 'service:fusion', parameters: { analysis_models: ['globex/one'] } };
  const body = await fused.ask({ plugins, tools: [own] });
  assert.deepEqual(
    fusionOf(body).responses.map(({ model }: Read) => model),
    ['globex/one'],
  );
  assert.equal(fused.upstream('globex/judge').requests.length, 1);
});

test('a plugin that is off offers nothing', async () => {
  await using fused = await world({ 'acme/atlas-4': [answer] });
  const body = await fused.ask({ plugins: [{ id: 'fusion', enabled: false }] });
  assert.equal(body.status, 'completed');
  assert.equal(sent(fused.upstream('acme/atlas-4'), 0).tools, undefined);
});

const refused: readonly (readonly [string, object, RegExp])[] = [
  ['a preset without a panel', { plugins: [{ id: 'fusion', preset: 'general-budget' }] }, /general-budget/],
  [
    'a panel that the catalogue lacks',
    { tools: [{ type: 'service:fusion' }] },
    /tools\.fusion\.panels\.general-high/,
  ],
  ['nine models', { tools: [tool({ analysis_models: Array(9).fill('a/b') })] }, /analysis_models/],
  [
    'a tool that a panel cannot have',
    { tools: [tool({ tools: [{ type: 'service:fusion' }] })] },
    /tools\[0\]/,
  ],
  [
    'an engine that is not there',
    {
      tools: [tool({ tools: [{ type: 'service:web_search', parameters: { engine: 'exa' } }] })],
    },
    /exa/,
  ],
];
for (const [what, body, expected] of refused) {
  test(`${what} is refused before any model is asked`, async () => {
    await using fused = await world({}, config({ 'general-high': { models: ['no/such'] } }));
    const read = await fused.ask(body);
    assert.equal(read.httpStatus, 400);
    assert.match(read.error.message, expected);
    assert.equal(fused.upstream('acme/atlas-4').requests.length, 0);
  });
}

test('operators see calls, failures, time and cost by tool', async () => {
  await using fused = await world();
  const body = await fused.ask({ tools: [tool()] });
  const metrics = await (await fused.gateway.get('/metrics')).text();
  const amountOf = (series: string) =>
    Number(
      metrics
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')[1],
    );
  assert.equal(amountOf('headgate_tool_calls_total{tool="service:fusion",outcome="ok"}'), 1);
  assert.equal(amountOf('headgate_tool_calls_total{tool="service:fusion",outcome="error"}'), 0);
  assert.equal(amountOf('headgate_tool_call_duration_seconds_count{tool="service:fusion"}'), 1);
  const cost = amountOf('headgate_tool_cost_usd_total{tool="service:fusion"}');
  assert.ok(cost > 0 && cost < body.usage.cost, `${cost} of ${body.usage.cost}`);
});
