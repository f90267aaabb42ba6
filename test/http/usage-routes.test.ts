import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { checkPublished } from '../support/published-interface.ts';

let gateway: TestGateway;
let boss: string;
let other: string;

before(async () => {
  const sandbox = providerOf({ slug: 'north', name: 'NorthGPU', adapter: 'sandbox' });
  const price = { prompt: parsePricePerMillion(3), completion: parsePricePerMillion(15) };
  gateway = await startGateway({
    models: ['echo', 'reason'].map((name) => modelOf(`acme/${name}`, [sandbox], { price })),
  });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
  other = await gateway.createKey({ name: 'other' });
  for (const [key, model] of [
    [gateway.key, 'acme/echo'],
    [gateway.key, 'acme/reason'],
    [other, 'acme/echo'],
  ] as const) {
    const sent = await gateway.post({ model, input: 'Hello there' }, { authorization: `Bearer ${key}` });
    assert.equal(sent.status, 200);
    await sent.text();
  }
});

after(() => gateway.stop());

async function get(path: string, key = boss) {
  const response = await gateway.get(`/api/v1${path}`, { authorization: `Bearer ${key}` });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  return { status: response.status, body: (await response.json()) as any };
}

test('a chart, its table, the list and the records say the same to the nano-dollar', async () => {
  const { data } = (await get('/usage/series?group=model&times=true&compare=previous&tz=Asia/Kathmandu'))
    .body;
  assert.equal(data.total.totals.requests, 3);
  const sum = (rows: readonly { readonly cost_nano: string }[]) =>
    rows.reduce((total, { cost_nano }) => total + BigInt(cost_nano), 0n);
  const total = BigInt(data.total.totals.cost_nano);
  assert.ok(total > 0n);
  assert.equal(sum(data.total.series), total);
  assert.equal(sum(data.groups.map((group: { totals: { cost_nano: string } }) => group.totals)), total);
  const list = (await get('/generations')).body;
  assert.equal(sum(list.data), total);
  assert.equal(list.complete, true);
  assert.equal(data.times.total.n, 3);
  assert.deepEqual(data.previous.totals.requests, 0);
  for (const { id } of list.data) {
    const { cost, row } = (await get(`/generations/${id}`)).body.data;
    assert.equal(row.id, id);
    const pico = cost.lines.reduce(
      (all: bigint, line: { amount_pico: string }) => all + BigInt(line.amount_pico),
      0n,
    );
    assert.equal((pico + 500n) / 1000n, BigInt(cost.charged_nano));
  }
});

test('total times are counted by class where that is asked, those that the percentiles are of', async () => {
  const { body } = await get('/usage/series?times=classes&bucket=all');
  checkPublished('UsageSeries', body);
  const { total, classes } = body.data.times;
  const { bounds_ms: bounds, counts } = classes;
  assert.equal(counts.length, 1);
  assert.equal(bounds.length, counts[0].length + 1);
  assert.ok(counts[0].length <= 20);
  const sum = counts[0].reduce((all: number, one: number) => all + one, 0);
  assert.deepEqual([sum, total.n], [3, 3]);
  assert.ok(bounds[0] <= total.total_ms.p50 && total.total_ms.p50 <= bounds.at(-1));
  const usual = (await get('/usage/series?times=true&bucket=all')).body.data.times;
  assert.deepEqual([usual.classes, usual.total], [null, total]);
  const empty = (await get('/usage/series?times=classes&model=acme/none')).body.data.times;
  assert.equal(empty.classes, null);
  const { status, body: refusal } = await get('/usage/series?times=perhaps');
  assert.equal(status, 400);
  assert.match(refusal.error.message, /times.*true, false or classes/);
  assert.equal((await get('/usage/series?times=classes&all_accounts=true')).status, 400);
});

test('the list goes on behind a cursor, which belongs to its filters', async () => {
  const first = (await get('/generations?limit=2')).body;
  assert.equal(first.data.length, 2);
  const rest = (await get(`/generations?limit=2&cursor=${first.next}`)).body;
  assert.equal(rest.data.length, 1);
  assert.equal((await get(`/generations?model=acme/echo&cursor=${first.next}`)).status, 400);
  const echo = (await get('/generations?model=acme/echo')).body;
  assert.deepEqual(new Set(echo.data.map(({ model }: { model: string }) => model)), new Set(['acme/echo']));
});

