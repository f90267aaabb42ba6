import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat, Item, ReasoningControl } from '../../core/request.ts';
import type { Adapter } from '../adapter.ts';
import { anthropicMessagesAdapter as adapter, vertexMessagesAdapter } from './anthropic-messages-adapter.ts';

function sent(reasoning: ReasoningControl, changes: CallChanges = {}) {
  const body = sentBody(adapter, { ...changes, request: { reasoning, ...changes.request } });
  const { max_tokens, thinking, output_config } = body;
  return { max_tokens, thinking, output_config };
}

const withLimit = (maxOutputTokens: number) => ({ request: { maxOutputTokens } });

test('an effort becomes its share of the output limit', () => {
  assert.deepEqual(sent({ effort: 'high' }, withLimit(10_000)), {
    max_tokens: 10_000,
    thinking: { type: 'enabled', budget_tokens: 8_000 },
    output_config: undefined,
  });
  assert.deepEqual(sent({ effort: 'max' }, withLimit(200_000)).thinking, {
    type: 'enabled',
    budget_tokens: 128_000,
  });
});

test('a budget wins over an effort', () => {
  const { thinking } = sent({ effort: 'low', maxTokens: 3_000 }, withLimit(10_000));
  assert.deepEqual(thinking, { type: 'enabled', budget_tokens: 3_000 });
});

test('reasoning can be turned off, hidden, or left to the provider', () => {
  assert.deepEqual(sent({ effort: 'none' }).thinking, { type: 'disabled' });
  assert.equal(sent({ summary: 'auto' }).thinking, undefined);
  assert.deepEqual(sent({ effort: 'low', exclude: true }, withLimit(10_000)).thinking, {
    type: 'enabled',
    budget_tokens: 2_000,
    display: 'omitted',
  });
});

test('a default output limit makes room for the budget', () => {
  assert.equal(sent({ maxTokens: 8_000 }).max_tokens, 12_096);
  const endpoint = { maxCompletionTokens: 10_000 };
  assert.equal(sent({ maxTokens: 20_000 }, { endpoint: { maxCompletionTokens: 22_000 } }).max_tokens, 22_000);
  assert.equal(sent({ maxTokens: 8_000 }, { endpoint }).max_tokens, 10_000);
  assert.throws(() => sent({ maxTokens: 10_000 }, { endpoint }), { code: 'unprocessable' });
});

test('an output limit of the caller that leaves no room is a contradiction', () => {
  for (const [control, limit] of [
    [{ maxTokens: 2_000 }, 2_000],
    [{ effort: 'low' }, 1_000],
  ] as const) {
    assert.throws(() => sent(control, withLimit(limit)), {
      code: 'unprocessable',
      message: /max_output_tokens .* reasoning\.max_tokens/,
    });
  }
});

test('a model without budgets gets an effort', () => {
  const model = { reasoning: { mandatory: false, supportsMaxTokens: false } };
  const adaptive = { type: 'adaptive', display: 'summarized' };
  assert.deepEqual(sent({ effort: 'xhigh' }, { model }), {
    max_tokens: 4096,
    thinking: adaptive,
    output_config: { effort: 'xhigh' },
  });
  assert.deepEqual(sent({ effort: 'minimal' }, { model }).output_config, { effort: 'low' });
  assert.deepEqual(sent({ maxTokens: 2_000 }, { model }).output_config, { effort: 'medium' });
  assert.deepEqual(sent({ effort: 'low', exclude: true }, { model }).thinking, {
    type: 'adaptive',
    display: 'omitted',
  });
  assert.deepEqual(sent({ effort: 'none' }, { model }).thinking, { type: 'disabled' });
  assert.equal(sent({ summary: 'auto' }, { model }).thinking, undefined);
});

test('a model known to take no budget gets none, whatever is stated of it', () => {
  const model = { reasoning: { mandatory: false, supportsMaxTokens: true } };
  const endpoint = { upstreamModel: 'claude-opus-4-7', maxCompletionTokens: 128_000 };
  for (const control of [{ effort: 'high' }, { maxTokens: 100_000 }] as const) {
    assert.deepEqual(sent(control, { model, endpoint }), {
      max_tokens: 128_000,
      thinking: { type: 'adaptive', display: 'summarized' },
      output_config: { effort: 'high' },
    });
  }
});

test('reasoning is turned off in the words of the model, or as far as it goes', () => {
  const off = (upstreamModel: string) => sent({ effort: 'none' }, { endpoint: { upstreamModel } });
  const disabled = { max_tokens: 4096, thinking: { type: 'disabled' }, output_config: undefined };
  for (const name of ['claude-sonnet-4-5', 'claude-opus-4-6', 'claude-opus-4-7', 'claude-haiku-5-5']) {
    assert.deepEqual(off(name), disabled, name);
  }
  assert.deepEqual(off('claude-sonnet-5-5').thinking, { type: 'between_tools' });
  for (const name of ['claude-opus-5-5', 'claude-fable-5']) {
    assert.deepEqual(
      off(name),
      { max_tokens: 4096, thinking: undefined, output_config: { effort: 'low' } },
      name,
    );
  }
});

