import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { ThinkTags } from './text-writer.ts';

/** The joined text of all pieces: thoughts and text. */
function part(...pieces: string[]): readonly [thought: string, text: string] {
  const tags = new ThinkTags();
  const stretches = [...pieces.flatMap((piece) => tags.push(piece)), ...tags.end()];
  const joined = (thought: boolean) =>
    stretches
      .filter((stretch) => stretch.thought === thought)
      .map(({ text }) => text)
      .join('');
  return [joined(true), joined(false)];
}

const cases: readonly (readonly [string, string, string])[] = [
  ['<think>hm</think>yes', 'hm', 'yes'],
  ['\n <think>\nhm\n</think>\n\nyes\n', 'hm\n', 'yes\n'],
  ['no thought at all', '', 'no thought at all'],
  ['  <thin ice', '', '  <thin ice'],
  ['text <think>later</think>', '', 'text <think>later</think>'],
  ['<think>never closed </thin', 'never closed </thin', ''],
  ['<think></think>yes', '', 'yes'],
  ['<think>a</think>b</think>c', 'a', 'b</think>c'],
  ['<thi', '', '<thi'],
  ['', '', ''],
  [`${' '.repeat(300)}<think>hm</think>yes`, 'hm', 'yes'],
  [`${'\n'.repeat(300)}yes`, '', `${'\n'.repeat(300)}yes`],
];

for (const [text, thought, rest] of cases) {
  test(`thought and answer of ${JSON.stringify(text)}, however it is cut`, () => {
    assert.deepEqual(part(text), [thought, rest]);
    assert.deepEqual(part(...text), [thought, rest]);
    for (let at = 1; at < text.length; at++) {
      assert.deepEqual(part(text.slice(0, at), text.slice(at)), [thought, rest], `cut at ${at}`);
    }
  });
}

test('any text in any pieces is parted as in one', () => {
  const bit = fc.oneof(fc.constantFrom('<think>', '</think>', '<', 'think', '>', ' ', '\n'), fc.string());
  fc.assert(fc.property(fc.array(bit), (bits) => assert.deepEqual(part(...bits), part(bits.join('')))));
});
