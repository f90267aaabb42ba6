import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sentBody } from '../../../test/support/adapter-harness.ts';
import { HeadgateError } from '../../core/errors.ts';
import type {
  CallItem,
  CallOutputItem,
  ContentPart,
  HostedItem,
  Item,
  MessageItem,
} from '../../core/request.ts';
import type { JsonObject } from '../../util/json.ts';
import { googleGeminiAdapter, vertexGeminiAdapter } from './google-gemini-adapter.ts';

const baseUrl = 'https://generativelanguage.googleapis.com/v1beta';
const says = (role: MessageItem['role'], text: string): MessageItem => ({
  kind: 'message',
  role,
  content: [{ kind: 'text', text }],
});
const calls = (callId: string, name: string, input = '{}'): CallItem => ({
  kind: 'call',
  form: 'function',
  callId,
  name,
  input,
});
const answers = (callId: string, ...output: ContentPart[]): CallOutputItem => ({
  kind: 'call_output',
  form: 'function',
  callId,
  output,
});
const text = (words: string): ContentPart => ({ kind: 'text', text: words });
const question = says('user', 'When?');
const sealed = { kind: 'reasoning', summary: [], content: [], format: 'google-gemini-v1' } as const;

function sent(items: readonly Item[], upstreamModel = 'gemini-3-flash-preview', instructions?: string) {
  return sentBody(googleGeminiAdapter, {
    request: { items, instructions },
    endpoint: { upstreamModel },
    provider: { baseUrl },
  });
}

function contentsOf(items: readonly Item[], upstreamModel?: string): readonly JsonObject[] {
  const { contents } = sent(items, upstreamModel);
  assert.ok(Array.isArray(contents));
  return contents;
}

/** The parts of the model's first turn. */
function modelParts(items: readonly Item[], upstreamModel?: string): unknown {
  return contentsOf(items, upstreamModel).find(({ role }) => role === 'model')?.parts;
}

test("leading system text is the system instruction; later system text joins the user's turn", () => {
  const body = sent(
    [
      says('system', 'Be kind.'),
      says('developer', 'Be brief.'),
      question,
      says('assistant', 'At 6.'),
      says('system', 'New rules.'),
    ],
    undefined,
    'You know tides.',
  );
  assert.deepEqual(body.systemInstruction, {
    parts: [{ text: 'You know tides.' }, { text: 'Be kind.' }, { text: 'Be brief.' }],
  });
  assert.deepEqual(body.contents, [
    { role: 'user', parts: [{ text: 'When?' }] },
    { role: 'model', parts: [{ text: 'At 6.' }] },
    { role: 'user', parts: [{ text: 'New rules.' }] },
  ]);
});

test('models without a system instruction, and conversations of nothing else, get it as words of the user', () => {
  const words = [{ text: 'Be brief.' }, { text: 'When?' }];
  assert.deepEqual(sent([question], 'gemma-3-27b-it', 'Be brief.'), {
    contents: [{ role: 'user', parts: words }],
  });
  assert.deepEqual(sent([], undefined, 'Be brief.'), {
    contents: [{ role: 'user', parts: [{ text: 'Be brief.' }] }],
  });
});

test('parallel calls and their outputs are one turn each, in the order of the calls', () => {
  const items = [
    question,
    calls('c1', 'tide', '{"port":"Brest"}'),
    calls('c2', 'tide'),
    answers('c2', text('two')),
    answers('c1', text('one')),
  ];
  assert.deepEqual(contentsOf(items).slice(1), [
    {
      role: 'model',
      parts: [
        {
          functionCall: { id: 'c1', name: 'tide', args: { port: 'Brest' } },
          thoughtSignature: 'skip_thought_signature_validator',
        },
        { functionCall: { id: 'c2', name: 'tide', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'c1', name: 'tide', response: { output: 'one' } } },
        { functionResponse: { id: 'c2', name: 'tide', response: { output: 'two' } } },
      ],
    },
  ]);
  assert.deepEqual(contentsOf(items, 'gemini-2.5-flash').slice(1), [
    {
      role: 'model',
      parts: [
        { functionCall: { name: 'tide', args: { port: 'Brest' } } },
        { functionCall: { name: 'tide', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'tide', response: { output: 'one' } } },
        { functionResponse: { name: 'tide', response: { output: 'two' } } },
      ],
    },
  ]);
});

