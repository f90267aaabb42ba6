import fc from 'fast-check';
import type { OutputItem } from '../../src/dialects/gateway/assembly/response.ts';
import { hostedCalls, hostedOutputs, serviceItems } from './valid-hosted-items.ts';
import { tools } from './valid-tools.ts';
import {
  id,
  type JsonItem,
  kind,
  object,
  said,
  several,
  usualStatus as status,
  words,
} from './valid-values.ts';

const breakpoint = { prompt_cache_breakpoint: fc.constant({ mode: 'explicit' }) };
const cacheControl = {
  cache_control: fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }),
};

const toolParts: readonly fc.Arbitrary<JsonItem>[] = [
  fc.record(
    { type: fc.constant('input_text'), text: said, ...breakpoint, ...cacheControl },
    { requiredKeys: ['type', 'text'] },
  ),
  fc.record(
    {
      type: fc.constant('input_image'),
      image_url: fc.constantFrom('https://127.0.0.1/a.png', 'data:image/png;base64,AAAA'),
      detail: fc.constantFrom('auto', 'high', 'low', 'original', null),
      file_id: fc.constant(null),
      ...cacheControl,
    },
    { requiredKeys: ['type', 'image_url'] },
  ),
  kind('input_image', { file_id: id }, { detail: fc.constantFrom('auto', 'high'), ...breakpoint }),
  kind('input_file', { file_id: id }, { filename: words }),
  kind('input_file', { file_url: fc.constant('https://127.0.0.1/a.pdf') }, cacheControl),
  fc.record(
    { type: fc.constant('input_file'), file_data: fc.constant('JVBERi0='), filename: words },
    { requiredKeys: ['type', 'file_data'] },
  ),
];

