import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkPatch, type Patch } from '../../src/server-tools/apply-patch/apply-patch-tool.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, type Script, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway } from '../support/gateway.ts';
import { callStream } from '../turns/second-opinion.ts';

const answer: Script = { steps: chatStream('Well', ' then.') };
const advice: Script = { steps: chatStream('Ask', ' again.') };
const calls = (...list: (readonly [name: string, input: object])[]): Script => ({
  steps: callStream(...list.map(([name, input]) => [name, JSON.stringify(input)] as const)),
});

async function start(big: readonly Script[], small: readonly Script[] = [advice]) {
  const [first, second] = [await startFakeUpstream(...big), await startFakeUpstream(...small)];
  const gateway = await startGateway({
    models: [
      modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: `${first.url}/v1` })]),
      modelOf('globex/small', [providerOf({ slug: 'south', baseUrl: `${second.url}/v1` })]),
    ],
  });
  return {
    gateway,
    big: first,
    small: second,
    // biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
    async ask(body: object): Promise<any> {
      const response = await gateway.post({ model: 'acme/atlas-4', input: 'Shall I?', ...body });
      const read = await response.json();
      if (response.status === 200) checkContract('OpenResponsesResult', read);
      return { status: response.status, ...(read as object) };
    },
    async [Symbol.asyncDispose]() {
      assert.deepEqual(await gateway.storage.ledger.verify(), []);
      await gateway.stop();
      await first.close();
      await second.close();
    },
  };
}

