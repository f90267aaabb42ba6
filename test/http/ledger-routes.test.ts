import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { createRawKey, hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion } from '../../src/core/money.ts';
import { newAccount } from '../../src/management/accounts/accounts.ts';
import { newKey } from '../../src/management/keys/keys.ts';
import { createLink } from '../../src/management/sessions/sessions.ts';
import type { Account } from '../../src/ports/accounts.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { type HoldingUpstream, startHoldingUpstream } from '../support/holding-upstream.ts';
import { checkPublished } from '../support/published-interface.ts';

/** What routes answer, by their names in the published document. */
const schemas: Readonly<Record<string, string>> = {
  'GET /ledger': 'LedgerPage',
  'POST /ledger': 'BookedCredits',
  'GET /ledger/verify': 'LatestJob',
  'POST /ledger/verify': 'JobAnswer',
  'GET /jobs': 'JobAnswer',
  'GET /holds': 'Holds',
  'GET /accounts': 'AccountList',
  'GET /audit': 'AuditList',
};

let upstream: HoldingUpstream;
let gateway: TestGateway;
/** Of the oldest account, which operates the installation. */
let operator: string;
let manager: string;
let other: Account;

before(async () => {
  upstream = await startHoldingUpstream();
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const price = { prompt: parsePricePerMillion(1), completion: parsePricePerMillion(15) };
  gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north], { price })],
    billingMode: 'prepaid',
  });
  operator = await gateway.createKey({ kind: 'management', workspaceId: null });
  other = newAccount('Other', 'prepaid', Date.now() + 1);
  await gateway.storage.accounts.create(other);
  manager = createRawKey();
  const owner = { accountId: other.id, createdAt: Date.now(), workspaceId: null };
  await gateway.storage.keys.create(newKey(manager, { ...owner, kind: 'management', name: 'boss' }));
});

after(async () => {
  await gateway.stop();
  await upstream.close();
});

