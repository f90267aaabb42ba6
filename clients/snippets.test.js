import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runProgram, userEnvironment } from '../test/e2e/support/programs.ts';
import { useGateway } from './support/gateway.js';

const root = join(import.meta.dirname, '..');
const gateway = useGateway();
// Inside of this folder, where the packages are found.
const folder = mkdtempSync(join(import.meta.dirname, 'snippets-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Which interpreter runs a Python snippet: several packages do not work with the newest `openai`. */
const needsOlder = /instructor|litellm/;
const interpreterOf = (...which) =>
  execFileSync(join(root, 'scripts/e2e-python.sh'), which, { encoding: 'utf8' }).trim();

const text = readFileSync(join(root, 'docs/clients.md'), 'utf8');
const snippets = text.split('\n## ').flatMap((section) => {
  const [title] = section.split('\n', 1);
  return Array.from(section.matchAll(/```(ts|python)\n(.*?)```/gs), ([, language, code]) => ({
    title,
    language,
    code,
  }));
});

test('there is a snippet for most clients', () => assert.ok(snippets.length >= 16, `${snippets.length}`));

for (const [index, { title, language, code }] of snippets.entries()) {
  test(`${title}, snippet ${index + 1}`, async () => {
    const file = join(folder, `${index}.${language === 'ts' ? 'ts' : 'py'}`);
    const origin = new URL(gateway.baseURL).origin;
    assert.ok(code.includes('http://127.0.0.1:8484/'));
    writeFileSync(file, code.replaceAll('http://127.0.0.1:8484', origin));
    const older = needsOlder.test(code) ? ['older'] : [];
    const command = language === 'ts' ? process.execPath : interpreterOf(...older);
    const env = userEnvironment({ HOME: folder, HEADGATE_API_KEY: gateway.apiKey });
    const { code: exit, stdout, stderr } = await runProgram(command, [file], { cwd: folder, env });
    assert.equal(exit, 0, stderr);
    assert.match(stdout, /\[sandbox\] Hi|name='.*' age=\d+/, stderr);
  });
}
