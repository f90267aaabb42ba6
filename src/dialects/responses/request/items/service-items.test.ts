import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { serviceItems } from '../../../../../test/generators/valid-hosted-items.ts';
import { parse, refusal } from '../../../../../test/support/request-parsing.ts';
import type { Item } from '../../../../core/request.ts';

const hello = { role: 'user', content: 'Hello.' };
const reserved = ['code_interpreter', 'file_search', 'mcp', 'memory', 'text_editor', 'browser_use'];

function itemsOf(...input: unknown[]): readonly Item[] {
  return JSON.parse(JSON.stringify(parse({ input }).canonical.items));
}

test('an item of a tool of the service keeps its members in their mixed casing', () => {
  const fetched = {
    type: 'service:web_fetch',
    id: 'st_1',
    status: 'completed',
    url: 'u',
    httpStatus: 200,
    error: null,
  };
  assert.deepEqual(itemsOf({ ...fetched, instance_name: 'a' }), [
    {
      kind: 'service',
      type: 'service:web_fetch',
      id: 'st_1',
      fields: { url: 'u', httpStatus: 200, error: null },
      extra: { instance_name: 'a' },
    },
  ]);
});

test("the operator's word for the prefix is read as the prefix", () => {
  const [item] = itemsOf({ type: 'word:datetime', datetime: '2026-11-21T12:00:00Z', timezone: 'UTC' });
  assert(item?.kind === 'service');
  assert.equal(item.type, 'service:datetime');
});

test('every kind is accepted; the reserved ones say nothing', () => {
  for (const kind of serviceItems) {
    for (const sample of fc.sample(kind, 20)) {
      const name = String(sample.type).slice('service:'.length);
      assert.equal(itemsOf(sample, hello).length, reserved.includes(name) ? 1 : 2, name);
    }
  }
});

test('only advisor and subagent can have failed', () => {
  assert.equal(itemsOf({ type: 'service:subagent', status: 'failed', error: 'E' }).length, 1);
  assert.deepEqual(refusal({ input: [{ type: 'service:bash', status: 'failed' }] }), [
    400,
    'input[0].status: must be one of "in_progress", "completed", "incomplete", got "failed"',
  ]);
});
