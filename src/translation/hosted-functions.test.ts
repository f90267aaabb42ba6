import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { anyCharacter } from '../../test/support/any-character.ts';
import {
  altered,
  callOf,
  cutUp,
  restored,
  restoredInBatches,
  translated,
} from '../../test/support/translating.ts';
import type { Delta } from '../core/delta.ts';
import type { Item, Tool } from '../core/request.ts';

const support = {
  'tool.shell': { emulated: 'as-function' },
  'tool.local_shell': { emulated: 'as-function' },
  'tool.apply_patch': { emulated: 'as-function' },
} as const;
const shell: Tool = { kind: 'hosted', tool: 'shell', type: 'shell', settings: {} };
const patch: Tool = { kind: 'hosted', tool: 'apply_patch', type: 'apply_patch', settings: {} };
const translate = (tools: readonly Tool[], items: readonly Item[] = []) =>
  translated({ support, request: { tools, items } });

test('shell and apply_patch are sent as functions with unique names', () => {
  const translation = translated({
    support,
    request: {
      tools: [shell, patch, { kind: 'function', name: 'shell' }],
      toolChoice: { kind: 'allowed', mode: 'auto', names: ['shell'], hosted: ['shell'] },
    },
  });
  const { request } = translation;
  assert.deepEqual(
    request.tools.map((tool) => [tool.kind, 'name' in tool && tool.name]),
    [
      ['function', 'shell_tool'],
      ['function', 'apply_patch'],
      ['function', 'shell'],
    ],
  );
  assert.deepEqual(request.toolChoice, {
    kind: 'allowed',
    mode: 'auto',
    names: ['shell', 'shell_tool'],
    hosted: [],
  });
  assert.deepEqual(altered(translation), ['tools[0] emulated', 'tools[1] emulated']);
  const named = translated({
    support,
    request: { tools: [patch], toolChoice: { kind: 'hosted', tool: 'apply_patch', type: 'apply_patch' } },
  });
  assert.deepEqual(named.request.toolChoice, { kind: 'tool', form: 'function', name: 'apply_patch' });
});

test('a call of the shell comes back as a shell call', () => {
  const text = '{"commands":["ls","pwd"],"timeout_ms":500}';
  const none = { commands: [], timeout_ms: null, max_output_length: null };
  const action = { commands: ['ls', 'pwd'], timeout_ms: 500, max_output_length: null };
  assert.deepEqual(restored(translate([shell]), callOf(3, 'shell', text)), [
    { kind: 'hosted', block: 3, type: 'shell_call', fields: { call_id: 'call_3', action: none } },
    { kind: 'result', block: 3, fields: { call_id: 'call_3', action, arguments: text } },
    { kind: 'end', block: 3 },
  ]);
});

const resultOf = (deltas: readonly Delta[]): Delta | undefined =>
  deltas.find(({ kind }) => kind === 'result');

test('commands come out of whatever a model gave for them', () => {
  const cases: [string, readonly string[]][] = [
    ['{"commands":"ls"}', ['ls']],
    ['{"command":["bash","-lc","ls -la"]}', ["bash -lc 'ls -la'"]],
    ['{"command":"ls"}', ['ls']],
    ['{"commands":["ls",5]}', ['ls']],
    ['{}', []],
    ['ls', []],
  ];
  for (const [text, commands] of cases) {
    const result = resultOf(restored(translate([shell]), callOf(1, 'shell', text)));
    assert.ok(result?.kind === 'result');
    assert.deepEqual(result.fields.action, { commands, timeout_ms: null, max_output_length: null });
  }
});

test('a patch comes back with its diff as it is written, wherever the JSON is cut', () => {
  const widths = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1 });
  const types = fc.constantFrom('create_file', 'update_file');
  const order = fc.shuffledSubarray(['type', 'path', 'diff'] as const, { minLength: 3 });
  const text = fc.string({ unit: anyCharacter });
  fc.assert(
    fc.property(types, text, text, order, widths, (type, path, diff, names, cuts) => {
      const given = { type, path, diff };
      const json = JSON.stringify(Object.fromEntries(names.map((name) => [name, given[name]])));
      const seen = restoredInBatches(translate([patch]), cutUp(callOf(1, 'apply_patch', json), cuts));
      const operation = { type, path, diff };
      assert.deepEqual(seen, [
        {
          kind: 'hosted',
          block: 1,
          type: 'apply_patch_call',
          fields: { call_id: 'call_1', operation: { ...operation, diff: '' } },
        },
        ...(diff === '' ? [] : [{ kind: 'fragment', block: 1, text: diff }]),
        { kind: 'result', block: 1, fields: { call_id: 'call_1', operation } },
        { kind: 'end', block: 1 },
      ]);
    }),
  );
});

