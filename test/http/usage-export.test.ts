import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let boss: string;
let formula: string;

before(async () => {
  const sandbox = providerOf({ slug: 'north', name: 'NorthGPU', adapter: 'sandbox' });
  const price = { prompt: parsePricePerMillion(3), completion: parsePricePerMillion(15) };
  gateway = await startGateway({
    models: ['echo', 'reason'].map((name) => modelOf(`acme/${name}`, [sandbox], { price })),
  });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  formula = await gateway.createKey({ name: '=HYPERLINK("http://acme.example","a, b")' });
  // More than a page of the list, of two models and two keys.
  const send = async (call: number) => {
    const key = call % 3 === 0 ? formula : gateway.key;
    const model = call % 2 === 0 ? 'acme/echo' : 'acme/reason';
    const sent = await gateway.post({ model, input: `Hello ${call}` }, { authorization: `Bearer ${key}` });
    assert.equal(sent.status, 200);
    await sent.text();
  };
  await Promise.all(Array.from({ length: 210 }, (_, call) => send(call)));
});

after(() => gateway.stop());

function ask(path: string, key = boss) {
  return gateway.get(`/api/v1/generations${path}`, { authorization: `Bearer ${key}` });
}

interface Row {
  readonly id: string;
  readonly model: string;
  readonly key_label: string;
  readonly cost_nano: string;
}

async function listed(filters: string, key = boss): Promise<readonly Row[]> {
  const rows: Row[] = [];
  let cursor = '';
  do {
    const list = (await (await ask(`?limit=200&${filters}${cursor}`, key)).json()) as {
      readonly data: readonly Row[];
      readonly next: string | null;
    };
    rows.push(...list.data);
    cursor = list.next === null ? '' : `&cursor=${list.next}`;
  } while (cursor !== '');
  return rows;
}

async function linesOf(path: string, key = boss): Promise<readonly Row[]> {
  const response = await ask(`/export?format=jsonl${path}`, key);
  assert.equal(response.status, 200);
  assert.equal(response.headers.get('content-type'), 'application/jsonl; charset=utf-8');
  assert.equal(response.headers.get('content-disposition'), 'attachment; filename="requests.jsonl"');
  const lines = (await response.text()).split('\n');
  assert.equal(lines.pop(), '');
  return lines.map((line) => JSON.parse(line));
}

test('a file has every request of the list, however many pages it has, and its filters', async () => {
  assert.equal((await linesOf('')).length, 210);
  for (const filters of ['', 'model=acme/echo', 'min_cost_nano=1&model=acme/*', 'outcome=failed']) {
    assert.deepEqual(await linesOf(`&${filters}`), await listed(filters), filters);
  }
});

test('a file of comma-separated values says the same, and opens no formula', async () => {
  const response = await ask('/export');
  assert.equal(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  const text = Buffer.from(await response.arrayBuffer()).toString();
  const [head = '', ...lines] = text.split('\r\n');
  assert.ok(head.startsWith('\ufeffid,request_id,created_at,'));
  assert.equal(lines.pop(), '');
  const rows = await listed('');
  assert.equal(lines.length, rows.length);
  for (const [at, { id, cost_nano, key_label }] of rows.entries()) {
    const line = lines[at] ?? '';
    assert.ok(line.startsWith(`${id},`) && line.endsWith(`,${cost_nano}`), line);
    if (key_label.startsWith('=')) {
      assert.ok(line.includes(`"'=HYPERLINK(""http://acme.example"",""a, b"")"`), line);
    }
  }
  // An empty list is a file of its head.
  assert.equal(await (await ask('/export?outcome=failed')).text(), `${head.replace('\ufeff', '')}\r\n`);
});

test('a key of inference gets its own requests, and another account none', async () => {
  const own = await linesOf('', formula);
  assert.equal(own.length, 70);
  assert.deepEqual(own, await listed('', formula));
  const owner = newAccount('Other', 'invoice', Date.now());
  await gateway.storage.accounts.create(owner);
  const raw = createRawKey();
  const place = { accountId: owner.id, workspaceId: null, createdAt: Date.now() };
  await gateway.storage.keys.create(newKey(raw, { ...place, kind: 'management', name: 'other' }));
  assert.deepEqual(await linesOf('', raw), []);
  assert.deepEqual(await linesOf(`&key=${hashKey(formula)}`, raw), []);
});

test('malformed queries are refused, and so is a key that is none', async () => {
  for (const [query, place] of [
    ['format=xlsx', 'format'],
    ['from=yesterday', 'from'],
    ['min_tokens=-1', 'min_tokens'],
    ['model=a%00b', 'U+0000'],
  ] as const) {
    const refused = await ask(`/export?${query}`);
    assert.equal(refused.status, 400);
    const text = await refused.text();
    assert.ok(text.includes(place), text);
  }
  assert.equal((await ask('/export', 'sk-hg-v1-unknown')).status, 401);
});

test('one file at a time is made for a key, four in all; the next one when one is done or given up', async (t) => {
  const { usage } = gateway.storage;
  const original = usage.calls.bind(usage);
  const gate = Promise.withResolvers<void>();
  const calls = t.mock.method(usage, 'calls', async (...asked: Parameters<typeof usage.calls>) => {
    await gate.promise;
    return original(...asked);
  });
  const keys = await Promise.all(Array.from({ length: 4 }, () => gateway.createKey()));
  const first = [boss, ...keys.slice(0, 3)].map(async (key) => (await ask('/export', key)).status);
  await eventually('four files', async () => calls.mock.callCount() === 4);
  const refused = await ask('/export');
  assert.equal(refused.status, 429);
  assert.equal(refused.headers.get('retry-after'), '10');
  assert.match(await refused.text(), /A file is being made for this key: try again when it is done/);
  assert.match(await (await ask('/export', keys[3])).text(), /4 files are being made/);
  gate.resolve();
  assert.deepEqual(await Promise.all(first), [200, 200, 200, 200]);
  await eventually('the next file', async () => (await ask('/export')).status === 200);
});
