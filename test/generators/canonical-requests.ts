import fc from 'fast-check';
import { type HostedItemType, type HostedKind, hostedKindOf } from '../../src/core/hosted.ts';
import type {
  CanonicalChat,
  ContentPart,
  CustomTool,
  FunctionTool,
  Item,
  ReasoningControl,
  Tool,
  ToolChoice,
} from '../../src/core/request.ts';

type Arbitrary<Value> = fc.Arbitrary<Value>;

const word = fc.stringMatching(/^[a-z]{1,8}$/);
const name = fc.constantFrom('find', 'run', 'shell', 'sea__tide', 'apply_patch');
const effort = fc.constantFrom('max', 'xhigh', 'high', 'medium', 'low', 'minimal', 'none');
const mark = fc.option(fc.constant({ ttl: '5m' } as const), { nil: undefined });
const kinds = [...new Set(Object.values(hostedKindOf))];
const callId = fc.constantFrom('call_1', 'call_2', 'call_3');

const part: Arbitrary<ContentPart> = fc.oneof(
  fc.record({ kind: fc.constant('text'), text: word, cacheControl: mark }),
  fc.constantFrom<ContentPart>(
    { kind: 'image', url: 'https://example.com/a.png', detail: 'auto' },
    { kind: 'image', url: 'data:image/png;base64,AA==', detail: 'low' },
    { kind: 'image', fileId: 'file_1', detail: 'high' },
    { kind: 'file', data: 'JVBERi0=', filename: 'a.pdf' },
    { kind: 'file', url: 'https://example.com/a.pdf' },
    { kind: 'file', fileId: 'file_1' },
    { kind: 'audio', data: 'AA==', format: 'wav' },
    { kind: 'video', url: 'https://example.com/a.mp4' },
    { kind: 'video', url: 'data:video/mp4;base64,AA==' },
    { kind: 'refusal', text: 'No.' },
  ),
);
const parts = fc.array(part, { maxLength: 3 });

const functionTool: Arbitrary<FunctionTool> = fc.record(
  {
    kind: fc.constant('function'),
    name,
    strict: fc.boolean(),
    async: fc.boolean(),
    parameters: fc.constant({ type: 'object' }),
  },
  { requiredKeys: ['kind', 'name'] },
);
const customTool: Arbitrary<CustomTool> = fc.record(
  {
    kind: fc.constant('custom'),
    name,
    grammar: fc.constant({ syntax: 'regex', definition: '[a-z]+' } as const),
    async: fc.boolean(),
  },
  { requiredKeys: ['kind', 'name'] },
);
const clientTool = fc.oneof(functionTool, customTool);
const hostedKind: Arbitrary<HostedKind> = fc.constantFrom(...kinds);
const tool: Arbitrary<Tool> = fc.oneof(
  { weight: 4, arbitrary: clientTool },
  fc.record({
    kind: fc.constant('namespace'),
    name: fc.constantFrom('sea', 'land'),
    description: word,
    tools: fc.uniqueArray(clientTool, { minLength: 1, maxLength: 3, selector: (member) => member.name }),
  }),
  hostedKind.map((kind): Tool => ({ kind: 'hosted', tool: kind, type: kind, settings: {} })),
);
const tools = fc.uniqueArray(tool, {
  maxLength: 4,
  selector: (entry) => (entry.kind === 'hosted' ? `hosted ${entry.tool}` : entry.name),
});

const toolChoice: Arbitrary<ToolChoice> = fc.oneof(
  fc.constantFrom<ToolChoice>({ kind: 'auto' }, { kind: 'none' }, { kind: 'required' }),
  fc.record({ kind: fc.constant('tool'), form: fc.constantFrom('function', 'custom'), name }),
  hostedKind.map((kind): ToolChoice => ({ kind: 'hosted', tool: kind, type: kind })),
  fc.record({
    kind: fc.constant('allowed'),
    mode: fc.constantFrom('auto', 'required'),
    names: fc.array(name, { maxLength: 2 }),
    hosted: fc.array(hostedKind, { maxLength: 2 }),
  }),
);

const hostedType = fc.constantFrom(...(Object.keys(hostedKindOf) as HostedItemType[]));
const fields = fc.record(
  {
    call_id: callId,
    action: fc.constantFrom({ commands: ['ls'] }, { type: 'search', query: 'q', sources: [] }),
    output: fc.constantFrom('text', [{ stdout: 'x' }], { image_url: 'https://example.com/a.png' }),
    operation: fc.constant({ type: 'delete_file', path: 'a' }),
    result: fc.constantFrom('iVBORAA', null),
  },
  { requiredKeys: [] },
);
const sealed = fc.option(word, { nil: undefined });

