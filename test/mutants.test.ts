import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Baseline } from '../scripts/mutants/baseline.ts';
import { Results } from '../scripts/mutants/results.ts';
import { TestRunner } from '../scripts/mutants/test-runner.ts';
import { draw, trialsOf } from '../scripts/mutants/trials.ts';
import { temporaryFolder } from './support/temporary-folder.ts';

const source = `export function fee(amount: number) {
  if (amount > 100) return 1;
  return 0;
}
`;
const head = `import assert from 'node:assert/strict';
import { appendFileSync, existsSync } from 'node:fs';
import { test } from 'node:test';
import { fee } from './fee.ts';
`;
/** Test files of a small checkout. */
const tests = {
  'exact.test.ts': `test('exact', () => assert.equal(fee(200), 1));`,
  'broken.test.ts': `test('broken', () => assert.equal(fee(200), 5));`,
  // Fails the first time only, as on a busy machine.
  'busy.test.ts': `test('busy', () => {
    fee(0);
    if (!existsSync('ran')) {
      appendFileSync('ran', '');
      assert.fail();
    }
  });`,
  'loads.test.ts': `test('loads', () => assert.ok(fee));`,
};

test('a change is noticed by a test that reaches it, fails with it each time and passes without it', async () => {
  const root = temporaryFolder();
  for (const name of ['unchanged', 'changed']) {
    mkdirSync(join(root, name, 'headgate'), { recursive: true });
    writeFileSync(join(root, name, 'headgate/fee.ts'), source);
    for (const [file, text] of Object.entries(tests)) {
      writeFileSync(join(root, name, 'headgate', file), head + text);
    }
  }
  writeFileSync(join(root, 'unchanged/headgate/ran'), '');
  const trials = trialsOf('fee.ts', source);
  const place = (name: string) => ({ folder: join(root, name, 'headgate'), env: {} });
  const baseline = new Baseline(place('unchanged'), trials);
  const runner = new TestRunner(place('changed'), baseline, new Map());
  const opposite = trials.find(({ mutation }) => mutation.replacement === '!(amount > 100)');
  const edge = trials.find(({ mutation }) => mutation.replacement === '>=');
  assert.ok(opposite && edge);

  const nearest = ['broken.test.ts', 'busy.test.ts', 'loads.test.ts', 'exact.test.ts'];
  assert.equal(await runner.firstFailure(opposite, nearest, 2), 'exact.test.ts');
  assert.equal(await runner.firstFailure(edge, nearest, 2), undefined);
  assert.deepEqual(await baseline.failing(), ['broken.test.ts']);
  assert.equal((await baseline.of('loads.test.ts')).reached.size, 0);
  assert.equal(readFileSync(join(root, 'changed/headgate/fee.ts'), 'utf8'), source);
});

test('the sample stays the same when other code changes', () => {
  const before = trialsOf('fee.ts', source);
  const after = trialsOf('fee.ts', `// A comment.\n${source}export const more = 1 + 2;\n`);
  assert.deepEqual(
    after.slice(0, before.length).map(({ id }) => id),
    before.map(({ id }) => id),
  );
  assert.equal(new Set(after.map(({ id }) => id)).size, after.length);
  assert.deepEqual(draw(before, 3, '5'), draw([...before].reverse(), 3, '5'));
  assert.notDeepEqual(draw(before, 3, '5'), draw(before, 3, '6'));
});

test('results are read again, the last one of each change', () => {
  const file = join(temporaryFolder(), 'results.jsonl');
  const [first, second] = trialsOf('fee.ts', source);
  assert.ok(first && second);
  const results = new Results(file);
  results.add(first, undefined);
  results.add(first, 'exact.test.ts');
  const read = new Results(file);
  assert.equal(read.of(first)?.by, 'exact.test.ts');
  assert.equal(read.of(second), undefined);
});
