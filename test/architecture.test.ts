import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { readSources } from '../scripts/walk/house.ts';

const root = join(import.meta.dirname, '..');

/** Which folders a folder may import from, besides itself. Files directly in src are the composition root. */
const directions = readDirections(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'));

/** Lines a file may have; tables of data are exempt. */
const longestFile = 500;
const dataFiles = [/^src\/catalogue\/.*rows\.ts$/];

/** Where vendors may be named: their adapters, data rows, configuration keys, and values of the wire format. */
const vendorHomes = [
  // Search engines by their wire formats.
  /^src\/web-search\//,
  // So are engines that read scanned documents.
  /^src\/documents\/engines\//,
  /^src\/upstream\//,
  /^src\/catalogue\//,
  /^src\/config\//,
  /^src\/core\/reasoning-formats\.ts$/,
  /^src\/guardrails\/injection\/injection-patterns\.ts$/,
  /^src\/dialects\//,
  /^src\/schema\//,
];
const vendors =
  /openai|anthropic|gemini|mistral|deepseek|bedrock|vertex|azure|(?<!in)cohere|fireworks|cerebras|perplexity/i;

const modules = readSources(root);
const production = modules.filter((module) => !module.path.endsWith('.test.ts'));

test('folders import only in the stated directions', () => {
  const offences = production.flatMap((module) => {
    const folder = folderOf(module.path);
    if (folder === undefined) return [];
    if (folder === 'process') return [];
    const allowed = directions.get(folder);
    assert.ok(allowed !== undefined, `ARCHITECTURE.md does not say what src/${folder} may import`);
    return module.imports
      .filter((path) => {
        const other = folderOf(path);
        return other !== folder && (other === undefined || !allowed.includes(other));
      })
      .map((path) => `${module.path} -> ${path}`);
  });
  assert.deepEqual(offences, []);
});

/** What makes an answer without knowing in which public dialect it is written. */
const canonicalRooms = [
  'core',
  'ports',
  'routers',
  'routing',
  'settlement',
  'pipeline',
  'stages',
  'server-tools',
  'tool-calls',
  'translation',
  'upstream',
];

test('what makes an answer knows no public dialect', () => {
  const offences = production
    .filter(({ path }) => canonicalRooms.includes(folderOf(path) ?? ''))
    .flatMap(({ path, imports }) =>
      imports.filter((other) => folderOf(other) === 'dialects').map((other) => `${path} -> ${other}`),
    );
  assert.deepEqual(offences, []);
  const names = /\b(?:ResponseObject|StreamEvent|OutputItem|ChatCompletion|MessagesResponse)\b/;
  const named = production.filter(({ path, text }) => folderOf(path) === 'core' && names.test(text));
  assert.deepEqual(
    named.map(({ path }) => path),
    [],
  );
});

test('the command line reaches nothing of HTTP', () => {
  const byPath = new Map(production.map((module) => [module.path, module]));
  const reached = new Set(production.map(({ path }) => path).filter((path) => folderOf(path) === 'cli'));
  for (const path of reached) for (const other of byPath.get(path)?.imports ?? []) reached.add(other);
  assert.ok(reached.has('src/management/keys/keys.ts'));
  const offences = [...reached].filter((path) => /^src\/(edge|interface|dialects|pipeline)\//.test(path));
  assert.deepEqual(offences, []);
});

test('dialects know no sibling', () => {
  // What all dialects share is in `gateway`, which may know none of them.
  const dialectOf = (path: string) => /^src\/dialects\/([^/]+)\//.exec(path)?.[1];
  const offences = production.flatMap(({ path, imports }) => {
    const home = dialectOf(path);
    if (home === undefined) return [];
    return imports
      .filter((other) => ![home, 'gateway', undefined].includes(dialectOf(other)))
      .map((other) => `${path} -> ${other}`);
  });
  assert.deepEqual(offences, []);
});

test('adapters know no sibling, engines neither', () => {
  const offences = production.flatMap((module) => {
    const home = subfolderOf(module.path);
    // What both engines share, the spool being a file of one of them; and what moves a database from one to the other.
    if (home === undefined || /\/(charges|transfer)$/.test(home)) return [];
    return module.imports
      .filter((path) => {
        const other = subfolderOf(path);
        return other !== undefined && other !== home && !/\/(wire|sql|charges)$/.test(other);
      })
      .map((path) => `${module.path} -> ${path}`);
  });
  assert.deepEqual(offences, []);
});

test('only main.ts and server.ts lie beside the folders, and nothing but the start imports them', () => {
  const roots = production.filter(({ path }) => path.split('/').length === 2).map(({ path }) => path);
  assert.deepEqual(roots.sort(), ['src/main.ts', 'src/server.ts']);
  const importers = production
    .filter(({ imports }) => imports.some((path) => roots.includes(path)))
    .map(({ path }) => path);
  assert.deepEqual(importers, ['src/process/run-server.ts']);
});

/** Where Redis may fall back to this process, or keeps its own figures as one process does. */
const memoryInRedis = [
  'src/shared-state/redis/redis-shared-state.ts',
  'src/shared-state/redis/reported-statistics.ts',
];

test('shared state in Redis uses that of one process in two stated places, never the other way round', () => {
  const crossing = production.flatMap(({ path, imports }) =>
    imports
      .filter(
        (other) => engineOf(path) !== undefined && (engineOf(other) ?? engineOf(path)) !== engineOf(path),
      )
      .map((other) => `${path} -> ${other}`),
  );
  const offences = crossing.filter((line) => !memoryInRedis.some((path) => line.startsWith(`${path} -> `)));
  assert.deepEqual(offences, []);
});

test('adapters take nothing of the wire but how it reads failures; the wire knows no adapter', () => {
  const shared = ['src/upstream/wire/failure.ts', 'src/upstream/wire/retry-hint.ts'];
  const offences = production.flatMap(({ path, imports }) => {
    const home = subfolderOf(path);
    if (home === undefined || !home.startsWith('upstream/')) return [];
    return imports
      .filter((other) => {
        const there = subfolderOf(other);
        if (there === undefined || there === home) return false;
        return home === 'upstream/wire' || (there === 'upstream/wire' && !shared.includes(other));
      })
      .map((other) => `${path} -> ${other}`);
  });
  assert.deepEqual(offences, []);
});

test('no import goes in a circle, among files or among folders', () => {
  assertNoCircle(new Map(production.map((module) => [module.path, module.imports])));
  assertNoCircle(directions);
});

test('files stay small', () => {
  const sized = production.filter(({ path }) => !dataFiles.some((data) => data.test(path)));
  const lengths = sized.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }));
  assert.deepEqual(
    lengths.filter(({ lines }) => lines > longestFile),
    [],
  );
});

