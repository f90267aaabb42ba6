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

test('what another mutation does already and the words of logs and errors are left out', () => {
  assert.deepEqual(mutants('if (a === b) c();'), ['if (a !== b) c();', 'if (a === b) ;']);
  assert.deepEqual(mutants('const f = !a ? b : c;'), ['const f = a ? b : c;']);
  assert.deepEqual(mutants('function f() { return undefined; }'), []);
  assert.deepEqual(mutants('this.log.warn(a + 1); logger.info(b ? 1 : 2);'), []);
  assert.deepEqual(mutants(`function f() { throw new Error(\`\${a + 1}\`); }`), ['function f() { ; }']);
});
