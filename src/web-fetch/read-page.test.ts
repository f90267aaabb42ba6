import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPage as read } from './read-page.ts';

const readPage = (html: string, url: string) => read({ body: Buffer.from(html), charset: undefined, url });
const url = 'https://docs.example/a/page.html';
const long = 'A sentence that says something about the tides of Brest. '.repeat(10);

test('the main text stays; what surrounds it goes', () => {
  const page = readPage(
    `<html><head><title>T</title></head><body><nav>Home | About</nav><main><article><h1>H</h1><p>${long}</p><p>${long}</p></article></main><footer>Copyright</footer></body></html>`,
    url,
  );
  assert.equal(page.title, 'T');
  assert.match(page.content, /tides of Brest/);
  assert.doesNotMatch(page.content, /Copyright|Home \| About/);
});

test('a short page is taken whole', () => {
  assert.equal(readPage('<p>Only this.</p>', url).content, 'Only this.');
});

test('tables, lists and code become Markdown', () => {
  const { content } = readPage(
    '<ul><li>one</li><li>two</li></ul><pre><code>x = 1</code></pre><table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>',
    url,
  );
  assert.match(content, /\* one\n\* two/);
  assert.match(content, /```\nx = 1\n```/);
  assert.match(content, /\| a\s*\| b\s*\|/);
});

test('links become absolute, by the base of the page where it has one; scripts in links go', () => {
  assert.match(readPage('<a href="b.html">b</a>', url).content, /\(https:\/\/docs\.example\/a\/b\.html\)/);
  const based = readPage('<html><head><base href="/x/"></head><body><a href="b">b</a></body></html>', url);
  assert.match(based.content, /\(https:\/\/docs\.example\/x\/b\)/);
  assert.doesNotMatch(readPage('<a href="javascript:steal()">b</a>', url).content, /javascript/);
});

const hidden = [
  '<script>SECRET</script>',
  '<style>SECRET</style>',
  '<div hidden>SECRET</div>',
  '<div aria-hidden="true">SECRET</div>',
  '<div style="display: none">SECRET</div>',
  '<div style="color:red;visibility:hidden">SECRET</div>',
  '<template><p>SECRET</p></template>',
  '<!-- SECRET -->',
  '<iframe srcdoc="SECRET">SECRET</iframe>',
];
for (const html of hidden) {
  test(`what nobody sees is not read: ${html.slice(0, 40)}`, () => {
    assert.doesNotMatch(readPage(`<p>Seen.</p>${html}`, url).content, /SECRET/);
  });
}

test('hostile pages end: deep nesting, unclosed tags, empty, no HTML at all', () => {
  for (const html of ['<div>'.repeat(3_000), '<p><b><i>', '', '\0\0', 'plain words', '<table>'.repeat(500)]) {
    assert.equal(typeof readPage(html, url).content, 'string');
  }
});

test('tags and attributes are counted before anything is parsed, and the page is cut there', () => {
  const links = readPage(`<p>First.</p>${'<p><a href="x">l</a></p>'.repeat(300_000)}`, url);
  assert.ok(links.isCut);
  assert.match(links.content, /First/);
  assert.ok(readPage(`<p>First.</p><p ${'a=1 '.repeat(150_000)}>Last.</p>`, url).isCut);
  assert.equal(readPage('<p>First.</p>', url).isCut, false);
});
