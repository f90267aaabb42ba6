import assert from 'node:assert/strict';
import { request } from 'node:http';
import { after, before, test } from 'node:test';
import { createRawKey } from '../../src/core/api-key.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import type { Account } from '../../src/ports/accounts.ts';
import { ledgerEntry, usd } from '../conformance/fixtures.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

/** More than two readings of the store. */
const many = 1_203;
let gateway: TestGateway;
/** Of the oldest account, which operates the installation. */
let operator: string;
let manager: string;
let other: Account;

before(async () => {
  const models = [modelOf('acme/atlas-4', [providerOf({ slug: 'north', baseUrl: 'http://127.0.0.1:1/v1' })])];
  gateway = await startGateway({ models, billingMode: 'prepaid' });
  operator = await gateway.createKey({ kind: 'management', workspaceId: null });
  other = newAccount('Other', 'prepaid', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  manager = createRawKey();
  const owner = { accountId: other.id, createdAt: Date.now(), workspaceId: null };
  await gateway.storage.keys.create(newKey(manager, { ...owner, kind: 'management', name: 'boss' }));
  const entries = Array.from({ length: many }, (_, number) => {
    const isTaken = number % 100 === 7;
    return {
      ...ledgerEntry(other.id),
      amount: usd(isTaken ? -1_000_000_001 : number + 1),
      type: isTaken ? ('adjustment' as const) : ('grant' as const),
      externalRef: `ref-${number}`,
      note: number === 3 ? '=HYPERLINK("http://x"),\nnext' : null,
    };
  });
  await gateway.storage.ledger.append(...entries);
});

after(() => gateway.stop());

const ask = (query: string, key = manager) =>
  fetch(`${gateway.url}/api/v1/ledger/export${query}`, { headers: { authorization: `Bearer ${key}` } });

test('JSON lines are all movements as the list shows them, and CSV says the same', async () => {
  const response = await ask('?format=jsonl');
  assert.equal(response.headers.get('content-type'), 'application/jsonl; charset=utf-8');
  assert.match(response.headers.get('content-disposition') ?? '', /^attachment; filename="ledger.jsonl"/);
  assert.equal(response.headers.get('cache-control'), 'no-store');
  const lines = (await response.text()).trimEnd().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as Record<string, string>);
  assert.equal(rows.length, many);
  const listed = await fetch(`${gateway.url}/api/v1/ledger?limit=100`, {
    headers: { authorization: `Bearer ${manager}` },
  });
  const { data, balance } = (await listed.json()) as {
    data: object[];
    balance: { balance_nano: string };
  };
  assert.deepEqual(rows.slice(0, 100), data);
  const sum = rows.reduce((all, { amount_nano: amount = '' }) => all + BigInt(amount), 0n);
  assert.equal(String(sum), balance.balance_nano);
  const bytes = Buffer.from(await (await ask('')).arrayBuffer());
  assert.deepEqual([...bytes.subarray(0, 3)], [0xef, 0xbb, 0xbf], 'spreadsheets take it for UTF-8');
  const csv = bytes.subarray(3).toString();
  const cells = csv
    .replace(/"(?:[^"]|"")*"/g, 'quoted')
    .trimEnd()
    .split('\r\n');
  assert.equal(cells.length, many + 1);
  assert.match(csv, /^time,id,account_id,type,amount_usd,amount_nano,/);
  assert.deepEqual(
    cells.slice(1).map((line) => line.split(',')[5]),
    rows.map(({ amount_nano: amount }) => amount),
  );
  assert.ok(csv.includes(',adjustment,-1.000000001,-1000000001,0,'), 'negative amounts stay numbers');
  assert.ok(csv.includes(`,"'=HYPERLINK(""http://x""),\nnext",`));
});

test('types narrow it; only operators name another account, and inference keys have no export', async () => {
  const taken = (await (await ask('?format=jsonl&type=adjustment')).text()).trimEnd().split('\n');
  assert.equal(taken.length, 12);
  const own = await (await ask('?format=jsonl', operator)).text();
  assert.equal(own.includes(other.id), false);
  const named = await (await ask(`?format=jsonl&account_id=${other.id}`, operator)).text();
  assert.equal(named.trimEnd().split('\n').length, many);
  assert.equal((await ask(`?account_id=${gateway.account.id}`)).status, 404);
  assert.equal((await ask('', gateway.key)).status, 403);
  assert.equal((await ask('?format=xls')).status, 400);
  assert.equal(await (await ask('?format=jsonl&type=transfer')).text(), '');
  assert.equal((await (await ask('?type=transfer')).text()).split('\r\n').length, 2, 'the head alone');
});

test('an export whose client has gone makes room for the next', async () => {
  const { hostname, port } = new URL(gateway.url);
  const gone = request({
    hostname,
    port,
    path: '/api/v1/ledger/export?format=jsonl',
    headers: { authorization: `Bearer ${manager}` },
  });
  gone.on('error', () => {});
  gone.end();
  await new Promise((resolve) => gone.on('response', resolve));
  gone.destroy();
  await eventually('room', async () => {
    const { status, body } = await ask('?type=transfer');
    await body?.cancel();
    return status === 200 ? true : undefined;
  });
});