test('a repeated output becomes text, and leaves the next call with its id unanswered', () => {
  const items = [
    question,
    calls('c', 'tide'),
    answers('c', text('rising')),
    answers('c', text('falling')),
    calls('c', 'wind'),
    answers('c', text('west')),
  ];
  const wind = { name: 'wind', args: {} };
  assert.deepEqual(contentsOf(items, 'gemini-2.5-flash').slice(2), [
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'tide', response: { output: 'rising' } } },
        { text: 'Output of tool call c:' },
        { text: 'falling' },
      ],
    },
    { role: 'model', parts: [{ functionCall: wind }] },
    { role: 'user', parts: [{ functionResponse: { name: 'wind', response: { output: 'west' } } }] },
  ]);
});

test('a late output is moved to its call, and a missing one gets a placeholder', () => {
  const items = [
    question,
    calls('c1', 'slow'),
    calls('c2', 'never'),
    says('user', 'Go on.'),
    answers('c1', text('done')),
    says('user', 'And?'),
  ];
  assert.deepEqual(contentsOf(items, 'gemini-2.5-flash').slice(2), [
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'slow', response: { output: 'done' } } },
        { functionResponse: { name: 'never', response: { status: 'no output yet' } } },
        { text: 'Go on.' },
        { text: 'And?' },
      ],
    },
  ]);
});

test('a conversation that begins with a call begins with a word of the user', () => {
  const [first, ...others] = contentsOf([calls('c', 'f'), answers('c')]);
  assert.deepEqual(first, { role: 'user', parts: [{ text: '(the model begins)' }] });
  assert.equal(others.length, 2);
  const said = contentsOf([says('assistant', 'Ahoy'), question]);
  assert.deepEqual(said[0], { role: 'model', parts: [{ text: 'Ahoy' }] });
});

test('broken arguments of other models stay readable', () => {
  const parts = modelParts(
    [question, calls('c', 'f', '[1]'), calls('d', 'f', '{"x"'), calls('e', 'f', '')],
    'gemini-2.5-pro',
  );
  assert.deepEqual(parts, [
    { functionCall: { name: 'f', args: { input: [1] } } },
    { functionCall: { name: 'f', args: { input: '{"x"' } } },
    { functionCall: { name: 'f', args: {} } },
  ]);
});

test('signatures go back on the part they came with, byte for byte', () => {
  const signature = 'CsQB/+=';
  const call = { functionCall: { id: 'c1', name: 'tide', args: {} }, thoughtSignature: signature };
  assert.deepEqual(modelParts([question, { ...sealed, signature }, calls('c1', 'tide')]), [call]);
  assert.deepEqual(
    modelParts([
      question,
      { ...sealed, summary: ['Look it up.'], encrypted: 'T', signature },
      calls('c1', 'tide'),
    ]),
    [{ text: 'Look it up.', thought: true, thoughtSignature: 'T' }, call],
  );
  assert.deepEqual(
    modelParts([question, says('assistant', 'A.'), { ...sealed, encrypted: 'S' }, says('assistant', 'B.')]),
    [{ text: 'A.', thoughtSignature: 'S' }, { text: 'B.' }],
  );
  assert.deepEqual(
    modelParts([question, calls('c1', 'tide'), { ...sealed, encrypted: 'S' }], 'gemini-2.5-pro'),
    [{ functionCall: { name: 'tide', args: {} } }, { text: '', thoughtSignature: 'S' }],
  );
});

test("of other providers' thoughts only the text is sent, and nothing of those that led to nothing", () => {
  const foreign: Item = {
    kind: 'reasoning',
    summary: [],
    content: ['Six.'],
    encrypted: 'X',
    signature: 'Y',
    format: 'anthropic-claude-v1',
  };
  const thought = { text: 'Six.', thought: true };
  assert.deepEqual(modelParts([question, foreign, says('assistant', 'At 6.')]), [thought, { text: 'At 6.' }]);
  assert.deepEqual(modelParts([question, foreign, calls('c', 'f')]), [
    thought,
    {
      functionCall: { id: 'c', name: 'f', args: {} },
      thoughtSignature: 'skip_thought_signature_validator',
    },
  ]);
  assert.equal(modelParts([question, foreign]), undefined);
  assert.deepEqual(modelParts([question, foreign, says('assistant', 'At 6.')], 'gemini-2.0-flash'), [
    { text: 'At 6.' },
  ]);
});

