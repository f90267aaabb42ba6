import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { parseStream } from '../support/read-stream.ts';
import { readBooks } from './support/books.ts';
import { type GatewayProcess, startGateway } from './support/gateway-process.ts';
import { type RealModel, startRealModel } from './support/real-model.ts';

// A panel of a real, very small model: what it says is of no use, but that it says it is real.

let model: RealModel;
let gateway: GatewayProcess;

before(async () => {
  model = await startRealModel();
  const row = (name: string) =>
    `  - { id: real/${name}, endpoints: [{ provider: local, model: gemma-3-270m, price: { input: 1, output: 2 } }] }`;
  gateway = await startGateway({
    config: `providers:
  local: { adapter: openai-chat, base_url: ${model.url}/v1 }
models:
${['judge', 'one', 'two'].map(row).join('\n')}
tools:
  fusion: { panels: { general-high: { models: [real/one, real/two], analyst: real/judge } } }
`,
  });
});
after(async () => {
  await model[Symbol.asyncDispose]();
  await gateway[Symbol.asyncDispose]();
});

const asked = {
  model: 'service/fusion',
  input: 'Which is bigger, a cat or a house?',
  tools: [{ type: 'service:fusion', parameters: { tools: [], max_completion_tokens: 24 } }],
  // So small a model would not think of asking others, nor of an end.
  tool_choice: 'required',
  max_tool_calls: 1,
  temperature: 0,
  max_output_tokens: 48,
};

for (const stream of [false, true]) {
  test(`a panel of a real model is asked and compared${stream ? ', streamed' : ''}`, async () => {
    const before = (await readBooks(gateway.directory)).length;
    const response = await gateway.post({ ...asked, stream });
    const text = await response.text();
    assert.equal(response.status, 200, text);
    const { events, terminal } = stream ? parseStream(text) : { events: [], terminal: JSON.parse(text) };
    // biome-ignore lint/suspicious/noExplicitAny: bodies of the wire.
    const { output, usage, model: answering } = terminal as any;
    assert.equal(answering, 'real/judge');
    const item = output.find(({ type }: { type: string }) => type === 'service:fusion');
    assert.deepEqual(
      item.responses.map(({ model: member }: { model: string }) => member),
      ['real/one', 'real/two'],
    );
    for (const { content } of item.responses) assert.ok(content.trim().length > 0, JSON.stringify(item));
    // What it compares badly is left out and said.
    assert.ok(item.analysis !== undefined || /^judge_/.test(item.failure_reason), JSON.stringify(item));
    if (stream) {
      const panel = events.filter(({ type }) => type === 'response.fusion_call.panel.completed');
      assert.equal(panel.length, 2);
    }
    // The turns of the request, each member and the analysis, each paid for as the model counted it.
    const calls = (await readBooks(gateway.directory)).slice(before);
    const inner = calls.filter(({ requestedModel }) => requestedModel !== 'service/fusion');
    assert.deepEqual(inner.map(({ requestedModel }) => requestedModel).sort(), [
      'real/judge',
      'real/one',
      'real/two',
    ]);
    assert.ok(calls.length - inner.length >= 2, 'at least the call of the panel and the answer');
    const cost = calls.reduce((sum, call) => sum + call.cost, 0);
    assert.ok(calls.every((call) => call.cost > 0));
    assert.equal(Math.round(usage.cost * 1e9), cost);
  });
}
