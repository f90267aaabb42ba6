import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../../test/support/request-parsing.ts';
import type { Item } from '../../../core/request.ts';

const hello = { role: 'user', content: 'Hello.' };
const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' };
const output = { type: 'function_call_output', call_id: 'c1', output: 'done' };
const customCall = { type: 'custom_tool_call', call_id: 'c1', name: 'sql', input: 'select 1' };
const customOutput = { type: 'custom_tool_call_output', call_id: 'c1', output: 'done' };
const kinds =
  '"message", "reasoning", "function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", ' +
  '"web_search_call", "file_search_call", "image_generation_call", "code_interpreter_call" ' +
  'and 37 more (see /openapi.json)';

function itemsOf(...input: unknown[]): readonly Item[] {
  return JSON.parse(JSON.stringify(parse({ input }).canonical.items));
}

/** Items and the exact answer to them (docs/spec/items.md#reading-items, docs/spec/items.md#kinds). */
const refused: readonly (readonly [unknown[], number, string])[] = [
  [[5], 400, 'input[0]: expected an object, got a number'],
  [[hello, null], 400, 'input[1]: expected an object, got null'],
  [[{}], 400, `input[0].type: is required, one of ${kinds}`],
  [[{ id: 'x', content: 'y' }], 400, `input[0].type: is required, one of ${kinds}`],
  [[{ type: 5 }], 400, 'input[0].type: expected a string, got a number'],
  [[{ type: 'bogus' }], 400, `input[0].type: must be one of ${kinds}, got "bogus"`],
  [[{ type: 'constructor' }], 400, `input[0].type: must be one of ${kinds}, got "constructor"`],
  [
    [{ role: 'tool', content: 'x' }],
    400,
    'input[0].role: must be one of "user", "system", "developer", "assistant", got "tool"',
  ],
  [
    [{ role: 'user', content: 5 }],
    400,
    'input[0].content: expected a string or an array of parts, got a number',
  ],
  [
    [{ role: 'assistant', content: 'x', phase: 'last' }],
    400,
    'input[0].phase: must be one of "commentary", "final_answer", got "last"',
  ],
  [[{ ...hello, id: 5 }], 400, 'input[0].id: expected a string, got a number'],
  [[{ role: 'user', content: null }], 400, 'input: must hold at least one item with content'],
  [[{ type: 'reasoning' }], 400, 'input[0].summary: is required, expected an array'],
  [
    [{ type: 'reasoning', summary: [{ type: 'summary_text' }] }],
    400,
    'input[0].summary[0].text: is required, expected a string',
  ],
  [[{ ...call, call_id: undefined }], 400, 'input[0].call_id: is required, expected a string'],
  [[{ ...call, arguments: {} }], 400, 'input[0].arguments: expected a string, got an object'],
  [[{ ...customCall, input: null }], 400, 'input[0].input: expected a string, got null'],
  [
    [call, { ...output, output: undefined }],
    400,
    'input[1].output: expected a string or an array of parts, got nothing',
  ],
  [
    [call, { ...output, output: [{ type: 'output_text', text: 'x' }] }],
    400,
    'input[1].output[0].type: must be one of "input_text", "input_image", "input_file", got "output_text"',
  ],
  [[hello, output], 422, 'input[1].call_id: no earlier function call has the call_id "c1"'],
  [[output, call], 422, 'input[0].call_id: no earlier function call has the call_id "c1"'],
  [[call, customOutput], 422, 'input[1].call_id: no earlier custom call has the call_id "c1"'],
  [
    [call, hello],
    422,
    'input[0].call_id: the call "c1" has no output; send one, or end the input with the call',
  ],
  [
    [call, { ...call, call_id: 'c2' }, { ...output, call_id: 'c2' }, hello],
    422,
    'input[0].call_id: the call "c1" has no output; send one, or end the input with the call',
  ],
  [
    [{ type: 'item_reference', id: 'msg_9' }],
    422,
    'input[0].id: no earlier item of this input has the id "msg_9"; nothing is stored, send the full item',
  ],
  [
    [{ id: 'm' }, { ...hello, id: 'm' }],
    422,
    'input[0].id: no earlier item of this input has the id "m"; nothing is stored, send the full item',
  ],
];

for (const [input, status, message] of refused) {
  test(`${status} ${message.slice(0, 90)}`, () => assert.deepEqual(refusal({ input }), [status, message]));
}

