import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import type { StoredLimits } from '../../src/core/limits.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway, usualDestinations } from '../support/gateway.ts';
import { defaultLimits } from '../support/limits.ts';
import { roomInWindow } from '../support/windows.ts';

const stored: StoredLimits = {
  files: 3,
  fileBytes: 40_000,
  presetBytes: 3_000,
  keys: 3,
  workspaces: 3,
  credentials: 2,
  guardrails: 2,
  fileWritesPerMinute: 8,
  presetWritesPerMinute: 4,
};

let gateway: TestGateway;
let boss: string;
let neighbour: string;

before(async () => {
  const north = providerOf({ slug: 'deepinfra', name: 'NorthGPU', adapter: 'sandbox' });
  gateway = await startGateway({
    models: [modelOf('acme/echo', [north])],
    config: {
      limits: { ...defaultLimits, stored },
      observability: { refusals: true, plans: 'all', keep: 604_800_000, destinations: usualDestinations },
    },
    parts: { notePause: 20 },
  });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  const account = newAccount('Neighbour', 'invoice', Date.now());
  await gateway.storage.accounts.create(account);
  neighbour = createRawKey();
  const owner = { accountId: account.id, workspaceId: account.defaultWorkspaceId, createdAt: Date.now() };
  await gateway.storage.keys.create(newKey(neighbour, { ...owner, kind: 'inference', name: 'theirs' }));
});

after(() => gateway.stop());

