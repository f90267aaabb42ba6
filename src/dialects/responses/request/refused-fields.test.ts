import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from '../../../../test/support/request-parsing.ts';

const message = (body: object): string => {
  try {
    parse({ model: 'acme/atlas-4', input: 'Hi', ...body });
    return 'taken';
  } catch (error) {
    return error instanceof Error ? error.message : 'no error';
  }
};

test('members of another dialect are refused with the member to use instead', () => {
  const cases: readonly (readonly [body: object, RegExp])[] = [
    [{ messages: [{ role: 'user', content: 'Hi' }] }, /^messages: .*use input(, or|$)/],
    [{ max_tokens: 5 }, /^max_tokens: .*use max_output_tokens(, or|$)/],
    [{ max_completion_tokens: 5 }, /use max_output_tokens(, or|$)/],
    [{ response_format: { type: 'json_object' } }, /use text\.format(, or|$)/],
    [{ reasoning_effort: 'low' }, /use reasoning\.effort(, or|$)/],
    [{ functions: [{ name: 'f' }] }, /use tools(, or|$)/],
    [{ function_call: 'auto' }, /use tool_choice(, or|$)/],
    [{ n: 2 }, /^n: must be 1/],
    [{ n: 'two' }, /^n: must be 1/],
  ];
  for (const [body, expected] of cases) assert.match(message(body), expected, JSON.stringify(body));
});

test('as absent count null, one answer and empty arrays; members that nobody knows are taken', () => {
  for (const body of [
    { max_tokens: null },
    { n: 1 },
    { n: null },
    { messages: [] },
    { functions: [] },
    { best_of: 3 },
  ]) {
    assert.equal(message(body), 'taken', JSON.stringify(body));
  }
});

test('a preset must be a text; null is none', () => {
  assert.equal(message({ preset: 5 }), 'preset: expected a string, got a number');
  assert.equal(message({ preset: 'fast' }), 'preset: there is no preset "fast"');
  assert.equal(message({ preset: 'fast', model: null }), 'preset: there is no preset "fast"');
  assert.equal(message({ preset: null }), 'taken');
});
