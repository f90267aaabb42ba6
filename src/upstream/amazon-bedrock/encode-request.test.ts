import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConverseRequest } from '@aws-sdk/client-bedrock-runtime';
import { type CallChanges, createCall } from '../../../test/fake-upstream/upstream-call.ts';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import type { CanonicalChat, ContentPart, Item } from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import { amazonBedrockAdapter as adapter } from './amazon-bedrock-adapter.ts';

const hello = [{ role: 'user', content: [{ text: 'Hello there' }] }];
const claude = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';
const newest = 'anthropic.claude-opus-4-7';

function sent(
  request: Partial<CanonicalChat>,
  upstreamModel = claude,
  changes: CallChanges = {},
): JsonObject {
  const body = sentBody(adapter, { ...changes, request, endpoint: { upstreamModel, ...changes.endpoint } });
  // Every member is one of the interface.
  const known: Record<Exclude<keyof ConverseRequest, 'modelId'>, true> = {
    messages: true,
    system: true,
    inferenceConfig: true,
    toolConfig: true,
    guardrailConfig: true,
    additionalModelRequestFields: true,
    promptVariables: true,
    additionalModelResponseFieldPaths: true,
    requestMetadata: true,
    performanceConfig: true,
    serviceTier: true,
    outputConfig: true,
  };
  for (const member of Object.keys(body)) assert.ok(member in known, member);
  return body;
}

function say(role: 'system' | 'user' | 'assistant', ...content: ContentPart[]): Item {
  return { kind: 'message', role, content };
}

function text(words: string, ttl?: '5m' | '1h'): ContentPart {
  return { kind: 'text', text: words, cacheControl: ttl && { ttl } };
}

function content(...parts: ContentPart[]) {
  return sent({ items: [say('user', ...parts)] }).messages;
}

test('a plain request is one turn', () => {
  assert.deepEqual(sent({}), { messages: hello });
  const call = createCall({ endpoint: { upstreamModel: claude } });
  const wire = adapter.encode(call);
  assert.equal(wire.path, '/model/eu.anthropic.claude-sonnet-4-5-20250929-v1%3A0/converse-stream');
  assert.equal(adapter.encode({ ...call, streamed: false }).path.endsWith('/converse'), true);
});

test('text of only white space is sent as empty, without a cache point', () => {
  assert.deepEqual(content(text(' \n', '5m')), [{ role: 'user', content: [{ text: '(empty)' }] }]);
  assert.deepEqual(content(text(' ', '5m'), text('a')), [{ role: 'user', content: [{ text: 'a' }] }]);
});

test('every kind of media travels as bytes', () => {
  const data = 'AAECAw==';
  assert.deepEqual(
    content(
      text('look'),
      { kind: 'image', url: `data:image/jpeg;base64,${data}`, detail: 'auto' },
      { kind: 'file', data: `data:application/pdf;base64,${data}`, filename: 'Q1 (final)_v2.pdf' },
      { kind: 'file', data: `data:application/pdf;base64,${data}`, filename: 'Q1 (final)_v2.pdf' },
      { kind: 'file', data: 'data:application/json;base64,e30=' },
      { kind: 'video', url: `data:video/mp4;base64,${data}` },
      { kind: 'audio', data, format: 'mp3' },
    ),
    [
      {
        role: 'user',
        content: [
          { text: 'look' },
          { image: { format: 'jpeg', source: { bytes: data } } },
          { document: { format: 'pdf', name: 'Q1 (final) v2', source: { bytes: data } } },
          { document: { format: 'pdf', name: 'Q1 (final) v2 2', source: { bytes: data } } },
          { document: { format: 'txt', name: 'document', source: { bytes: 'e30=' } } },
          { video: { format: 'mp4', source: { bytes: data } } },
          { audio: { format: 'mp3', source: { bytes: data } } },
        ],
      },
    ],
  );
  const wordless = content({ kind: 'file', data: `data:application/pdf;base64,${data}` });
  assert.match(JSON.stringify(wordless), /"text":"\(see the document\)"/);
});

test('what cannot travel is refused', () => {
  const refused: ContentPart[] = [
    { kind: 'image', url: 'https://a.test/a.png', detail: 'auto' },
    { kind: 'image', url: 'data:image/tiff;base64,AA', detail: 'auto' },
    { kind: 'file', fileId: 'file_1' },
    { kind: 'video', url: 'https://a.test/a.mp4' },
  ];
  for (const part of refused) {
    assert.throws(() => content(part), { code: 'upstream_invalid_request' }, JSON.stringify(part));
  }
});