async function upload(contents: string, key = gateway.key) {
  const form = new FormData();
  form.append('file', new Blob([contents], { type: 'text/plain' }), `${'n'.repeat(200)}.txt`);
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${gateway.url}/api/v1/files`, { method: 'POST', headers, body: form });
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
}

const manage = (method: string, path: string, body?: object) => callApi(gateway, boss, method, path, body);

test('headers of who sent a request are kept in part, in its record and where it was refused', async () => {
  const long = (letter: string) => `${letter.repeat(3_500)} end`;
  const headers = {
    'http-referer': long('r'),
    'x-title': long('t'),
    'user-agent': long('u'),
    origin: long('o'),
  };
  const names = ['httpReferer', 'appTitle', 'userAgent', 'origin'] as const;
  const served = await gateway.post({ model: 'acme/echo', input: 'Hello' }, headers);
  assert.equal(served.status, 200, await served.text());
  const record = await eventually('the record', async () =>
    gateway.storage.generations.find(served.headers.get('x-generation-id') ?? ''),
  );
  for (const name of names) assert.equal(record[name]?.length, 512, name);
  const model = `acme/${'m'.repeat(100_000)}`;
  const preferences = { only: Array.from({ length: 20 }, () => 'p'.repeat(10_000)) };
  const refused = await gateway.post({ model, input: 'Hello', provider: preferences }, headers);
  assert.equal(refused.status, 400, await refused.text());
  const note = await eventually('the note', async () =>
    gateway.storage.callNotes.find(refused.headers.get('x-generation-id') ?? ''),
  );
  for (const name of names) assert.equal(note.refused?.generation[name]?.length, 512, name);
  const size = JSON.stringify(note, (_, value) => (typeof value === 'bigint' ? String(value) : value)).length;
  assert.ok(size < 8_000, `${size} characters of a refused request`);
});

test('a header is cut between characters: half of one is nothing a database takes', async () => {
  // Each takes two places, and the first letter makes the bound fall into one.
  const title = Buffer.from(`a${'😀'.repeat(400)}`).toString('latin1');
  const { port } = new URL(gateway.url);
  const socket = connect(Number(port), '127.0.0.1');
  const body = JSON.stringify({ model: 'acme/echo', input: 'Hello' });
  socket.write(
    `POST /api/v1/responses HTTP/1.1\r\nhost: a\r\nconnection: close\r\nauthorization: Bearer ${gateway.key}\r\n` +
      `content-type: application/json\r\ncontent-length: ${body.length}\r\nx-title: ${title}\r\n\r\n${body}`,
    'latin1',
  );
  let answer = '';
  socket.setEncoding('latin1').on('data', (text: string) => {
    answer += text;
  });
  await once(socket, 'close');
  const id = /x-generation-id: (\S+)/i.exec(answer)?.[1] ?? '';
  const { appTitle = '' } = await eventually('the record', async () => gateway.storage.generations.find(id));
  assert.equal(appTitle, `a${'😀'.repeat(255)}`);
});

test('a workspace has so many files, and an account stores so many a minute; others are not concerned', async () => {
  await roomInWindow('minute', 20_000);
  for (let count = 0; count < 3; count += 1) assert.equal((await upload(`${count}`)).status, 200);
  const full = await upload('x');
  assert.equal(full.status, 413);
  assert.match(full.text, /A workspace may have 3 files; delete some/);
  const statuses = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await upload('y')).status);
  assert.deepEqual(statuses, [413, 413, 413, 413, 429, 429]);
  const late = await upload('z');
  assert.match(late.text, /an account has 8 calls a minute/);
  assert.ok(Number(late.headers.get('retry-after')) > 0);
  assert.equal((await upload('theirs', neighbour)).status, 200);
  assert.equal((await gateway.get('/api/v1/files')).status, 200, 'reading goes on');
});

test('presets of a workspace have a sum of bytes, whatever their versions, and a rate', async () => {
  await roomInWindow('minute', 20_000);
  const save = (slug: string, length: number) =>
    manage('POST', `/presets/${slug}/responses`, { model: 'acme/echo', instructions: 'x'.repeat(length) });
  assert.equal((await save('one', 1_400)).status, 200);
  assert.equal((await save('one', 1_400)).status, 200);
  const full = await save('two', 1_400);
  assert.equal(full.status, 413);
  assert.match(full.body.error.message, /presets of a workspace may have 3000 bytes together/);
  assert.equal((await manage('GET', '/presets/two')).status, 404, 'what is refused leaves nothing behind');
  assert.equal((await save('two', 10)).status, 200);
  const late = await save('two', 10);
  assert.equal(late.status, 429);
});

test('keys, guardrails and workspaces, and own credentials have a number', async () => {
  const statusesOf = async (path: string, body: (count: number) => object) => {
    const statuses = [];
    for (let count = 0; count < 4; count += 1)
      statuses.push((await manage('POST', path, body(count))).status);
    return statuses;
  };
  // There is one key and one workspace already.
  assert.deepEqual(await statusesOf('/keys', (count) => ({ name: `k${count}` })), [201, 201, 400, 400]);
  const workspaces = await statusesOf('/workspaces', (count) => ({ name: `w${count}`, slug: `w${count}` }));
  assert.deepEqual(workspaces, [201, 201, 400, 400]);
  assert.deepEqual(await statusesOf('/guardrails', (count) => ({ name: `g${count}` })), [201, 201, 400, 400]);
  const credential = (count: number) => ({ provider: 'deepinfra', key: `sk-abcdefghijklmnop${count}` });
  assert.deepEqual(await statusesOf('/byok', credential), [200, 200, 400, 400]);
  assert.equal((await manage('POST', '/keys', { name: 'n'.repeat(256) })).status, 400);
});

test('what takes room is shown where metrics would be, and to nobody else', async () => {
  const health = async (headers: Record<string, string> = {}) =>
    ((await (await fetch(`${gateway.url}/health/ready`, { headers })).json()) as { disk?: object }).disk;
  const here = (await health()) as { database_bytes: number; files_bytes: number };
  assert.ok(here.database_bytes > 100_000);
  assert.ok(here.files_bytes > 0);
  const proxied = { 'x-forwarded-for': '203.0.113.9' };
  assert.equal(await health(proxied), undefined);
  assert.equal(await health({ ...proxied, authorization: `Bearer ${gateway.key}` }), undefined);
  assert.ok(await health({ ...proxied, authorization: `Bearer ${boss}` }));
});