test('an inference key sees its own calls alone, whatever it asks for', async () => {
  const own = hashKey(gateway.key);
  for (const query of ['', `?key=${hashKey(other)}`]) {
    const { data } = (await get(`/generations${query}`, gateway.key)).body;
    assert.deepEqual(
      [data.length, ...new Set(data.map((row: { key_hash: string }) => row.key_hash))],
      [2, own],
    );
  }
  const series = (await get('/usage/series?group=key', gateway.key)).body.data;
  assert.deepEqual(
    series.groups.map(({ value }: { value: string }) => value),
    [own],
  );
  const values = (await get('/usage/values?dimension=key', gateway.key)).body.data;
  assert.deepEqual(
    values.map(({ value }: { value: string }) => value),
    [own],
  );
  const [foreign] = (await get(`/generations?key=${hashKey(other)}`)).body.data;
  assert.equal((await get(`/generations/${foreign.id}`, gateway.key)).status, 404);
  assert.equal((await get(`/generations/${foreign.id}`)).status, 200);
});

test('ranges and zones that make no sense are refused', async () => {
  for (const query of [
    'tz=Nowhere/Here',
    'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z',
    'from=2020-01-01T00:00:00Z&to=2026-01-01T00:00:00Z',
    'bucket=15m&from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z',
    'group=nothing',
  ]) {
    assert.equal((await get(`/usage/series?${query}`)).status, 400, query);
  }
});

test('operators read the sums of all accounts together; nobody else does, and nobody asks them for keys', async () => {
  const { key: foreign, manager: stranger } = await anotherAccount();
  const sent = await gateway.post(
    { model: 'acme/reason', input: 'Hello there' },
    { authorization: `Bearer ${foreign}` },
  );
  assert.equal(sent.status, 200);
  await sent.text();
  const own = (await get('/usage/series?group=model')).body.data;
  const theirs = (await get('/usage/series', stranger)).body.data;
  const all = (await get('/usage/series?group=model&compare=previous&all_accounts=true')).body.data;
  assert.deepEqual([own.total.totals.requests, theirs.total.totals.requests], [3, 1]);
  assert.equal(all.total.totals.requests, 4);
  const cost = ({ total }: { total: { totals: { cost_nano: string } } }) => BigInt(total.totals.cost_nano);
  assert.equal(cost(all), cost(own) + cost(theirs));
  assert.deepEqual(
    all.groups.map(({ value, totals }: { value: string; totals: { requests: number } }) => [
      value,
      totals.requests,
    ]),
    [
      ['acme/reason', 2],
      ['acme/echo', 2],
    ],
  );
  assert.equal(all.times, null);
  const days = (await get('/usage/series?bucket=1d&tz=Asia/Kathmandu&all_accounts=true')).body.data;
  assert.deepEqual([days.tz, days.total.totals.requests, cost(days)], ['UTC', 4, cost(all)]);
  assert.ok(days.starts.slice(1).every((start: string) => start.endsWith('T00:00:00.000Z')));
  for (const key of [stranger, foreign, gateway.key]) {
    const { status, body } = await get('/usage/series?all_accounts=true', key);
    assert.equal(status, 403);
    assert.match(body.error.message, /operator_accounts/);
    assert.equal((await get('/usage/series?all_accounts=false', key)).status, 200);
  }
  for (const query of ['group=key', 'group=workspace', 'times=true', 'key=abc', 'workspace=abc']) {
    const { status, body } = await get(`/usage/series?all_accounts=true&${query}`);
    assert.equal(status, 400, query);
    assert.match(body.error.message, /leave out/);
  }
});

test('keys of the account were last used in a quarter of an hour; inference keys do not ask', async () => {
  const { status, body } = await get('/usage/last');
  assert.equal(status, 200);
  checkPublished('LastUses', body);
  const own = body.data.find(({ key }: { key: string }) => key === hashKey(gateway.key));
  const [from, to] = [Date.parse(own.from), Date.parse(own.to)];
  assert.deepEqual([to - from, from % 900_000], [900_000, 0]);
  assert.ok(from <= Date.now() && Date.now() - to < 600_000);
  assert.ok(Date.parse(body.since) < Date.now() - 88 * 86_400_000);
  assert.equal((await get('/usage/last', gateway.key)).status, 403);
  const { manager: stranger } = await anotherAccount();
  assert.deepEqual((await get('/usage/last', stranger)).body.data, []);
});

/** Two keys of an account that operates nothing. */
async function anotherAccount() {
  const account = newAccount('Other', 'invoice', Date.now() + 1);
  await gateway.storage.accounts.create(account);
  const owner = { accountId: account.id, createdAt: Date.now(), workspaceId: null, name: 'other' };
  const [key, manager] = [createRawKey(), createRawKey()];
  await gateway.storage.keys.create(newKey(key, { ...owner, kind: 'inference' }));
  await gateway.storage.keys.create(newKey(manager, { ...owner, kind: 'management' }));
  return { key, manager };
}
