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
import type { Tool } from '../core/request.ts';

const custom: Tool = {
  kind: 'custom',
  name: 'run',
  description: 'Runs code.',
  grammar: { syntax: 'regex', definition: '[a-z]+' },
};
const asFunction = {
  'tool.custom': { emulated: 'as-function' },
  'tool.custom.grammar': { emulated: 'described' },
} as const;

test('a custom tool is sent as a function with one string, with its grammar described', () => {
  const { request, ...rest } = translated({
    support: asFunction,
    request: {
      tools: [custom, { kind: 'function', name: 'f' }],
      toolChoice: { kind: 'tool', form: 'custom', name: 'run' },
      items: [
        { kind: 'call', form: 'custom', callId: 'c', name: 'run', input: 'say "hi"' },
        { kind: 'call_output', form: 'custom', callId: 'c', output: [{ kind: 'text', text: 'hi' }] },
      ],
    },
  });
  const [run, other] = request.tools;
  assert.ok(run?.kind === 'function');
  assert.equal(run.description, 'Runs code.\n\nThe input must follow this regex grammar:\n[a-z]+');
  assert.deepEqual(run.parameters?.required, ['input']);
  assert.deepEqual(other, { kind: 'function', name: 'f' });
  assert.deepEqual(request.toolChoice, { kind: 'tool', form: 'function', name: 'run' });
  assert.deepEqual(request.items, [
    { kind: 'call', form: 'function', callId: 'c', name: 'run', input: '{"input":"say \\"hi\\""}' },
    { kind: 'call_output', form: 'function', callId: 'c', output: [{ kind: 'text', text: 'hi' }] },
  ]);
  assert.deepEqual(altered({ request, ...rest }), ['tools[0] emulated', 'tools[0].format emulated']);
});

test('its calls come back with free text, and other calls as they are', () => {
  const translation = translated({
    support: asFunction,
    request: { tools: [custom, { kind: 'function', name: 'f' }] },
  });
  const deltas = [...callOf(1, 'run', '{"input":"ls"}'), ...callOf(2, 'f', '{"input":"x"}')];
  assert.deepEqual(restored(translation, deltas), [
    { kind: 'call', block: 1, form: 'custom', name: 'run', callId: 'call_1' },
    { kind: 'arguments', block: 1, text: 'ls' },
    { kind: 'end', block: 1 },
    ...callOf(2, 'f', '{"input":"x"}'),
  ]);
});

test('the text is the same wherever fragments are cut', () => {
  const widths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), widths, (input, cuts) => {
      const deltas = callOf(1, 'run', JSON.stringify({ input }));
      const request = { tools: [custom] };
      assert.deepEqual(
        restoredInBatches(translated({ support: asFunction, request }), cutUp(deltas, cuts)),
        restored(translated({ support: asFunction, request }), deltas),
      );
    }),
  );
});

test('where custom tools are supported but grammars are not, only the grammar is described', () => {
  const { request } = translated({
    support: { 'tool.custom.grammar': { emulated: 'described' } },
    request: { tools: [custom] },
  });
  assert.deepEqual(request.tools, [
    {
      kind: 'custom',
      name: 'run',
      description: 'Runs code.\n\nThe input must follow this regex grammar:\n[a-z]+',
    },
  ]);
});

test('a custom tool in a namespace comes back with its namespace', () => {
  const translation = translated({
    support: { ...asFunction, 'tool.namespace': { emulated: 'flattened' } },
    request: { tools: [{ kind: 'namespace', name: 'dev', description: 'Tools.', tools: [custom] }] },
  });
  assert.deepEqual(restored(translation, callOf(1, 'dev__run', '{"input":"ls"}'))[0], {
    kind: 'call',
    block: 1,
    form: 'custom',
    name: 'run',
    namespace: 'dev',
    callId: 'call_1',
  });
});
