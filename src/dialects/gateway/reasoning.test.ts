import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalOf, parse, refusal } from '../../../test/support/request-parsing.ts';

const allowed = '"effort", "max_tokens", "enabled", "summary", "context", "mode", "exclude"';

/** `reasoning` and the exact answer to it (docs/spec/requests.md#reasoning). */
const refused: readonly (readonly [unknown, string])[] = [
  ['high', 'reasoning: expected an object, got a string'],
  [{ efort: 'high' }, `reasoning.efort: unknown field, allowed are ${allowed}`],
  [JSON.parse('{"__proto__":{}}'), `reasoning.__proto__: unknown field, allowed are ${allowed}`],
  [
    { effort: 'huge' },
    'reasoning.effort: must be one of "max", "xhigh", "high", "medium", "low", "minimal", "none", got "huge"',
  ],
  [{ max_tokens: 0 }, 'reasoning.max_tokens: must be at least 1, got 0'],
  [{ enabled: 'yes' }, 'reasoning.enabled: expected a boolean, got a string'],
  [{ summary: 'long' }, 'reasoning.summary: must be one of "auto", "concise", "detailed", got "long"'],
  [{ context: 'none' }, 'reasoning.context: must be one of "auto", "all_turns", "current_turn", got "none"'],
  [{ mode: 'amateur' }, 'reasoning.mode: must be one of "standard", "pro", got "amateur"'],
  [{ exclude: 1 }, 'reasoning.exclude: expected a boolean, got a number'],
];

for (const [reasoning, message] of refused) {
  test(message.slice(0, 90), () => assert.deepEqual(refusal({ reasoning }), [400, message]));
}

/** `reasoning`, what it becomes, and how the response repeats it. */
const accepted: readonly (readonly [unknown, object | undefined, object | null])[] = [
  [undefined, undefined, null],
  [null, undefined, null],
  [{}, undefined, {}],
  [{ effort: null }, undefined, {}],
  [{ enabled: true }, { effort: 'medium' }, { enabled: true }],
  [{ enabled: false, effort: 'high' }, { effort: 'none' }, { enabled: false, effort: 'high' }],
  [{ enabled: true, effort: 'low' }, { effort: 'low' }, { enabled: true, effort: 'low' }],
  [{ enabled: true, max_tokens: 9 }, { maxTokens: 9 }, { enabled: true, max_tokens: 9 }],
  [
    { effort: 'max', max_tokens: 99, summary: 'auto', context: 'all_turns', mode: 'pro', exclude: true },
    { effort: 'max', maxTokens: 99, summary: 'auto', context: 'all_turns', mode: 'pro', exclude: true },
    { effort: 'max', max_tokens: 99, summary: 'auto', context: 'all_turns', mode: 'pro', exclude: true },
  ],
];

for (const [reasoning, expected, echo] of accepted) {
  test(`reasoning ${JSON.stringify(reasoning)}`, () => {
    assert.deepEqual(Object(canonicalOf({ reasoning })).reasoning, expected);
    assert.deepEqual(parse({ reasoning }).echo.reasoning, echo);
  });
}

test('a budget must be below the output limit', () => {
  assert.equal(refusal({ reasoning: { max_tokens: 11 }, max_output_tokens: 10 })[0], 422);
  assert.equal(parse({ reasoning: { max_tokens: 9 }, max_output_tokens: 10 }).canonical.maxOutputTokens, 10);
});