test('a deletion has no diff; a nested operation and a short type are understood', () => {
  const cases: [string, object][] = [
    ['{"type":"delete_file","path":"a"}', { type: 'delete_file', path: 'a' }],
    ['{"operation":{"type":"delete_file","path":"a"}}', { type: 'delete_file', path: 'a' }],
    ['{"type":"create","path":"a","diff":"+x"}', { type: 'create_file', path: 'a', diff: '+x' }],
  ];
  for (const [text, operation] of cases) {
    const result = resultOf(restored(translate([patch]), callOf(1, 'apply_patch', text)));
    assert.deepEqual(result, { kind: 'result', block: 1, fields: { call_id: 'call_1', operation } });
  }
});

test('a dialect that never ends its calls is understood, and what a limit cut off is not run', () => {
  const open = (text: string): Delta[] => callOf(1, 'shell', text).slice(0, 2);
  const kinds = (deltas: readonly Delta[]) => restored(translate([shell]), deltas).map(({ kind }) => kind);
  assert.deepEqual(kinds(open('{"commands":["ls"]}')), ['hosted', 'result']);
  const cut: Delta[] = [...open('{"commands":["rm -rf /tmp'), { kind: 'finish', reason: 'length' }];
  assert.deepEqual(kinds(cut), ['hosted', 'finish']);
});

test('replayed items of these tools become calls of the functions with their outputs', () => {
  const { request } = translate(
    [shell, patch],
    [
      {
        kind: 'hosted',
        type: 'shell_call',
        fields: {
          call_id: 'a',
          action: { commands: ['ls'], timeout_ms: null },
          arguments: '{"commands": ["ls"]}',
        },
      },
      {
        kind: 'hosted',
        type: 'apply_patch_call',
        fields: { call_id: 'b', operation: { type: 'delete_file', path: 'x' } },
      },
      { kind: 'hosted', type: 'shell_call_output', fields: { call_id: 'a', output: [{ stdout: 'x' }] } },
      {
        kind: 'hosted',
        type: 'apply_patch_call_output',
        status: 'completed',
        fields: { call_id: 'b', output: 'gone' },
      },
      { kind: 'hosted', type: 'shell_call_output', fields: { call_id: 'unknown', output: [] } },
    ],
  );
  const text = (said: string) => [{ kind: 'text', text: said }];
  assert.deepEqual(request.items, [
    { kind: 'call', form: 'function', callId: 'a', name: 'shell', input: '{"commands": ["ls"]}' },
    {
      kind: 'call',
      form: 'function',
      callId: 'b',
      name: 'apply_patch',
      input: '{"type":"delete_file","path":"x"}',
    },
    { kind: 'call_output', form: 'function', callId: 'a', output: text('[{"stdout":"x"}]') },
    { kind: 'call_output', form: 'function', callId: 'b', output: text('gone') },
    { kind: 'message', role: 'user', content: text('[]') },
  ]);
});

test('the result of a patch is added where its output does not contain it', () => {
  const ended = (call_id: string, status: string, output?: string): Item[] => [
    {
      kind: 'hosted',
      type: 'apply_patch_call',
      fields: { call_id, operation: { type: 'delete_file', path: 'x' } },
    },
    { kind: 'hosted', type: 'apply_patch_call_output', status, fields: { call_id, output } },
  ];
  const items = [
    ...ended('a', 'failed'),
    ...ended('b', 'completed'),
    ...ended('c', 'failed', 'No such file.'),
  ];
  const told = translate([patch], items).request.items.flatMap((item) =>
    item.kind === 'call_output' ? item.output : [],
  );
  assert.deepEqual(told, [
    { kind: 'text', text: 'failed' },
    { kind: 'text', text: 'completed' },
    { kind: 'text', text: '{"output":"No such file.","status":"failed"}' },
  ]);
});

test('items of the older shell are sent as items of the offered one', () => {
  const { request } = translate(
    [shell],
    [
      {
        kind: 'hosted',
        type: 'local_shell_call',
        id: 'lsh_1',
        fields: { call_id: 'a', action: { type: 'exec', command: ['ls', '-la'], env: {} } },
      },
      { kind: 'hosted', type: 'local_shell_call_output', id: 'a', fields: { output: 'x' } },
    ],
  );
  const input = '{"commands":["ls -la"],"timeout_ms":null,"max_output_length":null}';
  assert.deepEqual(request.items, [
    { kind: 'call', form: 'function', callId: 'a', name: 'shell', input },
    { kind: 'call_output', form: 'function', callId: 'a', output: [{ kind: 'text', text: 'x' }] },
  ]);
});
