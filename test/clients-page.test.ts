import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The versions in the first two columns of the table of results, by the name of the client. */
function statedVersions(): ReadonlyMap<string, string> {
  const rows = read('docs/clients.md').matchAll(/^\| ([^|]+) \| ([\d.]+) \|/gm);
  return new Map(Array.from(rows, ([, name = '', version = '']) => [name, version]));
}

test('docs/clients.md names every client that is tried, with the version that is installed for it', () => {
  const agents = {
    'Claude Code': '@anthropic-ai/claude-code',
    Codex: '@openai/codex',
    opencode: 'opencode-ai',
  };
  const agentPins = JSON.parse(read('clients/agents/package.json')).dependencies as Record<string, string>;
  const pins = JSON.parse(read('clients/package.json')).dependencies as Record<string, string>;
  // What clients need beside them is not a client.
  const helpers = new Set(['ai', 'zod', '@langchain/core', 'langchain-core', 'prometheus-client']);
  const python = read('scripts/e2e-python.sh').matchAll(/'([\w-]+)(?:\[[\w,]+\])?==([\d.]+)'/g);
  const installed = new Map<string, string>();
  for (const [name, entry] of Object.entries(agents)) installed.set(name, agentPins[entry] ?? '');
  for (const [name, version] of Object.entries(pins)) {
    if (!helpers.has(name)) installed.set(`npm \`${name}\``, version);
  }
  for (const [, name = '', version = ''] of python) {
    const known = `PyPI \`${name}\``;
    // The older environment has one more version of what its clients need.
    if (!helpers.has(name) && !installed.has(known)) installed.set(known, version);
  }
  assert.deepEqual([...statedVersions()].sort(), [...installed].sort());
});
