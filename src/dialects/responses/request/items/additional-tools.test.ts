import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse, refusal } from '../../../../../test/support/request-parsing.ts';

const hello = { role: 'user', content: 'Hello.' };

function added(...tools: unknown[]) {
  return { type: 'additional_tools', role: 'developer', tools };
}

test('known tools become canonical, and entries of unknown kinds are kept as they are', () => {
  const later = { type: 'a_later_kind', settings: { deep: [1] } };
  const [item] = parse({ input: [added({ type: 'function', name: 'f' }, later, { type: 'shell' }), hello] })
    .canonical.items;
  assert(item?.kind === 'additional_tools');
  assert.deepEqual(
    item.tools.map((tool) => tool.kind),
    ['function', 'hosted'],
  );
  assert.deepEqual(item.others, [later]);
});

test('added tools may be chosen, required and called without waiting', () => {
  const input = [
    added({ type: 'function', name: 'f', async: true }),
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    hello,
  ];
  const { canonical, parameters } = parse({ input, tool_choice: { type: 'function', name: 'f' } });
  assert.deepEqual(canonical.toolChoice, { kind: 'tool', form: 'function', name: 'f' });
  assert.deepEqual(parameters, ['tools', 'tool_choice']);
  assert.equal(parse({ input, tool_choice: 'required' }).canonical.toolChoice.kind, 'required');
  assert.equal(refusal({ input: [hello], tool_choice: 'required' })[0], 422);
});

test('a name may come again in a later item, but not twice in one', () => {
  const f = { type: 'function', name: 'f' };
  assert.equal(parse({ tools: [f], input: [added(f), added(f), hello] }).canonical.items.length, 3);
  assert.deepEqual(refusal({ input: [added(f, f), hello] }), [
    422,
    'input[0].tools[1].name: "f" is already the name of input[0].tools[0]',
  ]);
});

test("the service's own tools join those that are listed, behind them", () => {
  const tools = [{ type: 'service:datetime' }];
  const { canonical } = parse({ tools, input: [added({ type: 'word:files' }), hello] });
  assert.deepEqual(
    canonical.serviceTools?.map(({ type, spelled }) => [type, spelled]),
    [
      ['service:datetime', 'service:datetime'],
      ['service:files', 'word:files'],
    ],
  );
});