interface SentBody {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

function sent({ requests }: FakeUpstream, place: number): SentBody {
  const request = requests[place];
  assert.ok(request);
  return request.body as SentBody;
}
const textsOf = ({ messages }: SentBody) => messages.map(({ role, content }) => `${role}: ${content}`);
const advisor = (parameters: object) => ({
  type: 'service:advisor',
  parameters: { model: 'globex/small', ...parameters },
});

test('an advisor is asked, remembers within the request, and is charged', async () => {
  const ask = (prompt: string) => calls(['service_advisor', { prompt }]);
  await using world = await start([ask('One?'), ask('Two?'), answer]);
  const body = await world.ask({ tools: [advisor({ instructions: 'Be brief.' })] });
  const items = body.output.filter(({ type }: { type: string }) => type === 'service:advisor');
  assert.deepEqual(
    items.map(({ prompt, advice: said, model, instance_name }: Record<string, unknown>) => [
      prompt,
      said,
      model,
      instance_name,
    ]),
    [
      ['One?', 'Ask again.', 'globex/small', undefined],
      ['Two?', 'Ask again.', 'globex/small', undefined],
    ],
  );
  assert.deepEqual(textsOf(sent(world.small, 1)), [
    'system: Be brief.',
    'user: One?',
    'assistant: Ask again.',
    'user: Two?',
  ]);
  assert.equal(sent(world.small, 1).tools, undefined);
  assert.ok(body.usage.input_tokens > 40);
});

test('two named advisors are two functions with memories of their own, also of replayed items', async () => {
  await using world = await start([
    calls(['service_advisor', { prompt: 'A?' }], ['service_advisor__1', { prompt: 'B?' }]),
    answer,
  ]);
  const replayed = {
    type: 'service:advisor',
    status: 'completed',
    prompt: 'Before?',
    advice: 'No.',
    instance_name: 'second',
  };
  const body = await world.ask({
    tools: [advisor({ name: 'first' }), advisor({ name: 'second' })],
    input: [{ role: 'user', content: 'Go.' }, replayed, { role: 'user', content: 'On.' }],
  });
  const names = body.output.flatMap(({ instance_name }: { instance_name?: string }) => instance_name ?? []);
  assert.deepEqual(names, ['first', 'second']);
  const asked = [0, 1].map((place) => textsOf(sent(world.small, place)).join('; ')).sort();
  assert.deepEqual(asked, ['user: A?', 'user: Before?; assistant: No.; user: B?']);
});

test('an advisor that hears the conversation gets it in words', async () => {
  await using world = await start([calls(['service_advisor', {}]), answer]);
  await world.ask({ tools: [advisor({ forward_transcript: true })] });
  assert.deepEqual(textsOf(sent(world.small, 0)), ['user: Shall I?']);
});

test('an advisor that fails is a failed item and a result', async () => {
  await using world = await start(
    [calls(['service_advisor', { prompt: 'One?' }]), answer],
    [{ status: 500, whole: '{}' }],
  );
  const body = await world.ask({ tools: [advisor({})] });
  assert.equal(body.status, 'completed');
  assert.deepEqual([body.output[1].status, body.output[1].prompt], ['failed', 'One?']);
  assert.ok(body.output[1].error);
});

const refused: readonly (readonly [string, readonly object[]])[] = [
  ['two advisors without a name', [advisor({}), advisor({})]],
  ['two advisors of one name', [advisor({ name: 'a' }), advisor({ name: ' a ' })]],
  ['a name of other letters', [advisor({ name: 'a/b' })]],
  ['a temperature out of bounds', [advisor({ temperature: 3 })]],
  [
    'a worker with functions',
    [{ type: 'service:subagent', parameters: { tools: [{ type: 'function', name: 'f' }] } }],
  ],
  [
    'a worker with workers',
    [{ type: 'service:subagent', parameters: { tools: [{ type: 'service:subagent' }] } }],
  ],
  ['a worker with 26 calls', [{ type: 'service:subagent', parameters: { max_tool_calls: 26 } }]],
];
for (const [what, tools] of refused) {
  test(`${what} is refused`, async () => {
    await using world = await start([answer]);
    assert.equal((await world.ask({ tools })).status, 400);
    assert.equal(world.big.requests.length, 0);
  });
}

test('a worker does its task with tools of its own and knows nothing else', async () => {
  const task = { task_name: 'clock', task_description: 'Tell the time.' };
  await using world = await start(
    [calls(['service_subagent', task]), answer],
    [calls(['service_datetime', {}]), advice],
  );
  const parameters = { model: 'globex/small', tools: [{ type: 'service:datetime' }], max_tool_calls: 3 };
  const body = await world.ask({ tools: [{ type: 'service:subagent', parameters }] });
  const [, item] = body.output;
  assert.deepEqual([item.type, item.task_name, item.model], ['service:subagent', 'clock', 'globex/small']);
  assert.match(item.outcome, /Ask again\./);
  assert.equal(item.call_id, 'call_0');
  assert.deepEqual(textsOf(sent(world.small, 0)), ['user: Tell the time.']);
  assert.deepEqual(
    sent(world.small, 0).tools?.map((tool) => tool.function.name),
    ['service_datetime'],
  );
  assert.equal(
    body.usage.server_tool_use_details.tool_calls_executed,
    1,
    'only calls of the outer model count',
  );
});

test('models are found by words, and only those the key may use', async () => {
  await using world = await start([
    calls(['service_experimental__search_models', { query: 'SMALL' }]),
    answer,
  ]);
  const body = await world.ask({ tools: [{ type: 'service:search_models' }] });
  assert.equal(body.output[1].type, 'service:experimental__search_models');
  const result = JSON.parse(sent(world.big, 1).messages.at(-1)?.content ?? '');
  assert.deepEqual([result.models[0].id, result.total_results, result.showing], ['globex/small', 1, 1]);
});

test('an invalid patch is told to the model; the corrected one ends the answer', async () => {
  const patch = { type: 'update_file', path: 'a.txt', diff: '@@\n-old\n+new\n' };
  await using world = await start([
    calls(['service_apply_patch', { ...patch, diff: '@@\nstray\n+new\n' }]),
    calls(['service_apply_patch', patch]),
    answer,
  ]);
  const body = await world.ask({ tools: [{ type: 'service:apply_patch' }] });
  assert.equal(world.big.requests.length, 2);
  assert.match(sent(world.big, 1).messages.at(-1)?.content ?? '', /line 2/);
  const patches = body.output.filter(({ type }: { type: string }) => type === 'service:apply_patch');
  assert.deepEqual(
    patches.map(({ operation }: { operation: unknown }) => operation),
    [patch],
  );
  assert.equal(body.usage.server_tool_use_details.tool_calls_executed, 2);
});

const patches: readonly (readonly [Patch, RegExp | undefined])[] = [
  [{ type: 'create_file', path: '/a', diff: '+one\n+two' }, undefined],
  [{ type: 'create_file', path: 'a', diff: '@@\n+one\n' }, undefined],
  [{ type: 'create_file', path: 'a', diff: '+one\ntwo' }, /line 2/],
  [{ type: 'create_file', path: 'a' }, /required/],
  [{ type: 'delete_file', path: 'a' }, undefined],
  [{ type: 'delete_file', path: 'a', diff: '-x' }, /none/],
  [{ type: 'update_file', path: 'a', diff: '@@ def f\n x\n-a\n+b\n\n@@\n+c\n*** End of File' }, undefined],
  [{ type: 'update_file', path: 'a', diff: ' x\n-a' }, /line 1/],
  [{ type: 'update_file', path: 'a', diff: '@@\n x' }, /nothing/],
  [{ type: 'update_file', path: 'a', diff: '@@\n+x\n*** Begin Patch' }, /line 3/],
  [{ type: 'update_file', path: 'a', diff: '@@\n+x\n*** End of File\n+y' }, /line 4/],
  [{ type: 'update_file', path: '', diff: '@@\n+x' }, /path/],
  [{ type: 'update_file', path: 'a\nb', diff: '@@\n+x' }, /path/],
];
for (const [patch, expected] of patches) {
  test(`patch ${JSON.stringify(patch)}`, () => {
    const problem = checkPatch(patch);
    if (expected === undefined) assert.equal(problem, undefined);
    else assert.match(problem ?? '', expected);
  });
}
