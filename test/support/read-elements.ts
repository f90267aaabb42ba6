import assert from 'node:assert/strict';

/** An element of an HTML page. */
export interface WrittenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** All text inside it, unescaped; a space wherever a tag was. */
  text: string;
}

const empty = new Set(['meta', 'br']);
const rawText = new Set(['style', 'script']);
const entities = new Map([
  ['&amp;', '&'],
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&#39;', "'"],
]);

/**
 * The elements of a page, in the order they begin. Stricter than browsers are.
 * @throws AssertionError for a tag that is not closed or not opened, an attribute without quotes or given twice, and text
 *   that holds a bare `<`, `>` or `&`.
 */
export function readElements(page: string): readonly WrittenElement[] {
  const elements: WrittenElement[] = [];
  const open: WrittenElement[] = [];
  const add = (text: string) => {
    for (const element of open) element.text += text;
  };
  let rest = page.replace(/^<!doctype html>\n/, '');
  assert.notEqual(rest, page, 'it begins with its doctype');
  while (rest !== '') {
    const inside = open.at(-1)?.name ?? '';
    const tag = /^<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+="[^"<>]*")*)>/.exec(rest);
    if (tag === null) {
      const text = rawText.has(inside)
        ? rest.slice(0, rest.indexOf(`</${inside}>`))
        : (/^[^<]+/.exec(rest)?.[0] ?? '');
      assert.notEqual(text, '', `no tag: ${rest.slice(0, 60)}`);
      add(rawText.has(inside) ? text : unescaped(text));
      rest = rest.slice(text.length);
      continue;
    }
    const [whole, closing, name = '', written = ''] = tag;
    rest = rest.slice(whole.length);
    if (closing === '/') {
      assert.equal(open.pop()?.name, name, `closed before ${rest.slice(0, 60)}`);
      add(' ');
      continue;
    }
    if (!rawText.has(name)) add(' ');
    const element = { name, attributes: readAttributes(written), text: '' };
    elements.push(element);
    if (!empty.has(name)) open.push(element);
  }
  assert.deepEqual(open, [], 'everything is closed');
  return elements;
}

function readAttributes(written: string): ReadonlyMap<string, string> {
  const pairs = [...written.matchAll(/([a-z-]+)="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, unescaped(value)] as const,
  );
  const attributes = new Map(pairs);
  assert.equal(attributes.size, pairs.length, `given twice: ${written}`);
  return attributes;
}

function unescaped(text: string): string {
  assert.doesNotMatch(text, />/);
  return text.replace(/&[^;\s]*;?/g, (entity) => {
    const character = entities.get(entity);
    assert.ok(character !== undefined, `not escaped: ${entity}`);
    return character;
  });
}
