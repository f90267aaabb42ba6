import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { countTokens } from './count-tokens.ts';

const folder = join(import.meta.dirname, '../../test/texts');
const { counts } = JSON.parse(readFileSync(join(folder, 'counts.json'), 'utf8')) as {
  counts: Record<string, number>;
};
const texts = Object.entries(counts).map(([file, tokens]) => ({
  file,
  text: readFileSync(join(folder, file), 'utf8'),
  tokens,
}));
const errorOf = (text: string, tokens: number) => countTokens(text) / tokens - 1;

test('every text is counted as docs/token-estimates.md says', () => {
  const page = readFileSync(join(import.meta.dirname, '../../docs/token-estimates.md'), 'utf8');
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

test('nothing is no token', () => {
  assert.equal(countTokens(''), 0);
});
