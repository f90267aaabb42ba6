import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../../../test/support/request-parsing.ts';

const hello = { role: 'user', content: 'Hello.' };
const update = (effort: string) => ({ type: 'configuration_update', reasoning: { effort }, later: 1 });

test('an update stands where it was sent', () => {
  const { items } = parse({ input: [hello, update('low'), hello, update('max')] }).canonical;
  assert.deepEqual(
    items.map((item) => (item.kind === 'configuration_update' ? item.effort : item.kind)),
    ['message', 'low', 'message', 'max'],
  );
  assert.deepEqual(items[1]?.extra, { later: 1 });
});

test('two updates in a row are refused, also around a message that says nothing', () => {
  const refused = [400, 'must not follow another configuration_update, send only the last of them'];
  for (const between of [[], [{ role: 'user', content: '' }]]) {
    const input = [hello, update('low'), ...between, update('high'), hello];
    assert.deepEqual(refusal({ input }), [refused[0], `input[${input.length - 2}]: ${refused[1]}`]);
  }
});
