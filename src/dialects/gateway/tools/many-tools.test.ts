import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGrowsEvenly } from '../../../../test/support/assert-grows-evenly.ts';
import { parse } from '../../../../test/support/request-parsing.ts';
import type { FunctionTool } from '../../../core/request.ts';
import { readToolChoice } from './tool-choice.ts';

test('each of many allowed tools is found without looking through all tools', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `f${index}`);
  let looks = 0;
  const tools = names.map(
    (name): FunctionTool => ({
      kind: 'function',
      get name() {
        looks += 1;
        return name;
      },
    }),
  );
  const choice = {
    type: 'allowed_tools',
    mode: 'auto',
    tools: names.map((name) => ({ type: 'function', name })),
  };
  const read = readToolChoice(choice, { tools }, (name) => name);
  assert.deepEqual(read.choice, { kind: 'allowed', mode: 'auto', names });
  assert.ok(looks <= 10 * names.length, `${looks} looks at names`);
});

test('tools added one by one are gathered in one go', () => {
  assertGrowsEvenly(80_000, (length) => {
    const add = Array.from({ length }, (_, index) => ({
      type: 'additional_tools',
      role: 'user',
      tools: [{ type: 'function', name: `f${index}` }],
    }));
    const { canonical } = parse({ input: [...add, { role: 'user', content: 'Hello.' }] });
    assert.equal(canonical.items.length, length + 1);
  });
});
