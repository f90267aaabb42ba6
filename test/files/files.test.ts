import assert from 'node:assert/strict';
import { randomBytes, randomUUID } from 'node:crypto';
import { after, before, test } from 'node:test';
import OpenAI from 'openai';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { checkContract } from '../support/contract.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let upstream: FakeUpstream;
let gateway: TestGateway;

before(async () => {
  upstream = await startFakeUpstream({ steps: chatStream('Well.') });
  const provider = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const model = modelOf('acme/atlas-4', [provider]);
  gateway = await startGateway({ models: [{ ...model, inputModalities: ['text', 'image', 'file'] }] });
});
after(async () => {
  await gateway.stop();
  await upstream.close();
});

// biome-ignore lint/suspicious/noExplicitAny: bodies of answers, each checked by its test.
type Read = any;

async function call(method: string, path: string, body?: FormData, key = gateway.key) {
  const response = await fetch(`${gateway.url}/api/v1/files${path}`, {
    method,
    headers: { authorization: `Bearer ${key}` },
    ...(body !== undefined && { body }),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  const read: Read = isJson ? JSON.parse(bytes.toString()) : undefined;
  return { status: response.status, headers: response.headers, bytes, read };
}

function form(contents: string | Uint8Array<ArrayBuffer>, name = 'notes.txt', type = 'text/plain'): FormData {
  const fields = new FormData();
  fields.append('purpose', 'user_data');
  fields.append('file', new File([contents], name, { type }));
  return fields;
}

const upload = async (...given: Parameters<typeof form>): Promise<string> =>
  (await call('POST', '', form(...given))).read.id;

test('a file is stored, listed, read and deleted, byte by byte', async () => {
  const contents = randomBytes(3_000_000);
  const { status, read } = await call('POST', '', form(new Uint8Array(contents), 'Größe "1".bin', ''));
  assert.equal(status, 200);
  checkContract('FileResponse', read);
  assert.deepEqual([read.filename, read.size_bytes], ['Größe "1".bin', contents.length]);
  assert.match(read.id, /^file_hg_[A-Za-z0-9]{22}$/);

  const found = await call('GET', `/${read.id}`);
  assert.deepEqual(found.read, read);
  const list = await call('GET', '?limit=1');
  checkContract('FileListResponse', list.read);
  assert.deepEqual(list.read.data, [read]);

  const content = await call('GET', `/${read.id}/content`);
  assert.ok(content.bytes.equals(contents));
  const gone = await call('DELETE', `/${read.id}`);
  checkContract('FileDeleteResponse', gone.read);
  for (const path of [`/${read.id}`, `/${read.id}/content`]) {
    const missing = await call('GET', path);
    assert.equal(missing.status, 404);
    checkContract('NotFoundResponse', missing.read);
  }
  assert.equal((await call('DELETE', `/${read.id}`)).status, 404);
});

test('nothing of a file can run as a page of the gateway', async () => {
  const pages: readonly (readonly [name: string, type: string, served: string])[] = [
    ['page.html', 'text/html', 'application/octet-stream'],
    ['picture.svg', 'image/svg+xml', 'application/octet-stream'],
    ['script.js', 'text/javascript', 'application/octet-stream'],
    ['page.xhtml', 'application/xhtml+xml', 'application/octet-stream'],
    ['a"; filename=x.html', 'image/png', 'image/png'],
    ['notes.txt', 'text/plain;charset=utf-8', 'text/plain'],
  ];
  for (const [name, type, served] of pages) {
    const id = await upload('<script>alert(1)</script>', name, type);
    const { headers } = await call('GET', `/${id}/content`);
    assert.equal(headers.get('content-type'), served, name);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
    assert.match(
      headers.get('content-disposition') ?? '',
      /^attachment; filename="[^"\\]*"; filename\*=UTF-8''\S+$/,
    );
    assert.equal(headers.get('content-security-policy'), "default-src 'none'; sandbox");
  }
});

test('keys reach the files of their own workspace only', async () => {
  const id = await upload('secret');
  const { account, storage, createKey } = gateway;
  const known = await storage.workspaces.find(account.id, account.defaultWorkspaceId ?? '');
  assert.ok(known);
  const workspaceId = randomUUID();
  await storage.workspaces.create({ ...known, id: workspaceId, slug: workspaceId, name: 'other' });
  const other = await createKey({ workspaceId });
  for (const path of [`/${id}`, `/${id}/content`])
    assert.equal((await call('GET', path, undefined, other)).status, 404);
  assert.equal((await call('DELETE', `/${id}`, undefined, other)).status, 404);
  assert.deepEqual((await call('GET', '', undefined, other)).read.data, []);
  assert.equal((await call('GET', `?workspace_id=${workspaceId}`)).status, 403);
  assert.equal((await call('GET', `?workspace_id=${account.defaultWorkspaceId}`)).status, 200);
  const management = await createKey({ kind: 'management' });
  assert.equal((await call('GET', '', undefined, management)).status, 403);
  assert.equal((await call('GET', `/${id}`)).status, 200);
});

test('what is no form, has no name or is too large is refused', async () => {
  const text = { 'content-type': 'text/plain' };
  const bare = await fetch(`${gateway.url}/api/v1/files`, {
    method: 'POST',
    body: 'hello',
    headers: { authorization: `Bearer ${gateway.key}`, ...text },
  });
  assert.equal(bare.status, 400);
  for (const name of ['../etc/passwd', '/etc/passwd', 'C:\\a', 'a\u0001b', 'x'.repeat(256)]) {
    const { status, read } = await call('POST', '', form('hello', name));
    assert.equal(status, 400, name);
    checkContract('BadRequestResponse', read);
  }
  const limit = 25 * 1024 * 1024;
  assert.equal((await call('POST', '', form(new Uint8Array(limit)))).status, 200);
  const large = await call('POST', '', form(new Uint8Array(limit + 1)));
  assert.equal(large.status, 413);
  checkContract('PayloadTooLargeResponse', large.read);
  const noFile = new FormData();
  noFile.append('other', new File(['x'], 'x'));
  assert.equal((await call('POST', '', noFile)).status, 400);
  assert.equal((await call('GET', '?after=file_hg_none')).status, 400);
  assert.equal((await call('GET', '?provider=openai')).status, 400);
});

test('requests name files by their ids, in every dialect', async () => {
  const png = Buffer.from('iVBORw0KGgo=', 'base64');
  const picture = await upload(new Uint8Array(png), 'dot.png', 'image/png');
  const document = await upload('%PDF-1.4 hello', 'paper.pdf', 'application/pdf');
  const bodies: readonly (readonly [path: string, body: object])[] = [
    [
      '/responses',
      {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_image', file_id: picture, detail: 'auto' },
              { type: 'input_file', file_id: document },
            ],
          },
        ],
      },
    ],
    [
      '/messages',
      {
        max_tokens: 9,
        messages: [
          {
            role: 'user',
            content: [
              { type: 'image', source: { type: 'file', file_id: picture } },
              { type: 'document', source: { type: 'file', file_id: document } },
            ],
          },
        ],
      },
    ],
  ];
  for (const [path, body] of bodies) {
    const asked = upstream.requests.length;
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${gateway.key}` },
      body: JSON.stringify({ model: 'acme/atlas-4', ...body }),
    });
    assert.equal(response.status, 200, await response.text());
    const sent = JSON.stringify(upstream.requests[asked]?.body);
    assert.ok(sent.includes(`data:image/png;base64,${png.toString('base64')}`), sent);
    assert.ok(sent.includes(Buffer.from('%PDF-1.4 hello').toString('base64')), sent);
    assert.ok(!sent.includes('file_hg_'), sent);
  }
});

test('a file of nobody is 404 before any model is asked', async () => {
  const asked = upstream.requests.length;
  const content = [{ type: 'input_file', file_id: 'file_hg_AAAAAAAAAAAAAAAAAAAAAA' }];
  const response = await gateway.post({ model: 'acme/atlas-4', input: [{ role: 'user', content }] });
  assert.equal(response.status, 404);
  assert.equal(upstream.requests.length, asked);
});

test('the files of one request have a limit together', async () => {
  const ids: string[] = [];
  for (let at = 0; at < 3; at += 1) ids.push(await upload(new Uint8Array(20 * 1024 * 1024).fill(at)));
  const content = ids.map((file_id) => ({ type: 'input_file', file_id }));
  const response = await gateway.post({ model: 'acme/atlas-4', input: [{ role: 'user', content }] });
  assert.equal(response.status, 413);
  for (const id of ids) await call('DELETE', `/${id}`);
});

test("OpenAI's library stores, lists, reads and deletes files", async () => {
  const openai = new OpenAI({ baseURL: `${gateway.url}/api/v1`, apiKey: gateway.key });
  const file = await OpenAI.toFile(Buffer.from('Some notes.'), 'notes.txt', { type: 'text/plain' });
  const stored = await openai.files.create({ file, purpose: 'user_data' });
  const { object, bytes, purpose, status, filename } = stored;
  assert.deepEqual(
    [object, bytes, purpose, status, filename],
    ['file', 11, 'user_data', 'processed', 'notes.txt'],
  );
  assert.deepEqual(await openai.files.retrieve(stored.id), stored);
  const listed: string[] = [];
  for await (const { id } of openai.files.list({ limit: 2 })) listed.push(id);
  assert.ok(listed.includes(stored.id));
  assert.equal(await (await openai.files.content(stored.id)).text(), 'Some notes.');
  const gone = await openai.files.delete(stored.id);
  assert.deepEqual([gone.id, gone.object, gone.deleted], [stored.id, 'file', true]);
});