async function call(method: string, path: string, key = operator, body?: unknown) {
  const response = await fetch(`${gateway.url}/api/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, each checked by its test.
  const json = (await response.json()) as any;
  if (response.ok) checkPublished(schemas[`${method} ${path.replace(/[?].*|[/]job_.*/, '')}`] ?? '', json);
  return { status: response.status, body: json };
}

const grant = (ref: string, amount_nano = '5000000000') => ({ type: 'grant', amount_nano, ref });

test('a grant is booked once under its reference, to the nano-dollar', async () => {
  const first = await call('POST', '/ledger', operator, { ...grant('g1', '5000000001'), note: 'hello' });
  assert.equal(first.status, 200);
  assert.deepEqual([first.body.data.booked, first.body.data.balance.balance_nano], [true, '5000000001']);
  const again = await call('POST', '/ledger', operator, grant('g1', '5000000001'));
  assert.deepEqual([again.body.data.booked, again.body.data.balance.balance_nano], [false, '5000000001']);
  const differing = await call('POST', '/ledger', operator, grant('g1', '2'));
  assert.equal(differing.status, 422);
  assert.match(differing.body.error.message, /another amount/);
  const refund = await call('POST', '/ledger', operator, { type: 'refund', amount_nano: '1', ref: 'r1' });
  assert.equal(refund.body.data.balance.balance_nano, '5000000000');
  const listed = await call('GET', '/ledger?type=grant');
  const [entry] = listed.body.data;
  assert.deepEqual(
    [entry.amount_nano, entry.external_ref, entry.note, entry.counts_as_purchase],
    ['5000000001', 'g1', 'hello', false],
  );
  assert.equal(entry.created_by, (await gateway.storage.keys.findWithAccount(hashKey(operator)))?.key.label);
  const { body } = await call('GET', '/audit?action=credits.grant&limit=5');
  const done = body.data.filter(({ outcome }: { outcome: string }) => outcome === 'ok');
  assert.deepEqual(
    done.map(({ after: said }: { after: { booked: boolean } }) => said.booked),
    [false, true],
  );
});

test('movements come in pages, newest first, without gaps', async () => {
  for (const n of [1, 2, 3, 4, 5]) await call('POST', '/ledger', operator, grant(`p${n}`, String(n)));
  const refs: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await call('GET', `/ledger?limit=2${cursor}`);
    refs.push(...body.data.map(({ external_ref }: { external_ref: string }) => external_ref));
    if (body.next === null) break;
    cursor = `&cursor=${body.next}`;
  }
  assert.deepEqual(refs.slice(0, 5), ['p5', 'p4', 'p3', 'p2', 'p1']);
  assert.equal(new Set(refs).size, refs.length);
  assert.equal((await call('GET', '/ledger?cursor=x')).status, 400);
});

test('operators reach every account, managers their own, inference keys none', async () => {
  const booked = await call('POST', '/ledger', operator, { ...grant('o1', '7'), account_id: other.id });
  assert.deepEqual([booked.status, booked.body.data.account_id], [200, other.id]);
  const own = await call('GET', '/ledger', manager);
  assert.deepEqual([own.body.account.id, own.body.balance.balance_nano], [other.id, '7']);
  assert.equal((await call('GET', `/ledger?account_id=${other.id}`, operator)).body.data.length, 1);
  assert.equal((await call('GET', `/ledger?account_id=${gateway.account.id}`, manager)).status, 404);
  assert.equal((await call('GET', `/holds?account_id=${gateway.account.id}`, manager)).status, 404);
  assert.equal((await call('GET', '/holds', manager)).status, 200);
  assert.equal((await call('POST', '/ledger', operator, { ...grant('o2'), account_id: 'none' })).status, 404);
  for (const [method, path, body] of [
    ['POST', '/ledger', { ...grant('m1'), account_id: other.id }],
    ['POST', '/ledger/verify', {}],
    ['GET', '/ledger/verify', undefined],
    ['GET', '/jobs/none', undefined],
  ] as const) {
    assert.equal((await call(method, path, manager, body)).status, 403, `${method} ${path}`);
    assert.equal((await call(method, path, gateway.key, body)).status, 403, `${method} ${path}`);
  }
  assert.equal((await call('GET', '/ledger', gateway.key)).status, 403);
  assert.equal((await call('GET', '/holds', gateway.key)).status, 403);
});

test('operators list the accounts in pages; nobody else does', async () => {
  const ids: string[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await call('GET', `/accounts?limit=1${cursor}`);
    assert.equal(status, 200);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    if (body.next === null) break;
    cursor = `&cursor=${encodeURIComponent(body.next)}`;
  }
  assert.deepEqual(ids, [gateway.account.id, other.id]);
  assert.equal((await call('GET', '/accounts', manager)).status, 403);
  assert.equal((await call('GET', '/accounts', gateway.key)).status, 403);
  assert.equal((await call('GET', '/accounts?cursor=x')).status, 400);
});

test('what cannot be an amount, a reference or a type is refused and books nothing', async () => {
  const before = (await call('GET', '/ledger')).body.balance;
  for (const wrong of [
    { ...grant('w1'), amount_nano: '0' },
    { ...grant('w1'), amount_nano: '-1' },
    { ...grant('w1'), amount_nano: '1.5' },
    { ...grant('w1'), amount_nano: 5 },
    { ...grant('w1'), amount_nano: '99999999999999999999' },
    { type: 'grant', amount_nano: '5' },
    { ...grant('w1'), ref: '' },
    { ...grant('w1'), type: 'adjustment' },
    { ...grant('w1'), more: true },
    { ...grant('w1'), expires_at: '2001-01-01T00:00:00Z' },
  ]) {
    assert.equal((await call('POST', '/ledger', operator, wrong)).status, 400, JSON.stringify(wrong));
  }
  assert.deepEqual((await call('GET', '/ledger')).body.balance, before);
});

test('the ledger is checked by a job that every process can show', async () => {
  const begun = await call('POST', '/ledger/verify', operator, {});
  assert.equal(begun.status, 202);
  const { id } = begun.body.data;
  const read = async () => (await call('GET', `/jobs/${id}`)).body.data;
  await eventually('the end of the check', async () => (await read()).state === 'done');
  const job = await read();
  assert.deepEqual([job.result, job.done], [{ differences: [], count: 0 }, job.steps]);
  assert.equal((await call('GET', '/ledger/verify')).body.data.id, id);
  assert.equal((await call('GET', '/jobs/none')).status, 404);
});

test('a running check is found again instead of a second one', async () => {
  const createdAt = Date.now() + 60_000;
  const job = { id: 'job_elsewhere', kind: 'ledger.verify', state: 'running', done: 1, steps: 3 } as const;
  const begun = { ...job, result: null, createdBy: 'x', createdAt, updatedAt: Date.now() };
  await eventually('its turn', () => gateway.storage.jobs.begin(begun, 0));
  assert.equal((await call('POST', '/ledger/verify', operator, {})).body.data.id, job.id);
  await gateway.storage.jobs.report(job.id, { ...begun, updatedAt: Date.now() - 60_000 });
  assert.equal((await call('GET', `/jobs/${job.id}`)).body.data.state, 'lost');
  assert.notEqual((await call('POST', '/ledger/verify', operator, {})).body.data.id, job.id);
});

test('running requests of an account near its end are named with what they hold', async () => {
  const idle = (await call('GET', '/holds')).body.data;
  assert.deepEqual([idle.running, idle.in_flight_nano, idle.holds], [0, '0', []]);
  assert.notEqual(idle.budget_nano, null, 'a prepaid account near its end has a limit');
  const body = { model: 'acme/atlas-4', input: 'Hello', max_output_tokens: 1_000 };
  const answer = gateway.post(body);
  await upstream.reached(1);
  const { running, running_nano, settling_nano, holds } = (await call('GET', '/holds')).body.data;
  const [hold] = holds;
  assert.deepEqual([running, settling_nano, running_nano], [1, '0', hold.amount_nano]);
  assert.deepEqual([hold.model, hold.key_hash, hold.streamed], ['acme/atlas-4', gateway.keyHash, false]);
  assert.ok(BigInt(hold.amount_nano) > 0n && hold.lease_ms > 0);
  upstream.release();
  assert.equal((await answer).headers.get('x-generation-id'), hold.request_id);
  const settled = (await call('GET', '/holds')).body.data;
  assert.deepEqual([settled.running, settled.in_flight_nano], [0, settled.settling_nano]);
  const { spent_nano } = (await call('GET', '/ledger')).body.balance;
  assert.equal(settled.settling_nano, spent_nano, 'the charge still counts for a while');
});

test('in the dashboard a grant needs a key that was typed lately', async () => {
  const link = async () =>
    createLink(hashKey(operator), 60_000, { storage: gateway.storage, clock: systemClock });
  const page = new TestBrowser(gateway.url);
  await page.call('POST', '/ui/session', { code: await link() });
  assert.equal((await page.call('GET', '/ui/session')).body.data.principals[0].typed_until, null);
  const refused = await page.call('POST', '/ui/api/ledger', grant('d1'));
  assert.equal(refused.status, 403);
  assert.match(refused.body.error.message, /type it again/);
  assert.equal((await page.call('POST', '/ui/session/confirmation', { key: manager })).status, 401);
  const secret = { provider: 'north', key: 'very-secret-0815' };
  assert.equal((await page.call('POST', '/ui/api/byok', secret)).status, 403);
  assert.equal((await page.call('PATCH', '/ui/api/byok/none', { key: 'other-secret-0816' })).status, 403);
  assert.equal((await page.call('PATCH', '/ui/api/byok/none', { disabled: true })).status, 404);
  const confirmed = await page.call('POST', '/ui/session/confirmation', { key: operator });
  assert.ok(Date.parse(confirmed.body.data.principals[0].typed_until) > Date.now());
  assert.equal((await page.call('POST', '/ui/api/ledger', grant('d1'))).status, 200);

  const id = (await page.call('GET', '/ui/session')).body.data.id;
  const sessions = await gateway.storage.sessions.ofKey(hashKey(operator));
  const session = sessions.find((one) => one.id.startsWith(id));
  assert.ok(session);
  const typedAt = Date.now() - 30 * 60_000;
  const principals = session.principals.map((one) => ({ ...one, typedAt }));
  await gateway.storage.sessions.setPrincipals(session.id, principals);
  assert.equal((await page.call('POST', '/ui/api/ledger', grant('d2'))).status, 403, 'half an hour later');

  const typed = new TestBrowser(gateway.url);
  await typed.login(operator);
  assert.equal((await typed.call('POST', '/ui/api/ledger', grant('d3'))).status, 200);
});