test('vendors are named only where they belong', () => {
  const named = production.filter(
    ({ path, text }) => vendors.test(text) && !vendorHomes.some((home) => home.test(path)),
  );
  assert.deepEqual(
    named.map(({ path, text }) => `${path}: ${vendors.exec(text)?.[0]}`),
    [],
  );
});

test('every unit test lies beside the module it tests', () => {
  const known = new Set(production.map(({ path }) => path));
  const folders = new Set(production.map(({ path }) => dirname(path)));
  const orphans = modules
    .filter(({ path }) => path.endsWith('.test.ts') && !known.has(path.replace('.test.ts', '.ts')))
    .filter(({ path }) => !folders.has(dirname(path)));
  assert.deepEqual(
    orphans.map(({ path }) => path),
    [],
  );
});

function assertNoCircle(graph: ReadonlyMap<string, readonly string[]>): void {
  const finished = new Set<string>();
  const visit = (name: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(name), `circle: ${[...trail.slice(trail.indexOf(name)), name].join(' -> ')}`);
    if (finished.has(name)) return;
    for (const next of graph.get(name) ?? []) visit(next, [...trail, name]);
    finished.add(name);
  };
  for (const name of graph.keys()) visit(name, []);
}

/** The rows of the table "Who may import whom": folders, and those they may import. */
function readDirections(document: string): ReadonlyMap<string, readonly string[]> {
  const table = /\n\| folder \| may import \|\n\|[-|]+\|\n((?:\|.*\|\n)+)/.exec(document)?.[1] ?? '';
  const names = (cell: string) => [...cell.matchAll(/`([a-z-]+)`/g)].map(([, name = '']) => name);
  return new Map(
    table.split('\n').flatMap((row) => {
      const [, folders = '', allowed = ''] = row.split('|');
      return names(folders).map((folder) => [folder, names(allowed)] as const);
    }),
  );
}

function folderOf(path: string): string | undefined {
  const parts = path.split('/');
  return parts[0] === 'src' && parts.length > 2 ? parts[1] : undefined;
}

/** `memory` or `redis` of shared state. */
function engineOf(path: string): string | undefined {
  return /^src\/shared-state\/(memory|redis)\//.exec(path)?.[1];
}

/** `upstream/<adapter>` and `storage/<engine>`: neighbours that must not know each other. */
function subfolderOf(path: string): string | undefined {
  const [, folder, sub, file] = path.split('/');
  if (file === undefined || (folder !== 'upstream' && folder !== 'storage')) return undefined;
  return `${folder}/${sub}`;
}
