import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { failureOf, listen, textOf } from '../../../test/fake-upstream/collect.ts';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import type { Delta } from '../../core/delta.ts';
import type { CanonicalChat, Item } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import { createSandboxUpstream } from './sandbox-upstream.ts';

/** Waits that would have been, in milliseconds. */
const waits: number[] = [];
const upstream = createSandboxUpstream(async (milliseconds) => waits.push(milliseconds));

function callOf(upstreamModel: string, request: Partial<CanonicalChat> = {}, changes: CallChanges = {}) {
  return createCall({ provider: { name: 'Sandbox' }, ...changes, endpoint: { upstreamModel }, request });
}

async function answer(model: string, request: Partial<CanonicalChat> = {}): Promise<Delta[]> {
  const { deltas, thrown } = await listen(upstream, callOf(model, request));
  assert.equal(thrown, undefined);
  return deltas;
}

function user(text: string): Item {
  return { kind: 'message', role: 'user', content: [{ kind: 'text', text }] };
}

function argumentsOf(deltas: readonly Delta[]): string {
  return deltas.map((delta) => (delta.kind === 'arguments' ? delta.text : '')).join('');
}

function finishOf(deltas: readonly Delta[]): string | undefined {
  return deltas.find((delta) => delta.kind === 'finish')?.reason;
}

test('echo repeats the last user text word by word, and identifies itself', async () => {
  const text = 'Füße  und\n漢字 😀 ';
  const deltas = await answer('echo', { instructions: 'Be brief.', items: [user('first'), user(text)] });
  assert.equal(textOf(deltas), `[sandbox] ${text}`);
  assert.equal(deltas.filter((delta) => delta.kind === 'text').length, 5);
  assert.deepEqual(deltas[0], { kind: 'start' });
  assert.deepEqual(deltas.slice(-2), [
    { kind: 'usage', usage: { uncachedInput: 7, output: 5, reasoning: 0 } },
    { kind: 'finish', reason: 'stop' },
  ]);
});

test('every kind of item and tool is taken; what a tool did counts as the words of its data', async () => {
  const items: Item[] = [
    { kind: 'hosted', type: 'shell_call', fields: { call_id: 'c', action: { commands: ['ls -l'] } } },
    { kind: 'service', type: 'service:datetime', fields: { timezone: 'Europe/Paris' } },
    { kind: 'agent_message', author: 'a', recipient: 'b', content: [{ kind: 'text', text: 'two words' }] },
    { kind: 'additional_tools', tools: [] },
    { kind: 'configuration_update', effort: 'low' },
    { kind: 'compaction', type: 'compaction', encrypted: 'blob' },
    user('last'),
  ];
  const tools = [{ kind: 'hosted', tool: 'shell', type: 'shell', settings: {} } as const];
  const deltas = await answer('echo', { items, tools });
  assert.equal(textOf(deltas), '[sandbox] last');
  const usage = deltas.find((delta) => delta.kind === 'usage')?.usage;
  assert.equal(usage?.uncachedInput, 6);
  assert.match(textOf(await answer('tools', { tools })), /There was no tool to call/);
});

test('the support table is the same for every model, and refuses what others would run', () => {
  const { provider } = callOf('echo').endpoint;
  const support = upstream.support(provider, 'echo');
  assert.equal(support, upstream.support(provider, 'tools'));
  assert.equal(support['tool.web_search'], 'refused');
  assert.equal(support['tool.custom'], 'native');
});

test('echo has words even where the user had none', async () => {
  assert.match(textOf(await answer('echo', { items: [] })), /^\[sandbox\] There was no text/);
});

test('the output limit ends an answer as length', async () => {
  const deltas = await answer('echo', { maxOutputTokens: 2, items: [user('a b c')] });
  assert.equal(textOf(deltas), '[sandbox] a ');
  assert.equal(finishOf(deltas), 'length');
});

test('lorem writes exactly as many words as allowed, starting where the seed says', async () => {
  const deltas = await answer('lorem', { maxOutputTokens: 500 });
  assert.equal(textOf(deltas).split(' ').length, 500);
  assert.equal(finishOf(deltas), 'stop');
  const seeded = (seed: number) => answer('lorem', { maxOutputTokens: 5, sampling: { seed } });
  assert.deepEqual(await seeded(3), await seeded(3));
  assert.notDeepEqual(await seeded(3), await seeded(4));
});

test('reason thinks before it echoes, unless thinking is off', async () => {
  const deltas = await answer('reason');
  const thinking = deltas.filter((delta) => delta.kind === 'thinking');
  assert.match(thinking.map((delta) => delta.text).join(''), /^\[sandbox\] /);
  assert.equal(textOf(deltas), '[sandbox] Hello there');
  const usage = deltas.find((delta) => delta.kind === 'usage')?.usage;
  assert.equal(usage?.reasoning, thinking.length);
  const off = await answer('reason', { reasoning: { effort: 'none' } });
  assert.ok(!off.some((delta) => delta.kind === 'thinking'));
});

const parameters = {
  type: 'object',
  properties: { port: { type: 'string' }, days: { type: 'integer', minimum: 1 } },
  required: ['port', 'days'],
};
const tide = { kind: 'function', name: 'get_tide', parameters } as const;
const patch = { kind: 'custom', name: 'patch' } as const;

