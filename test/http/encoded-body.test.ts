import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let managementKey: string;

before(async () => {
  const sandbox = providerOf({ slug: 'north', adapter: 'sandbox' });
  gateway = await startGateway({ models: [modelOf('acme/echo', [sandbox])] });
  managementKey = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

function send(path: string, body: Uint8Array<ArrayBuffer>, encoding: string): Promise<Response> {
  const key = path === '/keys' ? managementKey : gateway.key;
  return fetch(`${gateway.url}/api/v1${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-encoding': encoding,
    },
    body,
  });
}

const call = JSON.stringify({ model: 'acme/echo', input: 'Hello' });
const encoded: readonly [encoding: string, body: Uint8Array<ArrayBuffer>][] = [
  ['gzip', gzipSync(call)],
  ['br', brotliCompressSync(call)],
  ['gzip', Buffer.from(call)],
  ['identity, GZIP', gzipSync(call)],
];

for (const path of ['/responses', '/responses/plan', '/keys']) {
  test(`POST ${path}: a body in an encoding is refused by the encoding's name, and what to do`, async () => {
    for (const [encoding, body] of encoded) {
      const response = await send(path, body, encoding);
      const problem = (await response.json()) as { readonly error: { readonly message: string } };
      assert.equal(response.status, 400);
      checkContract('BadRequestResponse', problem);
      const name = encoding.split(', ').at(-1);
      assert.equal(
        problem.error.message,
        `body: is sent with Content-Encoding "${name}", which is not read here; send plain JSON without that header.`,
      );
    }
  });
}

test('the encoding that is none is read', async () => {
  for (const encoding of ['identity', 'Identity', 'identity,identity']) {
    const response = await send('/responses', Buffer.from(call), encoding);
    assert.equal(response.status, 200, await response.text());
  }
});

test('the name of an encoding is not repeated at length', async () => {
  const response = await send('/responses', Buffer.from(call), 'x'.repeat(5_000));
  assert.equal(response.status, 400);
  assert.ok((await response.text()).length < 500);
});