test('thoughts that no longer fit their conversation are left out by the provider instead of refused', () => {
  const wire = (upstreamModel: string, request: Partial<CanonicalChat>, maker: Adapter = adapter) => {
    const encoded = maker.encode(createCall({ request, endpoint: { upstreamModel } }));
    const { thinking } = JSON.parse(JSON.stringify(encoded.body));
    return { thinking, betas: encoded.listHeaders?.['anthropic-beta'] };
  };
  const items = [question, thought, ...looked('a')];
  const betas = ['thinking-binding-controls-2026-08-01'];
  const block_binding = { prefix_mismatch_behavior: 'drop_block' };
  assert.deepEqual(wire('claude-opus-5-5', { items }), {
    thinking: { type: 'adaptive', block_binding },
    betas,
  });
  assert.deepEqual(wire('claude-fable-5-1', { items, reasoning: { effort: 'high' } }), {
    thinking: { type: 'adaptive', display: 'summarized', block_binding },
    betas,
  });
  // Older models, conversations without thoughts, models that do not think first, and other hosts do not get the
  // beta.
  assert.deepEqual(wire('claude-opus-5', { items }), { thinking: undefined, betas: [] });
  assert.deepEqual(wire('claude-opus-5-5', { items: [question] }), { thinking: undefined, betas: [] });
  assert.deepEqual(wire('claude-sonnet-5-5', { items, reasoning: { effort: 'none' } }), {
    thinking: { type: 'between_tools' },
    betas: [],
  });
  assert.deepEqual(wire('claude-opus-5-5', { items }, vertexMessagesAdapter).betas, []);
});

test('an effort and a schema go together', () => {
  const changes: CallChanges = {
    model: { reasoning: { mandatory: false, supportsMaxTokens: false } },
    request: { format: { kind: 'json_schema', name: 'n', schema: { type: 'object' } } },
  };
  assert.deepEqual(sent({ effort: 'high' }, changes).output_config, {
    format: { type: 'json_schema', schema: { type: 'object', additionalProperties: false } },
    effort: 'high',
  });
});

test('a model that thinks gets no samplers it would refuse', () => {
  const samplers = (topP: number) => {
    const request = { reasoning: { maxTokens: 1024 }, sampling: { temperature: 0.5, topK: 3, topP } };
    const { temperature, top_k, top_p } = sentBody(adapter, { request });
    return { temperature, top_k, top_p };
  };
  assert.deepEqual(samplers(0.97), { temperature: undefined, top_k: undefined, top_p: 0.97 });
  assert.deepEqual(samplers(0.5), { temperature: undefined, top_k: undefined, top_p: undefined });
});

const question: Item = { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'How high?' }] };
const said: Item = { kind: 'message', role: 'assistant', content: [{ kind: 'text', text: '3 m' }] };
const seal = { signature: 'c2ln', format: 'anthropic-claude-v1' } as const;
const thought: Item = { kind: 'reasoning', summary: [], content: ['Look it up.'], ...seal };
const foreign: Item = { ...thought, signature: undefined, encrypted: 'AAAA', format: 'openai-responses-v1' };
const looked = (callId: string): Item[] => [
  { kind: 'call', form: 'function', callId, name: 'tide', input: '{}' },
  { kind: 'call_output', form: 'function', callId, output: [{ kind: 'text', text: '3 m' }] },
];
const [asked = question] = looked('z');

const begunByOthers: readonly (readonly [string, readonly Item[]])[] = [
  ['calls without a thought', [question, ...looked('a'), ...looked('b')]],
  ['calls after a thought nobody here can read', [question, foreign, ...looked('a')]],
  ['calls without a thought after a turn with one', [question, thought, said, question, ...looked('a')]],
  ['an unanswered call', [question, asked]],
];

for (const [name, items] of begunByOthers) {
  test(`a turn that began with ${name} goes on without a budget`, () => {
    const changes = { request: { items, maxOutputTokens: 10_000 } };
    for (const control of [{ effort: 'high' }, { maxTokens: 2_000 }] as const) {
      assert.deepEqual(sent(control, changes).thinking, { type: 'disabled' });
    }
    const adaptive = { ...changes, endpoint: { upstreamModel: 'claude-opus-4-6' } };
    assert.deepEqual(sent({ maxTokens: 2_000 }, adaptive).thinking, {
      type: 'adaptive',
      display: 'summarized',
    });
  });
}

const begunHere: readonly (readonly [string, readonly Item[]])[] = [
  ['began with a thought', [question, thought, ...looked('a'), ...looked('b')]],
  ['is over', [question, ...looked('a'), said, question]],
  ['has not begun', [question]],
];

for (const [name, items] of begunHere) {
  test(`a budget is sent where the turn ${name}`, () => {
    const { thinking } = sent({ maxTokens: 2_000 }, { request: { items, maxOutputTokens: 10_000 } });
    assert.deepEqual(thinking, { type: 'enabled', budget_tokens: 2_000 });
  });
}

test('a call can be forced again where the model does not think', () => {
  const request = {
    items: [question, ...looked('a')],
    reasoning: { maxTokens: 2_000 },
    maxOutputTokens: 10_000,
    tools: [{ kind: 'function', name: 'tide', parameters: {} }],
    toolChoice: { kind: 'required' },
    sampling: { temperature: 0.5 },
  } as const;
  const { tool_choice, temperature } = sentBody(adapter, { request });
  assert.deepEqual([tool_choice, temperature], [{ type: 'any' }, 0.5]);
});
