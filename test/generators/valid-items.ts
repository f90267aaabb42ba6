import fc from 'fast-check';
import type { OutputItem } from '../../src/core/response.ts';

type JsonItem = Record<string, unknown>;

const words = fc.string({ minLength: 1, maxLength: 30, unit: 'grapheme' });
const odd = fc.constantFrom('\ud800', 'a\udfffb', '\u0000', '__proto__', 'NaN', '\u202e', '🏳️‍🌈');
const said = fc.oneof({ weight: 9, arbitrary: words }, { weight: 1, arbitrary: odd });
const id = fc.stringMatching(/^[a-z]{2,4}_[A-Za-z0-9]{5}$/);
const status = fc.constantFrom('in_progress', 'completed', 'incomplete');
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
    },
    { requiredKeys: ['type', 'image_url'] },
  ),
  fc.record(
    { type: fc.constant('input_file'), file_data: fc.constant('JVBERi0='), filename: words },
    { requiredKeys: ['type', 'file_data'] },
  ),
];

const inputParts: readonly fc.Arbitrary<JsonItem>[] = [
  ...toolParts,
  fc.constant({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }),
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

/** What one answer may hold: everything the gateway sends must be accepted back unchanged (responses.md 11). */
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

const turn: fc.Arbitrary<JsonItem[]> = fc.oneof(
  message.map((item) => [item]),
  fc.oneof(outputMessage, outputReasoning).map((item) => [{ ...item }]),
  callWithOutput,
);

/** Conversations that must be accepted: every kind of item and part, calls answered or at the end. */
export const inputItems: fc.Arbitrary<JsonItem[]> = fc
  .tuple(fc.array(turn, { maxLength: 6 }), fc.array(outputCall, { maxLength: 2 }))
  .map(([turns, open]) => [{ role: 'user', content: 'Hello.' }, ...turns.flat(), ...open]);
