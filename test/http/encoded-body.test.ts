import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/* Compressed bodies: read at every door, and bounded by what comes out of them. */

const bodyLimit = 1024 * 1024;
let gateway: TestGateway;
let managementKey: string;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  const server = { bodyLimit, bodiesLimit: 8 * bodyLimit };
  gateway = await startGateway({ models: [modelOf('acme/echo', [sandbox])], server });
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

function send(path: string, body: Uint8Array, encoding: string): Promise<Response> {
  const key = path === '/keys' ? managementKey : gateway.key;
  return fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body: Buffer.from(body),
  });
}

const messageOf = async (response: Response): Promise<string> =>
  ((await response.json()) as { readonly error: { readonly message: string } }).error.message;

const bodies: Readonly<Record<string, object>> = {
  '/responses': { model: 'acme/echo', input: 'Hello ✓' },
  '/responses/plan': { model: 'acme/echo', input: 'Hello ✓' },
  '/chat/completions': { model: 'acme/echo', messages: [{ role: 'user', content: 'Hello ✓' }] },
  '/messages': { model: 'acme/echo', max_tokens: 99, messages: [{ role: 'user', content: 'Hello ✓' }] },
  '/keys': { name: 'packed' },
};
const packers: readonly (readonly [encoding: string, pack: (text: string) => Buffer])[] = [
  ['gzip', (text) => gzipSync(text)],
  ['GZIP', (text) => gzipSync(text)],
  ['x-gzip', (text) => gzipSync(text)],
  ['deflate', (text) => deflateSync(text)],
  ['br', (text) => brotliCompressSync(text)],
  ['zstd', (text) => zstdCompressSync(text)],
  ['identity, gzip', (text) => gzipSync(text)],
  ['gzip, br', (text) => brotliCompressSync(gzipSync(text))],
  ['identity', (text) => Buffer.from(text)],
];

for (const [path, body] of Object.entries(bodies)) {
  test(`POST ${path} reads a body in every encoding`, async () => {
    for (const [encoding, pack] of packers) {
      const response = await send(path, pack(JSON.stringify(body)), encoding);
      const text = await response.text();
      assert.ok(response.ok, `${encoding}: ${text}`);
      if (path === '/responses') assert.match(text, /Hello ✓/);
    }
  });
}

test('a form is read in an encoding too', async () => {
  const form = new FormData();
  form.set('purpose', 'user_data');
  form.set('file', new Blob(['a,b'], { type: 'text/csv' }), 'a.csv');
  const plain = new Request('http://a', { method: 'POST', body: form });
  const response = await fetch(`${gateway.url}/api/v1/files`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.key}`,
      'content-type': plain.headers.get('content-type') ?? '',
      'content-encoding': 'gzip',
    },
    body: gzipSync(new Uint8Array(await plain.arrayBuffer())),
  });
  assert.equal(response.status, 200, await response.text());
});

describe('what cannot be read', () => {
  const call = JSON.stringify(bodies['/responses']);

  test('is refused by the name of the encoding, with what to do', async () => {
    const response = await send('/responses', Buffer.from(call), 'compress');
    assert.equal(response.status, 400);
    const problem = await response.json();
    checkContract('BadRequestResponse', problem);
    assert.match(
      JSON.stringify(problem),
      /\\"compress\\", which is not read here; send gzip, deflate, br or zstd/,
    );
    const long = await send('/responses', Buffer.from(call), 'x'.repeat(5_000));
    assert.equal(long.status, 400);
    assert.ok((await long.text()).length < 500);
    const many = await send('/responses', Buffer.from(call), 'gzip, gzip, gzip');
    assert.match(await messageOf(many), /has 3 encodings/);
  });

  test('is refused where it is not in its encoding, or not whole', async () => {
    for (const [encoding, pack] of packers.filter(([name]) => /^(gzip|deflate|br|zstd)$/.test(name))) {
      for (const body of [Buffer.from(call), pack(call).subarray(0, -6)]) {
        const response = await send('/responses', body, encoding);
        assert.equal(response.status, 400, encoding);
        assert.match(await messageOf(response), new RegExp(`"${encoding}" and is not in it, or not whole`));
      }
    }
  });
});

describe('a small body that unpacks to a large one', () => {
  const zeros = Buffer.alloc(64 * bodyLimit);
  const bombs = [gzipSync(zeros), brotliCompressSync(zeros), zstdCompressSync(zeros), deflateSync(zeros)];

  test('is refused as soon as it is too large', async () => {
    for (const [index, encoding] of ['gzip', 'br', 'zstd', 'deflate'].entries()) {
      const response = await send('/responses', bombs[index] ?? zeros, encoding);
      assert.equal(response.status, 413, encoding);
      assert.match(await messageOf(response), /unpacked, larger than the 1048576 bytes/);
    }
  });

  test('never takes more memory than bodies may, however many come at once', async () => {
    const before = process.memoryUsage().rss;
    const nested = gzipSync(gzipSync(zeros));
    const all = Array.from({ length: 400 }, (_, index) =>
      index % 2 === 0
        ? send('/responses', bombs[0] ?? zeros, 'gzip')
        : send('/responses', nested, 'gzip, gzip'),
    );
    const statuses = await Promise.all(
      all.map(async (answer) => {
        const response = await answer;
        await response.text();
        return response.status;
      }),
    );
    assert.deepEqual(
      statuses.filter((status) => status !== 413 && status !== 503),
      [],
    );
    assert.ok(process.memoryUsage().rss - before < 300 * 1024 * 1024);
    const other = await send('/responses', gzipSync(JSON.stringify(bodies['/responses'])), 'gzip');
    assert.equal(other.status, 200, await other.text());
  });
});
