import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findMutations } from '../scripts/mutants/find-mutations.ts';

function mutants(source: string): string[] {
  return findMutations(source).map(
    ({ start, end, replacement }) => source.slice(0, start) + replacement + source.slice(end),
  );
}

test('each operator, literal, condition, call and result is changed once, types never', () => {
  assert.deepEqual(mutants('const a: 1 | 2 = b < 3;'), [
    'const a: 1 | 2 = b <= 3;',
    'const a: 1 | 2 = b < 4;',
  ]);
  assert.deepEqual(mutants('if (a) f(true);'), ['if (!(a)) f(true);', 'if (a) ;', 'if (a) f(false);']);
  assert.deepEqual(mutants('const f = (a?: number) => a ?? 0n;'), [
    'const f = (a?: number) => a && 0n;',
    'const f = (a?: number) => a ?? 1n;',
  ]);
  assert.deepEqual(mutants('function f() { throw new Error(); }'), ['function f() { ; }']);
  assert.deepEqual(mutants('function f(x) { return !x; }'), [
    'function f(x) { return undefined; }',
    'function f(x) { return x; }',
  ]);
});
