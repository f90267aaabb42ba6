import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertGrowsEvenly } from '../../test/support/assert-grows-evenly.ts';
import { FreeObjects, foreign } from './free-objects.ts';
import { joinTexts } from './joined-texts.ts';
import { isMedia } from './media-texts.ts';
import { scanTexts } from './scan-texts.ts';
import { TextCollection } from './text-collection.ts';

const rules = {
  filters: [
    { what: { kind: 'builtin', slug: 'email' }, action: 'redact', placeholder: '[EMAIL]' } as const,
    { what: { kind: 'builtin', slug: 'phone' }, action: 'redact', placeholder: '[PHONE]' } as const,
    {
      what: { kind: 'pattern', pattern: 'password: \\S+' },
      action: 'redact',
      placeholder: '[WORD]',
    } as const,
  ],
  allowedPhrases: [],
};

/** What is left of texts that may be joined. Patterns are found by child processes, so here by hand. */
function left(texts: readonly string[]): readonly string[] {
  const collected = new TextCollection();
  collected.joined(texts, foreign);
  const found = collected.texts.map((one) => ({
    ...one,
    found: [...one.text.matchAll(/password: \S+/g)].map(({ index: start, 0: { length } }) => ({
      start,
      end: start + length,
      filter: 2,
    })),
  }));
  return collected.redacting(scanTexts(found, rules), rules).joined(texts, foreign);
}

test('a value over borders is replaced in the first text and vanishes from the others', () => {
  const cases: readonly (readonly [texts: readonly string[], expected: readonly string[]])[] = [
    [
      ['Say jane.', 'doe@exam', 'ple.com, please'],
      ['Say [EMAIL]', '', ', please'],
    ],
    [
      ['Call 555', '123-4567 now'],
      ['Call [PHONE]', ' now'],
    ],
    [
      ['Call (555)', '123-4567, or a@b.example'],
      ['Call [PHONE]', ', or [EMAIL]'],
    ],
    [
      ['jane@one.example', 'and joe@two.example'],
      ['[EMAIL]', 'and [EMAIL]'],
    ],
    [
      ['Nothing', 'to', 'find'],
      ['Nothing', 'to', 'find'],
    ],
    // A whole address by itself takes nothing of its neighbour; a pattern does not say where a value ends.
    [
      ['a@b.example', '.org or not'],
      ['[EMAIL]', '.org or not'],
    ],
    [
      ['password: hun', 'ter2 it is'],
      ['[WORD]', ' it is'],
    ],
  ];
  for (const [texts, expected] of cases) assert.deepEqual(left(texts), expected, texts.join('|'));
});

test('of long texts what stands at their borders is read together, and cut where a word ends', () => {
  const filler = 'All work and no play. '.repeat(5_000);
  assert.deepEqual(left([`${filler}jane.doe@exam`, 'ple.com', `, please. ${filler}`]), [
    `${filler}[EMAIL]`,
    '',
    `, please. ${filler}`,
  ]);
  const [first, second, ...others] = joinTexts([filler, filler, filler], '');
  assert.equal(others.length, 0);
  for (const joined of [first, second]) {
    assert.ok(joined !== undefined && joined.text.length < 9_000, String(joined?.text.length));
    assert.match(joined.text, /^[A-Z]?\w+/);
  }
  // Ten digits of a longer number are none.
  const digits = `${'1'.repeat(37)} `.repeat(1_000);
  assert.deepEqual(left([digits, digits]), [digits, digits]);
});

test('many texts with many values, runs of blanks, and deep seals take time that grows evenly', () => {
  assertGrowsEvenly(32_000, (count) => {
    left(Array.from({ length: count }, (_, index) => `a${index}@b.example `));
  });
  const free = new FreeObjects({ text: (text) => text, joined: (texts) => texts });
  assertGrowsEvenly(4_000_000, (count) => {
    free.wire(
      {
        result: `${' '.repeat(count)}!`,
        data: `${'='.repeat(count)}!`,
        encrypted_content: 'a.'.repeat(count),
      },
      foreign,
    );
  });
  const deep = { signature: `${'['.repeat(200_000)}${']'.repeat(200_000)}` };
  assert.equal(free.wire(deep, foreign), deep);
});

test('media are known by their first bytes, each kind by its own', () => {
  const heads: readonly (readonly [kind: Parameters<typeof isMedia>[1], hex: string])[] = [
    ['image', '89504e470d0a1a0a'],
    ['image', 'ffd8ffe0'],
    ['image', '474946383961'],
    ['image', '52494646000000005745425056503820'],
    ['image', '0000001c6674797061766966'],
    ['audio', '49443304000000'],
    ['audio', 'fffb9064'],
    ['audio', '524946460000000057415645'],
    ['audio', '4f67675300'],
    ['video', '00000018667479706d703432'],
    ['video', '1a45dfa3'],
    ['file', '255044462d312e37'],
    ['file', '504b0304'],
    ['file', 'd0cf11e0a1b11ae1'],
  ];
  for (const [kind, hex] of heads) {
    const data = Buffer.from(`${hex}00`, 'hex').toString('base64');
    assert.ok(isMedia(data, kind), hex);
    assert.ok(isMedia(data, 'file'), hex);
  }
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  for (const text of [
    'Jane said so.',
    'ID3 tags are old.',
    'GIF or PNG?',
    'RIFF',
    'see %PDF-1.4',
    '\ufffdWhat',
    'box free as in beer',
  ]) {
    for (const kind of ['image', 'audio', 'video', 'file'] as const)
      assert.ok(!isMedia(base64(text), kind), text);
  }
  assert.ok(!isMedia(base64('%PDF-1.4'), 'image'));
});