const inputParts: readonly fc.Arbitrary<JsonItem>[] = [
  ...toolParts,
  fc.constant({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
  fc.constant({ type: 'input_video', video_url: 'data:video/mp4;base64,AAAA' }),
  fc.constant({ type: 'input_video', video_url: 'https://127.0.0.1/a.mp4', processing: 'static' }),
];

const message: fc.Arbitrary<JsonItem> = fc.record(
  {
    role: fc.constantFrom('user', 'system', 'developer'),
    content: fc.oneof(said, fc.constant(null), fc.array(fc.oneof(...inputParts), { maxLength: 4 })),
    type: fc.constant('message'),
    id,
    status,
  },
  { requiredKeys: ['role', 'content'] },
);

const annotation = fc.constantFrom(
  { type: 'url_citation' as const, url: 'https://127.0.0.1/', title: '', start_index: 0, end_index: 1 },
  { type: 'file_citation' as const, file_id: 'file_1', filename: 'a.txt', index: 0 },
  { type: 'file_path' as const, file_id: 'file_1', index: 0 },
);
const logprob = fc.constant({ token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] });
const outputPart = fc.oneof(
  fc.record({
    type: fc.constant('output_text' as const),
    text: said,
    annotations: fc.array(annotation, { maxLength: 2 }),
    logprobs: fc.array(logprob, { maxLength: 2 }),
  }),
  fc.record({ type: fc.constant('refusal' as const), refusal: said }),
);

const outputMessage = fc.record(
  {
    type: fc.constant('message' as const),
    id,
    role: fc.constant('assistant' as const),
    status,
    content: fc.array(outputPart, { minLength: 1, maxLength: 3 }),
    phase: fc.constantFrom('commentary' as const, 'final_answer' as const),
  },
  { requiredKeys: ['type', 'id', 'role', 'status', 'content'] },
);
const outputReasoning = fc.record(
  {
    type: fc.constant('reasoning' as const),
    id,
    status,
    summary: fc.array(fc.record({ type: fc.constant('summary_text' as const), text: said })),
    content: fc.array(fc.record({ type: fc.constant('reasoning_text' as const), text: said })),
    encrypted_content: words,
    signature: words,
    format: fc.constantFrom(
      'unknown' as const,
      'anthropic-claude-v1' as const,
      'openai-responses-v1' as const,
    ),
  },
  { requiredKeys: ['type', 'id', 'status', 'summary', 'content'] },
);
const callMembers = { id, call_id: words, name: words, status, namespace: words, async: fc.boolean() };
const outputCall = fc.oneof(
  fc.record(
    {
      type: fc.constant('function_call' as const),
      ...callMembers,
      arguments: fc.constantFrom('{}', '', '{"a'),
    },
    { requiredKeys: ['type', 'id', 'call_id', 'name', 'status', 'arguments'] },
  ),
  fc.record(
    { type: fc.constant('custom_tool_call' as const), ...callMembers, input: said },
    { requiredKeys: ['type', 'id', 'call_id', 'name', 'status', 'input'] },
  ),
);

/**
 * What one answer may hold: everything the gateway sends must be accepted back unchanged
 * (docs/spec/answers.md#what-clients-need).
 */
export const outputItems: fc.Arbitrary<OutputItem[]> = fc.array(
  fc.oneof(outputMessage, outputReasoning, outputCall),
  { minLength: 1, maxLength: 6 },
);

const toolOutput = fc.oneof(fc.string(), fc.array(fc.oneof(...toolParts), { maxLength: 3 }));

/** The outputs that answer the calls of an answer, in their order. */
export function answersTo(output: readonly OutputItem[]): JsonItem[] {
  const calls = output.filter((item) => item.type === 'function_call' || item.type === 'custom_tool_call');
  return calls.map((call) => ({ type: `${call.type}_output`, call_id: call.call_id, output: 'done' }));
}

const callWithOutput = fc
  .tuple(outputCall, toolOutput)
  .map(([call, output]): JsonItem[] => [
    { ...call },
    { type: `${call.type}_output`, call_id: call.call_id, output, status: null },
  ]);

const anyTool = object(
  { type: fc.constantFrom('a_later_kind', 'service:a_later_kind') },
  { settings: fc.jsonValue() },
);
const encrypted = kind('encrypted_content', { encrypted_content: words });
const textOrImage = fc.oneof(toolParts[0] ?? fc.constant({}), toolParts[1] ?? fc.constant({}), encrypted);

/** Items of neither a person, a model nor a tool. */
const otherItems: readonly fc.Arbitrary<JsonItem>[] = [
  kind('compaction', { encrypted_content: words }, { id, anything: fc.jsonValue() }),
  kind('context_compaction', {}, { id, encrypted_content: words, anything: fc.jsonValue() }),
  kind(
    'agent_message',
    { author: words, recipient: words, content: several(textOrImage) },
    { id, agent: object({ agent_name: words }) },
  ),
  kind(
    'additional_tools',
    {
      role: fc.constantFrom(
        'unknown',
        'user',
        'assistant',
        'system',
        'critic',
        'discriminator',
        'developer',
        'tool',
      ),
      tools: fc.tuple(tools, several(anyTool)).map(([known, unknown]) => [...known, ...unknown]),
    },
    { id },
  ),
];

const configurationUpdate = kind(
  'configuration_update',
  { reasoning: object({ effort: fc.constantFrom('max', 'high', 'none') }) },
  { id },
).map((item): JsonItem[] => [item, { role: 'user', content: 'From here on.' }]);

const turn: fc.Arbitrary<JsonItem[]> = fc.oneof(
  { weight: 1, arbitrary: configurationUpdate },
  { weight: 2, arbitrary: fc.oneof(...otherItems).map((item) => [item]) },
  { weight: 3, arbitrary: fc.oneof(...hostedCalls, ...hostedOutputs).map((item) => [item]) },
  { weight: 3, arbitrary: fc.oneof(...serviceItems).map((item) => [item]) },
  message.map((item) => [item]),
  fc.oneof(outputMessage, outputReasoning).map((item) => [{ ...item }]),
  callWithOutput,
);

/** Conversations that must be accepted: every kind of item and part, calls answered or at the end. */
export const inputItems: fc.Arbitrary<JsonItem[]> = fc
  .tuple(fc.array(turn, { maxLength: 6 }), fc.array(outputCall, { maxLength: 2 }))
  .map(([turns, open]) => [{ role: 'user', content: 'Hello.' }, ...turns.flat(), ...open]);
