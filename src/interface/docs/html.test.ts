import assert from 'node:assert/strict';
import { test } from 'node:test';
import { html, joined, prose } from './docs-page.ts';

test('values are escaped, and HTML among them is not escaped twice', () => {
  const inner = html`<b title="${'"\'<'}">${'a & b'}</b>`;
  assert.equal(inner.text, '<b title="&quot;&#39;&lt;">a &amp; b</b>');
  assert.equal(html`<p>${[inner, '>', 3, undefined]}</p>`.text, `<p>${inner.text}&gt;3</p>`);
  assert.equal(joined(['<', inner], ' & ').text, `&lt; &amp; ${inner.text}`);
});

test('words between backticks are code', () => {
  assert.equal(prose('When `a<b` is true.').text, 'When <code>a&lt;b</code> is true.');
});
