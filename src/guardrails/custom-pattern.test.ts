import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { processorTime } from '../../test/support/processor-time.ts';
import { compileProblemOf, findPattern, readPattern, syntaxProblemOf } from './custom-pattern.ts';

const problemOfPattern = (pattern: string) =>
  syntaxProblemOf(pattern) ?? compileProblemOf([pattern])?.problem;

test('patterns that no linear-time engine can match, or that others choke on, are refused by their reason', () => {
  const refused: [pattern: string, problem: RegExp][] = [
    ['', /empty/],
    ['a(?=b)', /look-ahead/],
    ['a(?!b)', /look-ahead/],
    ['(?<=a)b', /look-behind/],
    ['(?<!a)b', /look-behind/],
    ['(a)\\1', /back-references/],
    ['(?<n>a)\\k<n>', /back-references/],
    ['(a+)+', /repeated group/],
    ['(?:a*b)*', /repeated group/],
    ['((a+)b)+', /repeated group/],
    ['(a+){2,}', /repeated group/],
    ['(a+){20}', /repeated group/],
    ['[a-z', /no regular expression/],
    ['a{2000}', /no regular expression/],
    ['(?i)a', /supported as groups/],
    ['a)', /closed/],
    ['x'.repeat(100_001), /at most 100000 characters, got 100001/],
  ];
  for (const [pattern, problem] of refused) assert.match(problemOfPattern(pattern) ?? '', problem, pattern);
  const accepted = [
    'EMP-\\d{6}',
    '(?:a|b)+c',
    '(?<year>\\d{4})-\\d\\d',
    '[\\w.]+@x',
    '\\u00e9',
    '^a$',
    '(abc){2}',
    '\\p{L}+',
  ];
  for (const pattern of accepted) assert.equal(problemOfPattern(pattern), undefined, pattern);
});

test('patterns have a budget of states, each alone and all of a guardrail together, and the number is named', () => {
  const wide = '.{0,1000}';
  assert.equal(compileProblemOf([wide]), undefined);
  const { index, problem = '' } = compileProblemOf(['a', wide.repeat(10)]) ?? {};
  assert.equal(index, 1);
  assert.match(problem, /compiles to 20002 states, at most 4000/);
  const many = compileProblemOf(Array.from({ length: 300 }, (_, at) => `${at}${wide}`));
  assert.equal(many?.index, 19);
  assert.match(many?.problem ?? '', /with the patterns before it, compiles to \d+ states, at most 40000/);
});

test('matches that touch count once, empty ones not at all, places are UTF-16', () => {
  assert.deepEqual(findPattern('a', 'aa b a'), [
    { start: 0, end: 2 },
    { start: 5, end: 6 },
  ]);
  assert.deepEqual(findPattern('x*', 'abc'), []);
  assert.deepEqual(findPattern('EMP-\\d{6}', '😀 EMP-123456'), [{ start: 3, end: 13 }]);
});

test('a text without the literal of a pattern has no match: the prefilter loses none', () => {
  const atoms = ['ab', 'c', 'x?', '[a-c]', '\\d', '.', '(?:b|c)', 'z*', 'a{2}', '\\.', '(d)'];
  const property = fc.property(
    fc.array(fc.constantFrom(...atoms), { minLength: 1, maxLength: 5 }),
    fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'x', 'z', '1', '.', 'ab', 'aa'), { maxLength: 12 }),
    (parts, letters) => {
      const pattern = parts.join('');
      const text = letters.join('');
      const matches = new RegExp(pattern).exec(text)?.[0] ?? '';
      if (matches !== '') assert.ok(text.includes(readPattern(pattern).literal), pattern);
      assert.equal(
        findPattern(pattern, text).length > 0,
        [...text.matchAll(new RegExp(pattern, 'g'))].some(([found]) => found !== ''),
      );
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test('hostile patterns take time linear in the text', () => {
  for (const pattern of ['x+y', '.*.*=.*', '(x|xx)y', 'x?x?x?x?x?x?x?x?xxxxxxxxy']) {
    const time = (length: number) => {
      const text = 'x'.repeat(length);
      return processorTime(() => findPattern(pattern, text));
    };
    time(20_000);
    const least = (length: number) => Math.min(time(length), time(length), time(length));
    const [short, long] = [least(20_000), least(160_000)];
    assert.ok(long < Math.max(short, 2) * 32, `${pattern}: ${short} ms, then ${long} ms`);
  }
});
