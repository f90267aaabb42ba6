import assert from 'node:assert/strict';
import { test } from 'node:test';
import { capabilitiesOf } from './priced-models.ts';

test('what is known of Claude follows its versions', () => {
  const known = (name: string) => {
    const { reasoning, maxCompletionTokens } = capabilitiesOf(`anthropic/${name}`);
    return [reasoning?.mandatory, reasoning?.supportsMaxTokens, maxCompletionTokens];
  };
  assert.deepEqual(known('claude-3-5-haiku-latest'), [undefined, undefined, 8192]);
  assert.deepEqual(known('claude-opus-4-1'), [false, true, 32_000]);
  assert.deepEqual(known('claude-sonnet-4-20250514'), [false, true, 64_000]);
  assert.deepEqual(known('claude-haiku-4-5'), [false, true, 64_000]);
  assert.deepEqual(known('claude-sonnet-4-6'), [false, undefined, 128_000]);
  for (const name of ['claude-opus-4-7', 'claude-sonnet-5', 'claude-opus-5', 'claude-haiku-5-5']) {
    assert.deepEqual(known(name), [false, false, 128_000], name);
  }
  for (const name of ['claude-fable-5', 'claude-mythos-5-1', 'claude-opus-5-5']) {
    assert.deepEqual(known(name), [true, false, 128_000], name);
  }
});