const thought: Item = {
  kind: 'reasoning',
  summary: [],
  content: ['hm'],
  signature: 'S',
  format: 'anthropic-claude-v1',
};
const redacted: Item = {
  kind: 'reasoning',
  summary: [],
  content: [],
  encrypted: 'QkxPQg==',
  format: 'anthropic-claude-v1',
};
const call: Item = {
  kind: 'call',
  form: 'function',
  callId: 'call:1',
  name: 'get_tide',
  input: '{"port":"Brest"}',
};
const output: Item = {
  kind: 'call_output',
  form: 'function',
  callId: 'call:1',
  output: [text('noon'), { kind: 'image', url: 'data:image/png;base64,AA==', detail: 'auto' }],
};

test('thoughts, calls and results go back in order; foreign thoughts do not', () => {
  const items = [say('user', text('When?')), thought, redacted, call, say('user', text('Well?')), output];
  const toolUse = { toolUseId: 'call_1', name: 'get_tide', input: { port: 'Brest' } };
  const turns = [
    { role: 'user', content: [{ text: 'When?' }] },
    {
      role: 'assistant',
      content: [
        { reasoningContent: { reasoningText: { text: 'hm', signature: 'S' } } },
        { reasoningContent: { redactedContent: 'QkxPQg==' } },
        { toolUse },
      ],
    },
    {
      role: 'user',
      content: [
        {
          toolResult: {
            toolUseId: 'call_1',
            content: [{ text: 'noon' }, { image: { format: 'png', source: { bytes: 'AA==' } } }],
          },
        },
        { text: 'Well?' },
      ],
    },
  ];
  const body = sent({ items });
  assert.deepEqual(body.messages, turns);
  // Calls need their tools declared, whether or not the request offers any.
  assert.deepEqual(body.toolConfig, {
    tools: [{ toolSpec: { name: 'get_tide', inputSchema: { json: { type: 'object', properties: {} } } } }],
  });
  const unstated = sent({ items: [{ ...thought, format: undefined }, say('assistant', text('b'))] });
  assert.ok(JSON.stringify(unstated).includes('"signature":"S"'));
  const foreign = sent(
    { items: [say('user', text('a')), thought, say('assistant', text('b'))] },
    'amazon.nova-pro-v1:0',
  );
  assert.ok(!JSON.stringify(foreign).includes('reasoningContent'));
});

test('system text stands before the turns, and inside them in its place', () => {
  const items = [
    say('system', text('Be kind.')),
    say('user', text('a')),
    say('system', text('Now be brief.')),
  ];
  const body = sent({ instructions: 'Be wise.', items });
  assert.deepEqual(body.system, [{ text: 'Be wise.' }, { text: 'Be kind.' }]);
  assert.deepEqual(body.messages, [{ role: 'user', content: [{ text: 'a' }, { text: 'Now be brief.' }] }]);
});

test('tools and the choice among them', () => {
  const parameters = { type: 'object', properties: { port: { type: 'string' } } };
  const closed = { ...parameters, additionalProperties: false };
  const tools = [{ kind: 'function', name: 'f', description: ' ', parameters, strict: true }] as const;
  const spec = { name: 'f', inputSchema: { json: parameters } };
  const choice = (toolChoice: CanonicalChat['toolChoice']) => sent({ tools, toolChoice }).toolConfig;
  assert.deepEqual(choice({ kind: 'auto' }), { tools: [{ toolSpec: spec }] });
  assert.deepEqual(choice({ kind: 'required' }), { tools: [{ toolSpec: spec }], toolChoice: { any: {} } });
  assert.deepEqual(choice({ kind: 'tool', form: 'function', name: 'f' }), {
    tools: [{ toolSpec: spec }],
    toolChoice: { tool: { name: 'f' } },
  });
  const endpoint = { supportedParameters: new Set(['tools', 'structured_outputs']) };
  const held = { toolSpec: { ...spec, inputSchema: { json: closed }, strict: true } };
  assert.deepEqual(sent({ tools }, claude, { endpoint }).toolConfig, { tools: [held] });
  const thinking = sent({ tools, toolChoice: { kind: 'required' }, reasoning: { maxTokens: 2000 } });
  assert.deepEqual(thinking.toolConfig, { tools: [{ toolSpec: spec }] });
  assert.throws(() => sent({ tools: [{ kind: 'custom', name: 'c' }] }), { code: 'upstream_invalid_request' });
});

