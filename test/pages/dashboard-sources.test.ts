import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../../dashboard');
const files = globSync('**/*.{ts,tsx,css}', { cwd: root }).map((path) => ({
  path,
  text: readFileSync(join(root, path), 'utf8'),
}));

/** Which folders each folder may import from besides itself, as ARCHITECTURE.md says. */
const directions: Readonly<Record<string, readonly string[]>> = {
  text: [],
  api: [],
  state: ['api', 'text'],
  parts: ['api', 'state', 'text'],
  charts: ['parts', 'state', 'text'],
  pages: ['api', 'charts', 'parts', 'state', 'text'],
  app: ['api', 'pages', 'parts', 'state', 'style', 'text'],
};

/** What a folder has in common with the server. */
const common: Readonly<Record<string, readonly string[]>> = {
  api: ['../src/core/roles.ts'],
  text: ['../src/util/csv.ts', '../src/util/local-days.ts'],
  state: ['../src/content/conversation-items.ts', '../src/core/limit-calendar.ts'],
};

test('folders of the dashboard import in the stated directions, and pages never each other', () => {
  const offences = files.flatMap(({ path, text }) => {
    const [folder = '', page] = path.split('/');
    return [...text.matchAll(/(?:from|import\(|import) '(\.[^']+)'/g)].flatMap(([, target = '']) => {
      const imported = relative(root, join(root, dirname(path), target));
      const [other = '', otherPage] = imported.split('/');
      if (imported === '../clients/headgate-api.ts') return [];
      if (common[folder]?.includes(imported)) return [];
      const isAllowed =
        folder === other
          ? folder !== 'pages' || page === otherPage
          : (directions[folder] ?? []).includes(other) || (folder === 'pages' && imported === 'app/pages.ts');
      return isAllowed ? [] : [`${path} -> ${imported}`];
    });
  });
  assert.deepEqual(offences, []);
});

test('files stay short, and nothing becomes markup, code or a request past the one client', () => {
  for (const { path, text } of files) {
    assert.ok(text.split('\n').length <= 301, `${path} is too long`);
    assert.doesNotMatch(
      text,
      /innerHTML|insertAdjacentHTML|document\.write|javascript:|\beval\(|new Function/,
      path,
    );
    // Code that people copy asks by itself.
    const isAllowed = ['api/client.ts', 'text/code.ts'].includes(path);
    if (!isAllowed) assert.doesNotMatch(text, /\bfetch\(|XMLHttpRequest|EventSource|WebSocket/, path);
    if (!path.startsWith('text/')) assert.doesNotMatch(text, /toLocale\w*String|\.toFixed\(/, path);
  }
});

test('classes of a page are not those of the shell or of another element', () => {
  const names = files.flatMap(({ path, text }) =>
    path.endsWith('.css') && path.startsWith('pages/')
      ? [...text.matchAll(/^\.([\w-]+) \{/gm)].map(([, name = '']) => ({ path, name }))
      : [],
  );
  const used = files.filter(({ path }) => path.startsWith('app/') || path.startsWith('parts/'));
  const offences = names.filter(({ name }) =>
    used.some(({ text }) => new RegExp(`class="[^"]*(?<![\\w-])${name}(?![\\w-])`).test(text)),
  );
  assert.deepEqual(offences, []);
});

test('no two pages have the same path or the same key', () => {
  const table = files.find(({ path }) => path === 'app/pages.ts')?.text ?? '';
  for (const member of ['path', 'key', 'icon']) {
    const all = [...table.matchAll(new RegExp(`^    ${member}: '([^']*)'`, 'gm'))].map(([, value]) => value);
    assert.ok(all.length > 10, member);
    assert.equal(new Set(all).size, all.length, member);
  }
});
