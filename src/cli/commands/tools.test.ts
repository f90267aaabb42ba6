import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';
import { serviceTools } from '../../dialects/gateway/tools/tool-kinds.ts';

interface Shown {
  readonly tool: string;
  readonly state: string;
  readonly backends: readonly string[];
  readonly missing: string | null;
}

const listed = async (file: string, env: Record<string, string> = {}) => {
  const { run } = await workplace(file, env);
  const { code, out, err } = await run('tools', 'list', '--json');
  assert.deepEqual([code, err], [0, '']);
  const { tools } = JSON.parse(out) as { tools: readonly Shown[] };
  return new Map(tools.map((tool) => [tool.tool, tool]));
};

test('with nothing configured, what needs no backend is on and the rest says what to set', async () => {
  const tools = await listed('');
  const known = [...serviceTools].filter((type) => type !== 'service:search_models');
  assert.deepEqual(new Set(tools.keys()), new Set([...known, 'mcp']));
  const states = (state: string) => [...tools.values()].filter((tool) => tool.state === state);
  const off = states('off').map(({ tool }) => tool);
  for (const tool of ['service:web_search', 'service:shell', 'service:bash'])
    assert.ok(off.includes(tool), tool);
  for (const tool of states('off')) assert.match(tool.missing ?? '', /set tools\./, tool.tool);
  for (const tool of states('on')) assert.equal(tool.missing, null);
});

test('backends are named in their order, those of the environment too', async () => {
  const file = `
tools:
  web_search: { engines: [ { engine: searxng, base_url: http://127.0.0.1:8888 } ] }
  web_fetch: { enabled: false }
  files: { enabled: false }
`;
  const tools = await listed(file, { BRAVE_API_KEY: 'k' });
  assert.deepEqual(tools.get('service:web_search')?.backends, ['searxng', 'brave']);
  assert.deepEqual(
    ['web_fetch', 'files'].map((name) => tools.get(`service:${name}`)?.state),
    ['off', 'off'],
  );
});

test('a panel that lacks models, and a painter that is not there, are named', async () => {
  const file = `
tools:
  fusion: { panels: { general-fast: { models: [sandbox/echo, no/such], analyst: sandbox/echo } } }
  image_generation: { model: no/painter }
`;
  const tools = await listed(file);
  const fusion = tools.get('service:fusion');
  assert.ok(fusion?.backends.includes('general-fast (2)'));
  assert.match(fusion?.missing ?? '', /no\/such/);
  assert.match(tools.get('service:image_generation')?.missing ?? '', /no\/painter/);
});

test('the table has a line for each tool', async () => {
  const { run } = await workplace('');
  const { out } = await run('tools', 'list');
  assert.match(out, /^TOOL\s+STATE\s+WORKS WITH\s+MISSING\n/);
  assert.match(out, /service:web_search\s+off\s+a search engine/);
});