test('tools calls the first function offered, and answers with its result', async () => {
  const deltas = await answer('tools', { tools: [patch, tide] });
  assert.deepEqual(
    deltas.find((delta) => delta.kind === 'call'),
    { kind: 'call', block: 2, form: 'function', name: 'get_tide', callId: 'call_sandbox_1' },
  );
  assert.deepEqual(JSON.parse(argumentsOf(deltas)), { port: 'sandbox', days: 1 });
  assert.equal(finishOf(deltas), 'tool_calls');
  const items: Item[] = [
    user('Tide?'),
    { kind: 'call', form: 'function', callId: 'c', name: 'get_tide', input: '{}' },
    { kind: 'call_output', form: 'function', callId: 'c', output: [{ kind: 'text', text: 'high' }] },
  ];
  const second = await answer('tools', { tools: [tide], items });
  assert.equal(textOf(second), '[sandbox] The tool answered: high');
  assert.equal(finishOf(second), 'stop');
});

test('tools keeps to the tool choice', async () => {
  const name = async (request: Partial<CanonicalChat>) =>
    (await answer('tools', { tools: [tide, patch], ...request })).find((delta) => delta.kind === 'call')
      ?.name;
  assert.equal(await name({ toolChoice: { kind: 'tool', form: 'custom', name: 'patch' } }), 'patch');
  assert.equal(await name({ toolChoice: { kind: 'allowed', mode: 'auto', names: ['patch'] } }), 'patch');
  assert.equal(await name({ toolChoice: { kind: 'none' } }), undefined);
  assert.equal(await name({ tools: [] }), undefined);
});

test('json fits the schema asked for, and is JSON without one', async () => {
  const format = { kind: 'json_schema', name: 'tide', schema: parameters } as const;
  assert.ok(new Ajv2020().validate(parameters, JSON.parse(textOf(await answer('json', { format })))));
  const open: JsonObject = JSON.parse(textOf(await answer('json', { format: { kind: 'json_object' } })));
  assert.deepEqual(open, { sandbox: true, echo: 'Hello there' });
});

test('a schema that asks for too much is refused', async () => {
  const schema: JsonObject = { type: 'array', minItems: 1e9 };
  const asked = {
    json: { format: { kind: 'json_schema', name: 'tides', schema } },
    tools: { tools: [{ ...tide, parameters: schema }] },
  } as const;
  for (const [model, request] of Object.entries(asked)) {
    assert.equal((await failureOf(upstream, callOf(model, request))).code, 'upstream_invalid_request', model);
  }
});

test('flaky fails as requested', async () => {
  const codes = {
    '400': 'upstream_invalid_request',
    '401': 'upstream_credential',
    '429': 'upstream_rate_limit',
    '500': 'provider_failed',
    '503': 'provider_overloaded',
    '529': 'provider_overloaded',
    timeout: 'provider_timeout',
    malformed: 'provider_failed',
    'disconnect-after-2': 'provider_failed',
  };
  for (const [word, code] of Object.entries(codes)) {
    const error = await failureOf(upstream, callOf('flaky', { items: [user(`please ${word} now`)] }));
    assert.equal(error.code, code, word);
    assert.equal(error.metadata.provider_name, 'Sandbox');
  }
  const limited = await failureOf(upstream, callOf('flaky', { items: [user('429')] }));
  assert.equal(limited.retryAfter, 1);
});

test('flaky sends nothing before a refusal, and the requested number of words before it disconnects', async () => {
  const heard = async (text: string) =>
    (await listen(upstream, callOf('flaky', { items: [user(text)] }))).deltas;
  assert.deepEqual(await heard('500'), []);
  assert.equal(textOf(await heard('disconnect-after-3')).length > 0, true);
  assert.equal(textOf(await heard('one two disconnect-after-3')), '[sandbox] one two ');
});

test('flaky is slow on request, and explains itself otherwise', async () => {
  waits.length = 0;
  assert.equal(textOf(await answer('flaky', { items: [user('be slow')] })), '[sandbox] be slow');
  assert.deepEqual(waits, [250, 250, 250]);
  assert.match(textOf(await answer('flaky')), /^\[sandbox\] Say 400/);
});

test('the pace is the provider’s: a delay before the first token, then a rate', async () => {
  const paced = (quirks: Record<string, unknown>) =>
    listen(upstream, callOf('lorem', { maxOutputTokens: 10 }, { provider: { quirks } }));
  waits.length = 0;
  assert.equal((await paced({ firstTokenDelay: 300, tokensPerSecond: 50 })).batches, 11);
  assert.deepEqual(waits, [300, ...Array(10).fill(20)]);
  waits.length = 0;
  assert.equal((await paced({ tokensPerSecond: 1000 })).batches, 3);
  assert.deepEqual(waits, [5, 5]);
  waits.length = 0;
  assert.equal((await paced({})).batches, 1);
  assert.deepEqual(waits, []);
});

test('an aborted signal ends the answer with its reason', async () => {
  const controller = new AbortController();
  const slow = createSandboxUpstream();
  const provider = { quirks: { tokensPerSecond: 0.001 } };
  const call = callOf('echo', {}, { signal: controller.signal, provider });
  const heard: Delta[] = [];
  await assert.rejects(async () => {
    for await (const batch of slow.stream(call)) {
      heard.push(...batch);
      controller.abort(new Error('gone'));
    }
  }, /gone/);
  assert.equal(textOf(heard), '[sandbox] ');
});

test('an unknown model is not found, and the body is shown on request', async () => {
  assert.equal((await failureOf(upstream, callOf('nothing'))).code, 'upstream_not_found');
  const bodies: unknown[] = [];
  await listen(upstream, callOf('echo', {}, { onBody: (body) => bodies.push(body) }));
  assert.equal(bodies.length, 1);
});
