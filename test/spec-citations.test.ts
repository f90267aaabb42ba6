import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

/** Recordings and sample texts are data: they cite nothing. This file spells what it looks for. */
const notCiting = /^test\/(recordings|texts)\/|\/node_modules\/|^test\/spec-citations\.test\.ts$/;

/** Anything behind the file's name up to the next character that no anchor has. */
const citation = /docs\/spec\/([\w-]+\.md)(?:#([\w-]+))?/g;

/** Names of documents outside this repository, as comments cited them once. */
const outside = [
  /(?<!docs\/spec\/)\b(?:routing|responses|operations|interface|server-tools|plugins|chat-and-messages)\.md\b/,
  /(?<!docs\/spec\/)\b(?:observability|beyond|lessons|dashboard)\.md\b/,
  /\baccounts-and-limits\b/,
  /\bREADME,? decisions? \d/,
  /\.\.\/shared\/spec\b/,
];

interface SourceFile {
  readonly name: string;
  readonly text: string;
}

/** The text files of some folders, and of the top folder the pages, in which rules may be cited. */
function read(...folders: readonly string[]): readonly SourceFile[] {
  return folders
    .flatMap((folder) => globSync(`${folder}/**/*.{ts,md,py,sh,sql,lua,yaml}`, { cwd: root }))
    .concat(folders.includes('docs') ? globSync('*.md', { cwd: root }) : [])
    .filter((name) => !notCiting.test(name))
    .map((name) => ({ name, text: readFileSync(join(root, name), 'utf8') }));
}

/** The anchors GitHub makes of a page's headings, in order; a repeated one gets a number behind it. */
function anchorsOf(text: string): readonly string[] {
  const counts = new Map<string, number>();
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => {
    const plain = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\-_ ]/gu, '')
      .replaceAll(' ', '-');
    const count = counts.get(plain) ?? 0;
    counts.set(plain, count + 1);
    return count === 0 ? plain : `${plain}-${count}`;
  });
}

const rules = new Map(read('docs/spec').map(({ name, text }) => [basename(name), anchorsOf(text)] as const));

test('every citation of a rule leads to a heading of docs/spec', () => {
  const lost: string[] = [];
  for (const { name, text } of read('src', 'test', 'bench', 'scripts', 'clients', 'docs')) {
    for (const [cited, file = '', anchor] of text.matchAll(citation)) {
      const anchors = rules.get(file);
      const isThere = anchors !== undefined && (anchor === undefined || anchors.includes(anchor));
      if (!isThere) lost.push(`${name}: ${cited}`);
    }
  }
  assert.deepEqual(lost, []);
});

test('no comment cites a document that is not in the repository', () => {
  const lost: string[] = [];
  for (const { name, text } of read('src', 'test')) {
    // A citation may be broken over two lines of a comment.
    const joined = text.replaceAll(/\s*\n\s*(?:\*(?!\/)|\/\/|#)?\s*/g, ' ');
    for (const pattern of outside) {
      const found = joined.match(pattern)?.[0];
      if (found !== undefined) lost.push(`${name}: ${found}`);
    }
  }
  assert.deepEqual(lost, []);
});

test('a heading of docs/spec is written once a page, so that its anchor stays when pages grow', () => {
  assert.ok(rules.size > 5);
  for (const [name, anchors] of rules) {
    assert.deepEqual(
      anchors.filter((anchor) => /-\d+$/.test(anchor) && anchors.includes(anchor.replace(/-\d+$/, ''))),
      [],
      name,
    );
  }
});
