import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inlineFile, parseDataUrl } from './inline-file.ts';

test('a data URL is taken apart', () => {
  const urls = [
    ['data:image/png;base64,QUJD', { mediaType: 'image/png', base64: 'QUJD' }],
    ['DATA:Image/PNG;charset=x;Base64,QUJD', { mediaType: 'image/png', base64: 'QUJD' }],
    ['data:text/plain,A%42C', { mediaType: 'text/plain', base64: 'QUJD' }],
    ['data:,100%', { mediaType: 'text/plain', base64: 'MTAwJQ==' }],
    ['https://example.test/a.png', undefined],
    ['data:broken', undefined],
  ] as const;
  for (const [url, parsed] of urls) assert.deepEqual(parseDataUrl(url), parsed);
});

test('the type of a file is stated, or guessed from its name or first bytes', () => {
  const types = [
    [{ data: 'data:application/pdf;base64,AAAA' }, 'application/pdf'],
    [{ data: 'data:application/octet-stream;base64,AAAA', filename: 'a.CSV' }, 'text/csv'],
    [{ data: 'AAAA', filename: 'notes.txt' }, 'text/plain'],
    [{ data: 'JVBERi0xLjc=' }, 'application/pdf'],
    [{ data: 'AAAA', filename: 'a' }, 'application/octet-stream'],
    [{ data: 'AAAA', filename: 'a.constructor' }, 'application/octet-stream'],
    [{ data: 'AAAA', filename: 'a.__proto__' }, 'application/octet-stream'],
    [{ url: 'https://example.test/a.pdf' }, undefined],
  ] as const;
  for (const [part, type] of types) assert.equal(inlineFile({ kind: 'file', ...part })?.mediaType, type);
});
