import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { altered, callOf, restored, translated } from '../../test/support/translating.ts';
import type { Tool } from '../core/request.ts';

const support = { 'tool.namespace': { emulated: 'flattened' } } as const;
const namespaceOf = (name: string, tools: readonly string[]): Tool => ({
  kind: 'namespace',
  name,
  description: 'About the sea.',
  tools: tools.map((tool) => ({
    kind: 'function',
    name: tool,
    outputSchema: {},
    allowedCallers: ['direct'],
  })),
});
const namesOf = (tools: readonly Tool[]) => tools.map((tool) => ('name' in tool ? tool.name : ''));

test('tools of a namespace get prefixed names, in the conversation too', () => {
  const translation = translated({
    support,
    request: {
      tools: [namespaceOf('sea', ['tide', 'wave'])],
      toolChoice: { kind: 'tool', form: 'function', name: 'tide', namespace: 'sea' },
      items: [
        { kind: 'call', form: 'function', callId: 'c', name: 'wave', namespace: 'sea', input: '{}' },
        { kind: 'call', form: 'function', callId: 'd', name: 'gone', namespace: 'old', input: '{}' },
      ],
    },
  });
  const { request } = translation;
  assert.deepEqual(request.tools, [
    { kind: 'function', name: 'sea__tide', description: 'About the sea.' },
    { kind: 'function', name: 'sea__wave', description: 'About the sea.' },
  ]);
  assert.deepEqual(request.toolChoice, { kind: 'tool', form: 'function', name: 'sea__tide' });
  assert.deepEqual(
    request.items.map((item) => item.kind === 'call' && [item.name, item.namespace]),
    [
      ['sea__wave', undefined],
      ['old__gone', undefined],
    ],
  );
  assert.deepEqual(altered(translation), ['tools[0] emulated']);
  const [call] = restored(translation, callOf(1, 'sea__wave', '{}'));
  assert.deepEqual(call, {
    kind: 'call',
    block: 1,
    form: 'function',
    callId: 'call_1',
    name: 'wave',
    namespace: 'sea',
  });
});

test('of tools that share a name only the one chosen is chosen', () => {
  const tools = [namespaceOf('sea', ['list']), namespaceOf('sky', ['list']), namespaceOf('land', ['map'])];
  const named = translated({
    support,
    request: { tools, toolChoice: { kind: 'tool', form: 'function', name: 'list', namespace: 'sky' } },
  });
  assert.deepEqual(named.request.toolChoice, { kind: 'tool', form: 'function', name: 'sky__list' });
  const allowed = { kind: 'allowed', mode: 'auto', names: ['sky.list'] } as const;
  const told = translated({ support, request: { tools, toolChoice: allowed } });
  assert.deepEqual(told.request.toolChoice, { ...allowed, names: ['sky__list'] });
  const calls = [...callOf(1, 'sea__list', '{}'), ...callOf(2, 'sky__list', '{}')];
  const passed = restored(told, calls).flatMap((delta) => (delta.kind === 'call' ? delta.namespace : []));
  assert.deepEqual(passed, ['sky']);
  const narrowed = translated({
    support: { ...support, 'tool_choice.allowed': { emulated: 'filtered' } },
    request: { tools, toolChoice: { ...allowed, mode: 'required' } },
  });
  assert.deepEqual(namesOf(narrowed.request.tools), ['sky__list']);
  const whole = translated({
    support: { 'tool_choice.allowed': { emulated: 'filtered' } },
    request: { tools, toolChoice: { ...allowed, mode: 'required' } },
  });
  assert.deepEqual(namesOf(whole.request.tools), ['sky'], 'where namespaces are known, other members go');
});

test('a name that is taken or too long becomes another one, always the same', () => {
  const long = 'x'.repeat(40);
  const tools: Tool[] = [
    { kind: 'function', name: 'a__b' },
    namespaceOf('a', ['b']),
    namespaceOf(long, [long]),
  ];
  const first = namesOf(translated({ support, request: { tools } }).request.tools);
  const again = namesOf(translated({ support, request: { tools } }).request.tools);
  assert.deepEqual(first, again);
  assert.equal(new Set(first).size, 3);
  assert.match(first[1] ?? '', /^a__b_[0-9a-f]{8}$/);
  assert.equal(first[2]?.length, 64);
});

test('any set of namespaces gets names that differ, fit, and lead back', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9_-]{1,64}$/);
  const namespaces = fc.uniqueArray(fc.tuple(name, fc.uniqueArray(name, { minLength: 1, maxLength: 4 })), {
    maxLength: 4,
    selector: ([namespace]) => namespace,
  });
  fc.assert(
    fc.property(namespaces, fc.uniqueArray(name, { maxLength: 4 }), (spaces, plain) => {
      const functions = plain.map((own): Tool => ({ kind: 'function', name: own }));
      const tools = [...spaces.map(([space, members]) => namespaceOf(space, members)), ...functions];
      const translation = translated({ support, request: { tools } });
      const flat = namesOf(translation.request.tools);
      assert.equal(new Set(flat).size, flat.length);
      const members = spaces.flatMap(([namespace, names]) =>
        names.map((member) => ({ namespace, name: member })),
      );
      for (const [index, { namespace, name: member }] of members.entries()) {
        const sent = flat[index] ?? '';
        assert.match(sent, /^[\w-]{1,64}$/);
        const [call] = restored(translation, callOf(1, sent, '{}'));
        assert.ok(call?.kind === 'call');
        assert.deepEqual([call.namespace, call.name], [namespace, member]);
      }
    }),
  );
});
