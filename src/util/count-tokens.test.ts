import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { countTokens, countTokensOf } from './count-tokens.ts';

const folder = join(import.meta.dirname, '../../test/texts');
const { counts } = JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8')) as {
  counts: Record<string, number>;
};
const texts = Object.entries(counts).map(([file, tokens]) => ({
  file,
  text: readFileSync(join(folder, file), 'utf8'),
  tokens,
}));
const page = readFileSync(join(import.meta.dirname, '../../docs/token-estimates.md'), 'utf8');
const errorOf = (text: string, tokens: number) => countTokens(text) / tokens - 1;

test('every text is counted as docs/token-estimates.md describes', () => {
  for (const { file, text, tokens } of texts) {
    const percent = Math.round(errorOf(text, tokens) * 100);
    const row = `| ${file} | ${tokens} | ${countTokens(text)} | ${percent} % |`;
    assert.ok(page.includes(row), `docs/token-estimates.md lacks: ${row}`);
  }
});

test('no text is off by a third, and all together by less than a tenth', () => {
  const errors = texts.map(({ text, tokens }) => Math.abs(errorOf(text, tokens)));
  assert.ok(Math.max(...errors) < 1 / 3, `${Math.max(...errors)}`);
  assert.ok(errors.reduce((sum, error) => sum + error, 0) / errors.length < 0.1);
});

test('a long text is counted by slices, about as well', () => {
  for (const { file, text, tokens } of texts) {
    const copies = Math.ceil(200_000 / text.length);
    const error = errorOf(text.repeat(copies), tokens * copies);
    assert.ok(Math.abs(error) < 0.4, `${file}: ${error}`);
  }
});

test('the error for mixed conversations is as documented, and rarely a quarter', () => {
  const random = numbers();
  const errors = Array.from({ length: 300 }, () => {
    const chosen = Array.from({ length: 10 + (random() % 91) }, () => texts[random() % texts.length]);
    const together = chosen.flatMap((one) => one ?? []);
    const tokens = together.reduce((sum, one) => sum + one.tokens, 0);
    return Math.abs(countTokensOf(together.map(({ text }) => text)) / tokens - 1);
  }).sort((one, other) => one - other);
  const mean = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const claim = `random order it is off by ${Math.round(mean * 100)} %`;
  assert.ok(page.includes(claim), `docs/token-estimates.md lacks: ${claim}`);
  assert.ok((errors[270] ?? 1) < 0.25, `${errors[270]}`);
});

test('texts in many small pieces count like one whole', () => {
  const { text } = texts.find(({ file }) => file === 'markdown.txt') ?? { text: '' };
  const long = text.repeat(20);
  const pieces = Array.from({ length: Math.ceil(long.length / 50) }, (_, at) =>
    long.slice(at * 50, at * 50 + 50),
  );
  const ratio = countTokensOf(pieces) / countTokens(long);
  assert.ok(ratio > 0.9 && ratio < 1.25, `${ratio}`);
  assert.equal(countTokensOf(['', long, '', '']), countTokens(long));
});

test('nothing is no token', () => {
  assert.equal(countTokens(''), 0);
});

/** The same numbers at every run. */
function numbers(): () => number {
  let state = 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state;
  };
}