test('settings have their places, and models their limits', () => {
  const sampling = { temperature: 1.5, topP: 0.5, topK: 7, stop: ['END', ' '] };
  assert.deepEqual(sent({ sampling, maxOutputTokens: 99, serviceTier: 'default' }), {
    messages: hello,
    inferenceConfig: { maxTokens: 99, topP: 0.5, stopSequences: ['END'] },
    additionalModelRequestFields: { top_k: 7 },
    serviceTier: { type: 'default' },
  });
  assert.deepEqual(sent({ sampling }, newest).inferenceConfig, { stopSequences: ['END'] });
  const both = { sampling: { temperature: 0.5, topP: 0.5 } };
  assert.deepEqual(sent(both).inferenceConfig, { temperature: 0.5 });
  assert.deepEqual(sent(both, 'anthropic.claude-sonnet-4-20250514-v1:0').inferenceConfig, both.sampling);
  assert.deepEqual(sent(both, 'amazon.nova-pro-v1:0').inferenceConfig, both.sampling);
  const betas = { anthropic: ['one'] };
  const fields = (model: string) => sent({ sampling, betas }, model).additionalModelRequestFields;
  assert.deepEqual(fields('anthropic.claude-sonnet-4-20250514-v1:0'), { top_k: 7, anthropic_beta: ['one'] });
  assert.deepEqual(fields('amazon.nova-pro-v1:0'), { inferenceConfig: { topK: 7 } });
  assert.deepEqual(fields('cohere.command-r-v1:0'), { k: 7 });
  assert.equal(fields('meta.llama4-scout-17b-instruct-v1:0'), undefined);
});

test('the endpoint’s tier and the operator’s guardrail go along', () => {
  const guardrailConfig = { guardrailIdentifier: 'g', guardrailVersion: '1' };
  const changes: CallChanges = { provider: { quirks: { guardrailConfig } }, endpoint: { tier: 'priority' } };
  const body = sent({ serviceTier: 'default' }, claude, changes);
  assert.deepEqual(body.guardrailConfig, guardrailConfig);
  assert.deepEqual(body.serviceTier, { type: 'priority' });
});

test('a turn that another model began with calls goes on without a budget', () => {
  const turn: Item[] = [
    say('user', text('How high?')),
    { kind: 'call', form: 'function', callId: 'a', name: 'tide', input: '{}' },
    { kind: 'call_output', form: 'function', callId: 'a', output: [text('3 m')] },
  ];
  const thinking = (items: Item[], model = claude) => {
    const { additionalModelRequestFields } = sent({ items, reasoning: { maxTokens: 2000 } }, model);
    return (additionalModelRequestFields as JsonObject).thinking;
  };
  assert.deepEqual(thinking(turn), { type: 'disabled' });
  assert.deepEqual(thinking(turn, 'anthropic.claude-opus-4-6'), { type: 'adaptive', display: 'summarized' });
  const over = [...turn, say('assistant', text('3 m')), say('user', text('Sure?'))];
  assert.deepEqual(thinking(over), { type: 'enabled', budget_tokens: 2000 });
});

test('reasoning is asked for in the words of the model’s maker', () => {
  const reasoning = (control: CanonicalChat['reasoning'], model = claude) => {
    const { inferenceConfig, additionalModelRequestFields, outputConfig } = sent(
      { reasoning: control },
      model,
    );
    return { inferenceConfig, additionalModelRequestFields, outputConfig };
  };
  assert.deepEqual(reasoning({ maxTokens: 2000 }), {
    inferenceConfig: { maxTokens: 6096 },
    additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 2000 } },
    outputConfig: undefined,
  });
  assert.deepEqual(reasoning({ effort: 'minimal' }, newest), {
    inferenceConfig: undefined,
    additionalModelRequestFields: { thinking: { type: 'adaptive', display: 'summarized' } },
    outputConfig: { effort: 'low' },
  });
  const fields = (effort: 'none' | 'high' | 'max', model: string) =>
    reasoning({ effort }, model).additionalModelRequestFields;
  assert.deepEqual(fields('none', claude), { thinking: { type: 'disabled' } });
  assert.deepEqual(fields('max', 'us.amazon.nova-2-lite-v1:0'), {
    reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' },
  });
  assert.equal(fields('high', 'us.amazon.nova-pro-v1:0'), undefined);
  const { inferenceConfig, additionalModelRequestFields } = sent(
    { reasoning: { effort: 'high' }, maxOutputTokens: 500 },
    'amazon.nova-2-lite-v1:0',
  );
  assert.deepEqual(inferenceConfig, { maxTokens: 500 });
  assert.deepEqual(additionalModelRequestFields, {
    reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
  });
  assert.deepEqual(fields('high', 'openai.gpt-oss-120b-1:0'), { reasoning_effort: 'high' });
  assert.equal(fields('high', 'deepseek.r1-v1:0'), undefined);
  assert.throws(() => sent({ reasoning: { maxTokens: 2000 }, maxOutputTokens: 2000 }), {
    code: 'unprocessable',
  });
});

