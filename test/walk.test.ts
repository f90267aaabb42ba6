import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { walkOf } from '../scripts/walk/entries.ts';
import { instrument } from '../scripts/walk/instrument.ts';

test('every function of a module says once that it was entered, and does what it did', () => {
  const source = `
    class Sum { #of: number; constructor(of: number) { this.#of = of; } get twice() { return 2 * this.#of; } }
    const pair = (one: number) => ({ one, both: (other: number): number[] => [one, other] });
    function* count(): Generator<number> { yield 1; }
    const sums = [1, 2].map((one) => new Sum(one).twice);
    return JSON.stringify([sums, pair(3).both(4), ...count()]);`;
  const code = instrument('src/sums.ts', `function all() {${source}}\nall();`).replace(
    '\nall();',
    '\nreturn all();',
  );
  const entered: string[] = [];
  const result = new Function('walkedInto', code)((place: string) => entered.push(place.split(' ')[2] ?? ''));
  assert.equal(result, '[[2,4],[3,4],1]');
  assert.deepEqual(entered, [
    'all',
    ...['(unnamed)', 'constructor', 'twice', '(unnamed)', 'constructor', 'twice'],
    ...['pair', 'both', 'count'],
  ]);
});

test('a walk counts files, functions, and moves within each thread', () => {
  const entry = (at: number, thread: string, file: string, place: string) => ({ at, thread, file, place });
  const walk = walkOf([
    entry(1, 'main', 'src/edge/a.ts', '1:0 a'),
    entry(2, 'main', 'src/edge/b.ts', '1:0 b'),
    entry(3, 'writer', 'src/storage/c.ts', '1:0 c'),
    entry(4, 'main', 'src/core/d.ts', '1:0 d'),
    entry(5, 'main', 'src/core/d.ts', '9:0 e'),
    entry(6, 'writer', 'src/storage/c.ts', '1:0 c'),
  ]);
  assert.deepEqual(
    { ...walk, inOrder: walk.inOrder.length },
    { files: 4, moves: 2, folderMoves: 1, functions: 5, inOrder: 4 },
  );
});

test('the eight files that newcomers read first are those that a streamed request enters', async () => {
  const root = join(import.meta.dirname, '..');
  const text = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');
  const [, page = ''] = /## Eight files to read first\n([\s\S]*?)\n## /.exec(text) ?? [];
  const named = [...page.matchAll(/^\d\. `(src\/[^`]+)`/gm)].map(([, file]) => file);
  assert.equal(named.length, 8);
  const args = [join(root, 'scripts/walk/run.ts'), '--rounds', '1', '--files'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  const [, streamed = ''] = /\| streamed [^\n]*\n([\s\S]*?)\n\|/.exec(stdout) ?? [];
  const entered = streamed.split('\n').map((line) => line.trim());
  assert.deepEqual(
    named.filter((file) => !entered.includes(file ?? '')),
    [],
  );
});