const item: Arbitrary<Item> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('message'),
      role: fc.constantFrom('system', 'developer', 'user', 'assistant'),
      content: parts,
      phase: fc.option(fc.constantFrom('commentary', 'final_answer'), { nil: undefined }),
    }),
  },
  fc.record({
    kind: fc.constant('reasoning'),
    summary: fc.array(word, { maxLength: 1 }),
    content: fc.array(word, { maxLength: 1 }),
    encrypted: sealed,
    signature: sealed,
    format: fc.constantFrom('unknown', 'anthropic-claude-v1', 'openai-responses-v1', undefined),
  }),
  fc.record({
    kind: fc.constant('call'),
    form: fc.constantFrom('function', 'custom'),
    callId,
    name,
    input: word,
    namespace: fc.constantFrom('sea', undefined),
  }),
  fc.record({
    kind: fc.constant('call_output'),
    form: fc.constantFrom('function', 'custom'),
    callId,
    output: parts,
  }),
  fc.record({
    kind: fc.constant('hosted'),
    type: hostedType,
    id: fc.constantFrom('it_1', undefined),
    fields,
  }),
  fc.record({
    kind: fc.constant('service'),
    type: fc.constantFrom('service:datetime', 'service:shell', 'service:memory', 'service:new_kind'),
    fields,
  }),
  fc.record({ kind: fc.constant('additional_tools'), role: fc.constant('developer'), tools }),
  fc.record({ kind: fc.constant('agent_message'), author: word, recipient: word, content: parts }),
  fc.record({ kind: fc.constant('configuration_update'), effort }),
  fc.record({ kind: fc.constant('compaction'), type: fc.constant('compaction'), encrypted: word }),
);

const reasoning: Arbitrary<ReasoningControl> = fc.record(
  {
    effort,
    maxTokens: fc.integer({ min: 1, max: 9999 }),
    summary: fc.constantFrom('auto', 'concise'),
    context: fc.constantFrom('auto', 'all_turns'),
    mode: fc.constantFrom('standard', 'pro'),
    exclude: fc.boolean(),
  },
  { requiredKeys: [] },
);

const number = fc.integer({ min: 0, max: 2 });
const sampling = fc.record(
  {
    temperature: number,
    topP: number,
    topK: number,
    frequencyPenalty: number,
    presencePenalty: number,
    repetitionPenalty: number,
    minP: number,
    topA: number,
    seed: number,
    stop: fc.constant(['x']),
    logitBias: fc.constant({ '1': 1 }),
    topLogprobs: number,
  },
  { requiredKeys: [] },
);

/** Requests that use any mix of features; conversations need not make sense. */
export const canonicalRequests: Arbitrary<CanonicalChat> = fc.record(
  {
    kind: fc.constant('chat'),
    items: fc.array(item, { maxLength: 8 }),
    tools,
    toolChoice,
    sampling,
    format: fc.constantFrom(
      { kind: 'text' } as const,
      { kind: 'json_object' } as const,
      { kind: 'json_schema', name: 'answer', schema: { type: 'object' }, strict: true } as const,
    ),
    includeEncryptedReasoning: fc.boolean(),
    outputModalities: fc.constantFrom<('text' | 'image')[]>(['text'], ['text', 'image']),
    truncation: fc.constantFrom('auto', 'disabled'),
    instructions: word,
    parallelToolCalls: fc.boolean(),
    maxOutputTokens: fc.integer({ min: 1, max: 9999 }),
    verbosity: fc.constantFrom('low', 'max'),
    reasoning,
    serviceTier: fc.constantFrom('auto', 'priority'),
    promptCacheKey: word,
    cacheControl: fc.constant({ ttl: '1h' } as const),
    promptCacheOptions: fc.constant({ mode: 'explicit' } as const),
    imageConfig: fc.constant({}),
    prompt: fc.constant({ id: 'p' }),
    endUser: word,
  },
  {
    requiredKeys: [
      'kind',
      'items',
      'tools',
      'toolChoice',
      'sampling',
      'format',
      'includeEncryptedReasoning',
      'outputModalities',
      'truncation',
    ],
  },
);