test('every kind of content', () => {
  const content: ContentPart[] = [
    text(''),
    { kind: 'image', url: 'data:image/png;base64,iVBORw==', detail: 'auto' },
    { kind: 'image', url: 'https://example.test/a.webp?x=1', detail: 'auto' },
    { kind: 'image', url: 'https://example.test/a', detail: 'auto' },
    { kind: 'image', fileId: 'files/abc', detail: 'auto' },
    { kind: 'file', data: 'JVBERi0=', filename: 'a.pdf' },
    { kind: 'file', url: 'https://example.test/a.csv' },
    { kind: 'file', fileId: 'abc' },
    { kind: 'file', fileId: 'gs://bucket/a.pdf' },
    { kind: 'audio', data: 'UklGRg==', format: 'wav' },
    { kind: 'video', url: 'data:video/mp4;base64,AAAA' },
    { kind: 'video', url: 'https://www.youtube.com/watch?v=x', processing: 'agentic' },
    { kind: 'refusal', text: 'No.' },
  ];
  const [turn] = contentsOf([{ kind: 'message', role: 'user', content }]);
  assert.deepEqual(turn?.parts, [
    { inlineData: { mimeType: 'image/png', data: 'iVBORw==' } },
    { fileData: { fileUri: 'https://example.test/a.webp?x=1', mimeType: 'image/webp' } },
    { fileData: { fileUri: 'https://example.test/a', mimeType: 'image/jpeg' } },
    { fileData: { fileUri: `${baseUrl}/files/abc` } },
    { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
    { fileData: { fileUri: 'https://example.test/a.csv', mimeType: 'text/csv' } },
    { fileData: { fileUri: `${baseUrl}/files/abc` } },
    { fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' } },
    { inlineData: { mimeType: 'audio/wav', data: 'UklGRg==' } },
    { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } },
    {
      fileData: { fileUri: 'https://www.youtube.com/watch?v=x', mimeType: 'video/mp4' },
      mediaProcessing: 'AGENTIC',
    },
    { text: 'No.' },
  ]);
  const file: ContentPart = { kind: 'file', fileId: 'abc' };
  const items: Item[] = [{ kind: 'message', role: 'user', content: [file] }];
  assert.throws(() => sentBody(vertexGeminiAdapter, { request: { items } }), HeadgateError);
});

test('pictures of a tool go into its response, or beside it on older models', () => {
  const picture: ContentPart = { kind: 'image', url: 'data:image/png;base64,iVBORw==', detail: 'auto' };
  const items = [question, calls('c', 'draw'), answers('c', text('Here'), picture)];
  const inlineData = { mimeType: 'image/png', data: 'iVBORw==' };
  const response = { name: 'draw', response: { output: 'Here' } };
  assert.deepEqual(contentsOf(items)[2]?.parts, [
    { functionResponse: { id: 'c', ...response, parts: [{ inlineData }] } },
  ]);
  assert.deepEqual(contentsOf(items, 'gemini-2.5-flash')[2]?.parts, [
    { functionResponse: response },
    { inlineData },
  ]);
});

test('hosted calls go back as they were, others in words this dialect has', () => {
  const parts = [
    { executableCode: { language: 'PYTHON', code: '1' }, thoughtSignature: 'C' },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  ];
  const hosted = (type: HostedItem['type'], fields: HostedItem['fields']): HostedItem => ({
    kind: 'hosted',
    type,
    fields,
  });
  const own = { format: 'google-gemini-v1', signature: JSON.stringify(parts) };
  assert.deepEqual(
    modelParts([question, hosted('code_interpreter_call', { code: '1', outputs: null, ...own })]),
    parts,
  );
  const picture = [{ inlineData: { mimeType: 'image/png' }, thoughtSignature: 'P' }];
  const drawn = { result: 'iVBORw==', format: 'google-gemini-v1', signature: JSON.stringify(picture) };
  assert.deepEqual(modelParts([question, hosted('image_generation_call', drawn)]), [
    { inlineData: { mimeType: 'image/png', data: 'iVBORw==' }, thoughtSignature: 'P' },
  ]);
  assert.deepEqual(modelParts([question, hosted('image_generation_call', { result: '/9j/AA==' })]), [
    { inlineData: { mimeType: 'image/jpeg', data: '/9j/AA==' } },
  ]);
  const code = { code: 'print(1)', container_id: 'c', outputs: [{ type: 'logs', logs: '1' }] };
  assert.deepEqual(modelParts([question, hosted('code_interpreter_call', code)]), [
    { executableCode: { language: 'PYTHON', code: 'print(1)' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  ]);
  const search = hosted('web_search_call', { action: { type: 'search', query: 'tide' } });
  assert.equal(modelParts([question, search]), undefined);
  const files = hosted('file_search_call', { queries: ['tide'], results: [{ text: 'At 6.' }] });
  const thoughtSignature = 'skip_thought_signature_validator';
  assert.deepEqual(contentsOf([question, files]).slice(1), [
    {
      role: 'model',
      parts: [{ functionCall: { name: 'file_search', args: { queries: ['tide'] } }, thoughtSignature }],
    },
    {
      role: 'user',
      parts: [{ functionResponse: { name: 'file_search', response: { results: [{ text: 'At 6.' }] } } }],
    },
  ]);
  const broken = hosted('web_search_call', { ...own, signature: '[{"text":"x"}]' });
  assert.equal(modelParts([question, broken]), undefined);
});

test('an unanswered call is answered at the end, together with foreign hosted calls beside it', () => {
  const ran: Item = { kind: 'hosted', type: 'mcp_call', fields: { name: 'f', output: 'x' } };
  const items = [question, calls('c1', 'slow'), ran, calls('c2', 'never')];
  const [, model, user] = contentsOf(items, 'gemini-2.5-flash');
  assert.deepEqual(model?.parts, [
    { functionCall: { name: 'slow', args: {} } },
    { functionCall: { name: 'mcp', args: { name: 'f' } } },
    { functionCall: { name: 'never', args: {} } },
  ]);
  assert.deepEqual(user?.parts, [
    { functionResponse: { name: 'slow', response: { status: 'no output yet' } } },
    { functionResponse: { name: 'mcp', response: { output: 'x' } } },
    { functionResponse: { name: 'never', response: { status: 'no output yet' } } },
  ]);
});

test('turns alternate also where thoughts that led to nothing parted them', () => {
  const thought: Item = { kind: 'reasoning', summary: ['Hm.'], content: [] };
  assert.deepEqual(contentsOf([question, thought, says('user', 'Well?')]), [
    { role: 'user', parts: [{ text: 'When?' }, { text: 'Well?' }] },
  ]);
});

test('what was done at a computer is a call with one response, and its picture a picture', () => {
  const fields = { call_id: 'c', pending_safety_checks: [], action: { type: 'screenshot' } };
  const call: HostedItem = { kind: 'hosted', type: 'computer_call', fields };
  const output = { type: 'computer_screenshot', image_url: 'data:image/png;base64,AAAA' };
  const answer: HostedItem = {
    kind: 'hosted',
    type: 'computer_call_output',
    fields: { call_id: 'c', output },
  };
  const picture = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
  const [asked, model, user] = contentsOf([question, call, answer]);
  const functionCall = { id: 'c', name: 'computer', args: { action: { type: 'screenshot' } } };
  assert.deepEqual(asked, { role: 'user', parts: [{ text: 'When?' }] });
  assert.deepEqual(model, {
    role: 'model',
    parts: [{ functionCall, thoughtSignature: 'skip_thought_signature_validator' }],
  });
  const response = { id: 'c', name: 'computer', response: { output: '' }, parts: [picture] };
  assert.deepEqual(user, { role: 'user', parts: [{ functionResponse: response }] });
  for (const items of [
    [question, call],
    [question, call, question],
  ]) {
    const [, , next] = contentsOf(items) as { parts: object[] }[];
    assert.deepEqual(next?.parts[0], {
      functionResponse: { id: 'c', name: 'computer', response: { status: 'no output yet' } },
    });
  }
  assert.deepEqual(contentsOf([question, answer]), [
    { role: 'user', parts: [{ text: 'When?' }, { text: 'Output of tool call c:' }, picture] },
  ]);
});
