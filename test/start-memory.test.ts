import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

/** Everything that a server loads before its first request, in a process of its own. */
const script = `
  await import(${JSON.stringify(join(root, 'src/process/run-server.ts'))});
  const { createRequire } = await import('node:module');
  const ofPackages = Object.keys(createRequire(import.meta.url).cache);
  process.stdout.write(JSON.stringify({ ofPackages, ofRuntime: process.moduleLoadList }));
`;

test('a server loads neither the whole of undici nor the undici of the runtime before they are wanted', () => {
  const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 1024 * 1024,
  });
  const loaded: { readonly ofPackages: string[]; readonly ofRuntime: string[] } = JSON.parse(output);
  assert(loaded.ofPackages.some((file) => file.endsWith('undici/lib/dispatcher/client.js')));
  const more = loaded.ofPackages.filter((file) => /undici\/(index\.js|lib\/(web|mock|cache)\/)/.test(file));
  assert.deepEqual(more, []);
  assert.deepEqual(
    loaded.ofRuntime.filter((name) => name.includes('deps/undici')),
    [],
  );
});
