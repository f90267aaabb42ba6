import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { HeadgateError } from '../core/errors.ts';
import { readFormFile } from './read-form.ts';

const type = 'multipart/form-data; boundary=edge';
const part = (head: string, body: string) => `--edge\r\n${head}\r\n\r\n${body}\r\n`;
const file = (name: string, body: string, more = '') =>
  part(`Content-Disposition: form-data; name="file"; ${name}${more}`, body);
const read = (...parts: string[]) => readFormFile(Buffer.from(`${parts.join('')}--edge--\r\n`), type, 'file');

test('what real clients send is read', async () => {
  for (const size of [0, 1, 100_000]) {
    const contents = randomBytes(size);
    const form = new FormData();
    form.append('purpose', 'user_data');
    form.append('file', new File([contents], 'zwölf "x".txt', { type: 'text/plain' }));
    const response = new Response(form);
    const body = new Uint8Array(await response.arrayBuffer());
    const found = readFormFile(body, response.headers.get('content-type') ?? '', 'file');
    assert.deepEqual([found.filename, found.type], ['zwölf "x".txt', 'text/plain']);
    assert.ok(Buffer.from(found.bytes).equals(contents));
  }
});

test('names are read in every form', () => {
  const names: readonly (readonly [string, string])[] = [
    ['filename="a b.txt"', 'a b.txt'],
    ['filename=plain.txt', 'plain.txt'],
    ['filename="a\\"b\\\\c"', 'a"b\\c'],
    ['filename="a%22b"', 'a"b'],
    ['filename="x"; filename*=UTF-8\'\'gr%C3%B6%C3%9Fe.txt', 'größe.txt'],
    ['filename=""', ''],
  ];
  for (const [head, expected] of names) assert.equal(read(file(head, 'x')).filename, expected);
});

test('contents may look like a boundary, and bytes before the first one are passed over', () => {
  const body = 'x--edge\r\n--other\r\n\r\n--edg';
  assert.equal(Buffer.from(read(file('filename=a', body)).bytes).toString(), body);
  const led = Buffer.from(`preamble\r\n${file('filename=a', 'x')}--edge--`);
  assert.equal(Buffer.from(readFormFile(led, type, 'file').bytes).toString(), 'x');
});

const refused: readonly (readonly [string, string, string?])[] = [
  ['nothing', ''],
  ['no boundary in the body', 'hello'],
  [
    'a field that never ends',
    '--edge\r\nContent-Disposition: form-data; name="file"; filename=a\r\n\r\nhello',
  ],
  ['another field', `${part('Content-Disposition: form-data; name="other"; filename=a', 'x')}--edge--`],
  ['a field without a name of a file', `${part('Content-Disposition: form-data; name="file"', 'x')}--edge--`],
  ['two files', `${file('filename=a', 'x')}${file('filename=b', 'y')}--edge--`],
  ['a field without a head', '--edge\r\nx\r\n--edge--'],
  ['too many fields', `${part('Content-Disposition: form-data; name="n"', 'x').repeat(30)}--edge--`],
  ['JSON', '{}', 'application/json'],
  ['a form without a boundary', '--edge--', 'multipart/form-data'],
];
for (const [what, body, contentType = type] of refused) {
  test(`${what} is refused`, () => {
    assert.throws(
      () => readFormFile(Buffer.from(body), contentType, 'file'),
      (error) => error instanceof HeadgateError && error.code === 'invalid_request',
    );
  });
}

test('hostile forms take time by their size alone', () => {
  const size = 4_000_000;
  const almost = Buffer.alloc(size, '\r\n--edg');
  assert.throws(() => readFormFile(Buffer.concat([Buffer.from('--edge\r\n'), almost]), type, 'file'));
});