test('a string is one message of the user', () => {
  assert.deepEqual(parse({ input: 'Hi' }).canonical.items, [
    { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hi' }] },
  ]);
});

test('a role makes a message without a type, and content may be a string', () => {
  const typed = { type: 'message', role: 'developer', content: 'Rules.', status: 'whatever', id: 'm1' };
  assert.deepEqual(itemsOf({ role: 'system', content: 'Rules.' }, typed), [
    { kind: 'message', role: 'system', content: [{ kind: 'text', text: 'Rules.' }] },
    { kind: 'message', role: 'developer', content: [{ kind: 'text', text: 'Rules.' }], id: 'm1' },
  ]);
});

test('messages without content are dropped', () => {
  const empty = [null, '', [], undefined, [{ type: 'input_text', text: '' }]];
  const messages = empty.map((content) => ({ role: 'user', content }));
  assert.equal(itemsOf(...messages, hello).length, 1);
});

test('an input that only changes tools or effort holds no content', () => {
  const update = { type: 'configuration_update', reasoning: { effort: 'low' } };
  const added = { type: 'additional_tools', role: 'developer', tools: [{ type: 'function', name: 'f' }] };
  for (const input of [[update], [added], [update, { role: 'user', content: '' }, added]]) {
    assert.deepEqual(refusal({ input }), [400, 'input: must hold at least one item with content']);
  }
  assert.equal(itemsOf(update, added, hello).length, 3);
  assert.equal(parse({ input: [added], prompt: { id: 'p_1' } }).canonical.items.length, 1);
});

test('an assistant message mixes what models say with input parts, and keeps its phase', () => {
  const annotations = [
    { type: 'url_citation', url: 'https://127.0.0.1/', title: '', start_index: 0, end_index: 2, extra: 1 },
    { type: 'a_later_kind', anything: 1 },
  ];
  const content = [
    { type: 'output_text', text: 'So.', annotations, logprobs: [] },
    { type: 'refusal', refusal: 'No.' },
    { type: 'input_text', text: 'And.' },
  ];
  const message = { type: 'message', role: 'assistant', phase: 'commentary', content };
  assert.deepEqual(itemsOf(message, { ...hello, phase: 'commentary' }), [
    {
      kind: 'message',
      role: 'assistant',
      phase: 'commentary',
      content: [
        {
          kind: 'text',
          text: 'So.',
          annotations: [
            { type: 'url_citation', url: 'https://127.0.0.1/', title: '', start_index: 0, end_index: 2 },
          ],
        },
        { kind: 'refusal', text: 'No.' },
        { kind: 'text', text: 'And.' },
      ],
    },
    { kind: 'message', role: 'user', content: [{ kind: 'text', text: 'Hello.' }] },
  ]);
});

test('members nobody here knows survive', () => {
  const polluted = JSON.parse('{"role":"user","content":"x","__proto__":{"a":1},"model":"a/b","status":7}');
  const [message] = itemsOf(polluted);
  assert.deepEqual(Object.entries(message?.extra ?? {}), [
    ['__proto__', { a: 1 }],
    ['model', 'a/b'],
  ]);
});

test('reasoning is kept whole and in its place', () => {
  const reasoning = {
    type: 'reasoning',
    id: 'rs_1',
    summary: [{ type: 'summary_text', text: 'S' }],
    content: [{ type: 'reasoning_text', text: 'C' }],
    encrypted_content: 'QUJD',
    signature: 'sig',
    format: 'anthropic-claude-v1',
  };
  assert.deepEqual(itemsOf(hello, reasoning, { type: 'reasoning', summary: null, content: null }).slice(1), [
    {
      kind: 'reasoning',
      id: 'rs_1',
      summary: ['S'],
      content: ['C'],
      encrypted: 'QUJD',
      signature: 'sig',
      format: 'anthropic-claude-v1',
    },
    { kind: 'reasoning', summary: [], content: [] },
  ]);
});

test('calls and their outputs of both forms become canonical', () => {
  const parts = [
    { type: 'input_text', text: 'a' },
    { type: 'input_image', file_id: 'f1' },
  ];
  assert.deepEqual(
    itemsOf(
      { ...call, id: 'fc_1', namespace: 'crm', kept: 'by the client' },
      { ...output, output: parts, status: null },
      customCall,
      { ...customOutput, output: '' },
    ),
    [
      {
        kind: 'call',
        form: 'function',
        id: 'fc_1',
        callId: 'c1',
        name: 'f',
        input: '{}',
        namespace: 'crm',
        extra: { kept: 'by the client' },
      },
      {
        kind: 'call_output',
        form: 'function',
        callId: 'c1',
        output: [
          { kind: 'text', text: 'a' },
          { kind: 'image', fileId: 'f1', detail: 'auto' },
        ],
      },
      { kind: 'call', form: 'custom', callId: 'c1', name: 'sql', input: 'select 1' },
      { kind: 'call_output', form: 'custom', callId: 'c1', output: [] },
    ],
  );
});

test('the name of a replayed call is one that providers take, whatever a model made up', () => {
  const names = ['get_tide', 'functions.get_tide<|channel|>commentary', 'n'.repeat(70)];
  const calls = names.map((name, index) => ({ ...call, name, call_id: `c${index}` }));
  assert.deepEqual(
    itemsOf(hello, ...calls).map((item) => item.kind === 'call' && item.name),
    [false, 'get_tide', 'functions_get_tide__channel__commentary', 'n'.repeat(64)],
  );
});

test('calls at the end, and calls of asynchronous tools, need no output', () => {
  assert.equal(itemsOf(hello, call, { ...customCall, call_id: 'c2' }).length, 3);
  assert.equal(itemsOf({ ...call, async: true }, hello).length, 2);
  const tools = [{ type: 'function', name: 'f', async: true }];
  assert.equal(parse({ tools, input: [call, hello, output] }).canonical.items.length, 3);
  assert.equal(parse({ tools, input: [call, hello] }).canonical.items.length, 2);
});

test('a call id may come back in a later turn', () => {
  assert.equal(itemsOf(call, output, call, output, hello).length, 5);
});

test('a reference says an earlier message again and adds nothing to anything else', () => {
  const reference = { type: 'item_reference', id: 'a' };
  assert.equal(itemsOf({ ...hello, id: 'a' }, reference, { id: 'a' }).length, 3);
  assert.equal(itemsOf({ ...call, id: 'a' }, output, reference).length, 2);
  assert.equal(itemsOf(hello, { role: 'user', content: '', id: 'a' }, reference).length, 1);
  const [first, , again] = itemsOf(
    { ...hello, id: 'a' },
    { role: 'user', content: 'Bye', id: 'a' },
    reference,
  );
  assert.deepEqual(again, first, 'of two with one id the first');
});
