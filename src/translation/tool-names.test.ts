import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createCall } from '../../test/fake-upstream/upstream-call.ts';
import { assertGrowsEvenly } from '../../test/support/assert-grows-evenly.ts';
import { supportOf } from '../../test/support/scripted-upstream.ts';
import type { CanonicalChat, FunctionTool, Item } from '../core/request.ts';
import { usualNames } from '../upstream/tool-limits.ts';
import { featuresUsed } from './features-used.ts';
import { translate } from './translate.ts';

const long = 'n'.repeat(65);
const tool = (name: string): FunctionTool => ({ kind: 'function', name });
const call = (name: string): Item => ({ kind: 'call', form: 'function', callId: name, name, input: '{}' });

function translated(changes: Partial<CanonicalChat>) {
  const { request, model, endpoint } = createCall({ request: changes });
  const support = { ...supportOf({}), toolNames: usualNames };
  return translate(request, featuresUsed(request), { model, endpoint, support });
}

test('a name is replaced wherever it stands, also where the tool was added later or is no longer offered', () => {
  const later: Item = { kind: 'additional_tools', tools: [tool(`${long}1`)] };
  const { request, alterations } = translated({
    tools: [tool(long), tool('plain')],
    items: [call(`${long}2`), later],
    toolChoice: { kind: 'allowed', mode: 'auto', names: [long, 'plain'] },
  });
  const names = [
    ...request.tools.flatMap((one) => ('name' in one ? one.name : [])),
    ...request.items.flatMap((item) => {
      if (item.kind === 'call') return item.name;
      return item.kind === 'additional_tools'
        ? item.tools.flatMap((one) => ('name' in one ? one.name : []))
        : [];
    }),
  ];
  assert.equal(new Set(names).size, 4);
  for (const name of names) assert.match(name, /^[\w-]{1,64}$/);
  assert.deepEqual(request.toolChoice, { kind: 'allowed', mode: 'auto', names: names.slice(0, 2) });
  const told = alterations.filter(({ field }) => field.endsWith('.name'));
  assert.deepEqual(
    told.map(({ field, action }) => [field, action]),
    [['tools[0].name', 'emulated']],
  );
  assert.match(told[0]?.how ?? '', /as are 2 others$/);
});

test('a name that fits is never given to another tool', () => {
  const [shortened] = translated({ tools: [tool(long)] }).request.tools.flatMap((one) =>
    'name' in one ? one.name : [],
  );
  assert.ok(shortened);
  const { request } = translated({ tools: [tool('a.b'), tool('a_b')] });
  const names = request.tools.flatMap((one) => ('name' in one ? one.name : []));
  assert.equal(names[1], 'a_b');
  assert.notEqual(names[0], 'a_b');
});

test('the time grows with the number of names', () => {
  assertGrowsEvenly(80_000, (length) => {
    const items = Array.from({ length }, (_, at) => call(`${long}${at}`));
    assert.equal(translated({ items }).request.items.length, length);
  });
});
