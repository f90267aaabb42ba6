import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bytes, shown } from '../../dashboard/text/format.ts';
import { openableAddress, pictureData, targetOf, withoutEntities } from '../../dashboard/text/markup.ts';

test('only addresses of the web and of mail are opened', () => {
  assert.equal(openableAddress('https://tides.example/brest?a=b#c'), 'https://tides.example/brest?a=b#c');
  assert.equal(openableAddress(' HTTP://Tides.Example'), 'http://tides.example/');
  assert.equal(openableAddress('mailto:ada@acme.example'), 'mailto:ada@acme.example');
  const dead = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '\u0001javascript:alert(1)',
    'java\nscript:alert(1)',
  ];
  const others = [
    'data:text/html,x',
    'vbscript:x',
    'blob:https://a/b',
    'file:///etc/passwd',
    '//x.example',
    '/ui',
    '',
  ];
  for (const address of [...dead, ...others, 'https://', 'http:alert(1)'])
    assert.equal(openableAddress(address), undefined, address);
});

test('where a link leads is said by its host, and look-alike letters are written out', () => {
  assert.equal(targetOf(openableAddress('https://bank.example@evil.example/x') ?? ''), 'evil.example');
  assert.equal(targetOf(openableAddress('https://аcme.example/') ?? ''), 'xn--cme-5cd.example');
  assert.equal(targetOf('mailto:ada@acme.example'), 'ada@acme.example');
});

test('pictures are those within the text, of kinds that hold no script', () => {
  assert.equal(pictureData('iVBORw0KGgo='), 'data:image/png;base64,iVBORw0KGgo=');
  assert.equal(pictureData('/9j/4AAQ'), 'data:image/jpeg;base64,/9j/4AAQ');
  const gif = 'data:image/gif;base64,R0lGODlhAQABAAAAACw=';
  assert.equal(pictureData(gif), gif);
  for (const other of [
    'data:image/svg+xml;base64,PHN2Zz4=',
    'data:text/html;base64,PHN2Zz4=',
    'data:image/png,%3Csvg',
    'https://x.example/a.png',
    'iVBOR" onerror="x',
    'PHN2Zz4=',
    '',
  ])
    assert.equal(pictureData(other), undefined, other);
});

test('character references become the characters, and nothing else', () => {
  assert.equal(withoutEntities('a &amp;&lt;b&gt; &#65;&#x42; &copy; &amp;lt;'), 'a &<b> AB &copy; &lt;');
  assert.equal(withoutEntities('&#0; &#99999999; &#x110000;'), '\ufffd &#99999999; \ufffd');
});

test('marks that reorder text are written out; lines stay', () => {
  assert.equal(shown('a\u202eb\nc\td\u0007'), 'a\\u202eb\nc\td\\u0007');
  assert.equal(bytes(999), '999 B');
  assert.equal(bytes(20_000_000), '20.0 MB');
});
