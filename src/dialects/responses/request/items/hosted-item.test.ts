import assert from 'node:assert/strict';
import { test } from 'node:test';
import { itemSamples } from '../../../../../test/samples/request-kinds.ts';
import { parse, refusal } from '../../../../../test/support/request-parsing.ts';
import type { Item } from '../../../../core/request.ts';

const hello = { role: 'user', content: 'Hello.' };

function itemsOf(...input: unknown[]): readonly Item[] {
  return JSON.parse(JSON.stringify(parse({ input }).canonical.items));
}

test('a hosted item keeps its members as they were sent, null and nested ones too', () => {
  const shell = {
    type: 'shell_call',
    id: 'sh_1',
    status: 'in_progress',
    call_id: 'c1',
    action: { commands: ['ls'], timeout_ms: null, max_output_length: null, later: true },
    arguments: '{"raw": 1}',
    environment: null,
    subagent_id: 'a',
  };
  const { type: _type, id: _id, status: _status, subagent_id: _subagent, ...fields } = shell;
  assert.deepEqual(itemsOf(shell), [
    {
      kind: 'hosted',
      type: 'shell_call',
      id: 'sh_1',
      status: 'in_progress',
      fields,
      extra: { subagent_id: 'a' },
    },
  ]);
});

test('every sample reaches the canonical request whole: what is not a field is extra', () => {
  for (const [type, samples] of Object.entries(itemSamples)) {
    for (const sample of samples) {
      const [item] = itemsOf(sample, hello);
      if (item?.kind !== 'hosted') continue;
      const { kind: _kind, fields, extra, ...base } = item;
      assert.deepEqual({ ...base, ...fields, ...extra }, withoutNullStatus(sample), type);
    }
  }
});

function withoutNullStatus(sample: Record<string, unknown>) {
  const { status, ...others } = sample;
  return typeof status === 'string' ? sample : others;
}

test('outputs of shells, patches and computers need no call', () => {
  const orphans = [
    'shell_call_output',
    'apply_patch_call_output',
    'computer_call_output',
    'local_shell_call_output',
  ];
  for (const type of orphans) assert.equal(itemsOf(hello, itemSamples[type]?.[1]).length, 2);
});

test('a call without output may have hosted calls after it, but nothing else', () => {
  const call = { type: 'function_call', call_id: 'c9', name: 'f', arguments: '{}' };
  assert.equal(itemsOf(call, itemSamples.shell_call?.[0], itemSamples.web_search_call?.[0]).length, 3);
  for (const type of ['shell_call_output', 'mcp_list_tools', 'compaction']) {
    assert.deepEqual(refusal({ input: [call, itemSamples[type]?.[0]] }), [
      422,
      'input[0].call_id: the call "c9" has no output; send one, or end the input with the call',
    ]);
  }
});
