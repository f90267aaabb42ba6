import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** Scripts that a script imports, itself included. */
function withImports(path: string, found = new Set<string>()): ReadonlySet<string> {
  if (found.has(path)) return found;
  found.add(path);
  for (const [, name = ''] of read(path).matchAll(/from '(\.{1,2}\/[^']+)'/g)) {
    withImports(join(dirname(path), name), found);
  }
  return found;
}

test('the image has every script that its build imports', () => {
  const dockerfile = read('Dockerfile');
  const copied = dockerfile
    .split('\n')
    .flatMap((line) => /^COPY (.*) \S+$/.exec(line)?.[1]?.split(' ') ?? []);
  const allowed = read('.dockerignore').split('\n');
  const run = [...dockerfile.matchAll(/(?:node|&&) (scripts\/[\w-]+\.ts)/g)].map(([, path = '']) => path);
  assert.ok(run.length >= 2, 'the Dockerfile runs scripts');
  const needed = run.flatMap((path) => [...withImports(path)]).filter((path) => path.startsWith('scripts/'));
  assert.deepEqual(
    needed.filter((path) => !copied.includes(path) || !allowed.includes(`!${path}`)),
    [],
  );
});