test('a schema is given as text, closed as the service wants it', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const { outputConfig } = sent({ format: { kind: 'json_schema', name: 'n', description: 'd', schema } });
  assert.deepEqual(outputConfig, {
    textFormat: {
      type: 'json_schema',
      structure: {
        jsonSchema: {
          name: 'n',
          description: 'd',
          schema: JSON.stringify({ ...schema, additionalProperties: false }),
        },
      },
    },
  });
});

test('cache points follow what they end, the last four at most', () => {
  const items = [
    say('system', text('s', '1h')),
    say('user', text('a', '5m'), text('b', '5m')),
    call,
    { ...output, output: [text('noon', '5m')] } as Item,
    say('user', text('go')),
  ];
  const point = { cachePoint: { type: 'default' } };
  const long = { cachePoint: { type: 'default', ttl: '1h' } };
  const body = sent({ items, cacheControl: { ttl: '5m' } });
  assert.deepEqual(body.system, [{ text: 's' }]);
  assert.deepEqual(body.messages, [
    { role: 'user', content: [{ text: 'a' }, point, { text: 'b' }, point] },
    {
      role: 'assistant',
      content: [{ toolUse: { toolUseId: 'call_1', name: 'get_tide', input: { port: 'Brest' } } }],
    },
    {
      role: 'user',
      content: [
        { toolResult: { toolUseId: 'call_1', content: [{ text: 'noon' }] } },
        point,
        { text: 'go' },
        point,
      ],
    },
  ]);
  const short = sent({
    items: [say('system', text('s', '1h')), say('user', text('a'))],
    cacheControl: { ttl: '1h' },
  });
  assert.deepEqual(
    [short.system, short.messages],
    [[{ text: 's' }, long], [{ role: 'user', content: [{ text: 'a' }, long] }]],
  );
  const raised = sent({
    items: [say('system', text('s', '5m')), say('user', text('a', '1h'), text('b', '5m'))],
  });
  assert.deepEqual(
    [raised.system, raised.messages],
    [[{ text: 's' }, long], [{ role: 'user', content: [{ text: 'a' }, long, { text: 'b' }, point] }]],
  );
  const other = sent({ items, cacheControl: { ttl: '5m' } }, 'meta.llama4-scout-17b-instruct-v1:0');
  assert.ok(!JSON.stringify(other).includes('cachePoint'));
});

test("the user begins: with a placeholder before a model's first turn, with system text in an empty conversation", () => {
  assert.deepEqual(sent({ items: [say('assistant', text('Ahoy')), say('user', text('When?'))] }).messages, [
    { role: 'user', content: [{ text: '(the assistant begins)' }] },
    { role: 'assistant', content: [{ text: 'Ahoy' }] },
    { role: 'user', content: [{ text: 'When?' }] },
  ]);
  const { system, messages } = sent({ items: [say('system', text('Write a poem.'))] });
  assert.equal(system, undefined);
  assert.deepEqual(messages, [{ role: 'user', content: [{ text: 'Write a poem.' }] }]);
});

test('models that always think, or cannot be forced to call, are not asked otherwise', () => {
  const tools = [{ kind: 'function', name: 'tide' }] as const;
  const asked = (upstreamModel: string) => {
    const { additionalModelRequestFields, outputConfig, toolConfig } = sent(
      { reasoning: { effort: 'none' }, tools, toolChoice: { kind: 'required' } },
      upstreamModel,
    );
    return [additionalModelRequestFields, outputConfig, (toolConfig as JsonObject).toolChoice];
  };
  assert.deepEqual(asked(newest), [{ thinking: { type: 'disabled' } }, undefined, { any: {} }]);
  assert.deepEqual(asked('us.anthropic.claude-opus-5-5'), [undefined, { effort: 'low' }, undefined]);
  assert.deepEqual(asked('anthropic.claude-sonnet-5-5'), [
    { thinking: { type: 'between_tools' } },
    undefined,
    undefined,
  ]);
});
