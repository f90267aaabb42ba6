import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { hashKey } from '../../src/core/api-key.ts';
import { createLink } from '../../src/management/sessions/sessions.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { mostSessionsOfKey } from '../../src/ports/dashboard-sessions.ts';
import { TestBrowser } from '../support/dashboard.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';

let gateway: TestGateway;
let boss: string;
let number = 0;

before(async () => {
  gateway = await startGateway({ models: [], server: { trustProxy: ['127.0.0.1'] } });
  boss = await gateway.createKey({ kind: 'management', workspaceId: null });
});

after(() => gateway.stop());

/** An address of its own. */
const newAddress = () => {
  number += 1;
  return `203.0.${number >> 8}.${number & 255}`;
};

/** Logs in from an address. */
const logInFrom = (address: string, body: object, page = new TestBrowser(gateway.url)) =>
  page.call('POST', '/ui/session', body, { 'x-forwarded-for': address });

/** Counts begin anew with each minute of the clock: waits for the next one where this one is nearly over. */
async function awayFromMinuteEnd(): Promise<void> {
  const left = 60_000 - (Date.now() % 60_000);
  if (left < 20_000) await sleep(left + 100);
}

const counted = (answers: readonly { status: number }[]) =>
  Object.fromEntries(
    [200, 401, 429].map((code) => [code, answers.filter((one) => one.status === code).length]),
  );

test('one key that logs in again and again ends its own sessions, in its turn, and nobody else is logged out', async () => {
  await awayFromMinuteEnd();
  const operator = new TestBrowser(gateway.url);
  assert.equal((await logInFrom(newAddress(), { key: boss }, operator)).status, 200);
  const key = await gateway.createKey();
  const pages: TestBrowser[] = [];
  const answers = [];
  for (let n = 0; n < 40; n += 1) {
    const page = new TestBrowser(gateway.url);
    pages.push(page);
    answers.push(await logInFrom(newAddress(), { key }, page));
  }
  assert.deepEqual(counted(answers), { 200: 30, 401: 0, 429: 10 });
  const refused = answers.at(-1);
  const wait = Number(refused?.headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `${wait}`);
  assert.match(refused?.body.error.message, /^A key has 30 logins a minute\./);
  assert.equal((await gateway.storage.sessions.ofKey(hashKey(key))).length, mostSessionsOfKey);
  const shown = async (page?: TestBrowser) => (await page?.call('GET', '/ui/session'))?.status;
  assert.deepEqual([await shown(pages[0]), await shown(pages[29])], [401, 200]);
  assert.equal(await shown(operator), 200);
  assert.equal((await logInFrom(newAddress(), { key: boss })).status, 200, 'others log in');
  assert.equal((await logInFrom(newAddress(), { key: await gateway.createKey() })).status, 200);
});

test('logins of one key at the same moment have the same bounds, and so have keys that are added and confirmed', async () => {
  await awayFromMinuteEnd();
  const key = await gateway.createKey();
  const answers = await Promise.all(Array.from({ length: 60 }, () => logInFrom(newAddress(), { key })));
  assert.deepEqual(counted(answers), { 200: 30, 401: 0, 429: 30 });
  assert.equal((await gateway.storage.sessions.ofKey(hashKey(key))).length, mostSessionsOfKey);
  const page = new TestBrowser(gateway.url);
  assert.equal((await page.login(boss)).status, 200);
  assert.equal((await page.call('POST', '/ui/session/principals', { key })).status, 429);
  for (let n = 0; n < 31; n += 1)
    answers.push(await page.call('POST', '/ui/session/confirmation', { key: boss }));
  assert.equal(answers.at(-1)?.status, 429);
  const code = await createLink(hashKey(key), 60_000, { storage: gateway.storage, clock: systemClock });
  assert.equal((await logInFrom(newAddress(), { code })).status, 200, 'a link is not lost by that');
});

test('a browser that logs in again, or adds a key, has one session as before', async () => {
  await awayFromMinuteEnd();
  const key = await gateway.createKey();
  const first = new TestBrowser(gateway.url);
  assert.equal((await first.login(key)).status, 200);
  const page = new TestBrowser(gateway.url);
  for (let n = 0; n < mostSessionsOfKey + 2; n += 1) assert.equal((await page.login(key)).status, 200);
  assert.equal((await page.call('POST', '/ui/session/principals', { key: gateway.key })).status, 200);
  assert.equal((await gateway.storage.sessions.ofKey(hashKey(key))).length, 2);
  assert.equal((await first.call('GET', '/ui/session')).status, 200);
});

test('repeated logins and logouts share entries of the audit log; a login from another place has its own', async () => {
  await awayFromMinuteEnd();
  const key = await gateway.createKey({ kind: 'management', workspaceId: null });
  const address = newAddress();
  const other = newAddress();
  for (let n = 0; n < 25; n += 1) {
    const page = new TestBrowser(gateway.url);
    assert.equal((await logInFrom(address, { key }, page)).status, 200);
    const ended = await page.call('DELETE', '/ui/session', undefined, { 'x-forwarded-for': address });
    assert.equal(ended.status, 200);
  }
  assert.equal((await logInFrom(other, { key })).status, 200);
  const entries = await gateway.storage.audit.list({ accountId: gateway.account.id, limit: 1_000 });
  const own = entries.filter(({ actor }) => actor.key_hash === hashKey(key)).reverse();
  const created = own.filter(({ action }) => action === 'session.create');
  assert.deepEqual(
    created.map(({ actor, after }) => [actor.address, after?.count]),
    [...Array(10).fill([address, undefined]), [address, 20], [other, undefined]],
  );
  const deleted = own.filter(({ action }) => action === 'session.delete');
  assert.deepEqual(
    deleted.map(({ after }) => after?.count),
    [...Array(10).fill(undefined), 20],
  );
});

test('150 wrong keys at the same moment from one address: five are tried, and other addresses log in', async () => {
  await awayFromMinuteEnd();
  const key = await gateway.createKey();
  const address = newAddress();
  const wrong = Array.from({ length: 150 }, (_, n) => logInFrom(address, { key: `wrong-${n}` }));
  const [answers, right] = await Promise.all([Promise.all(wrong), logInFrom(newAddress(), { key })]);
  assert.deepEqual(counted(answers), { 200: 0, 401: 5, 429: 145 });
  assert.equal(right.status, 200);
  const locked = await logInFrom(address, { key });
  assert.equal(locked.status, 429, 'its own address waits');
  assert.ok(Number(locked.headers.get('retry-after')) >= 1);
  assert.equal((await logInFrom(newAddress(), { key })).status, 200);
});

test('wrong keys of very many addresses slow the addresses that failed, and no others', async () => {
  await awayFromMinuteEnd();
  const key = await gateway.createKey();
  const innocent = newAddress();
  const addresses = Array.from({ length: 140 }, newAddress);
  const guesses = await Promise.all(addresses.map((address) => logInFrom(address, { key: 'wrong' })));
  assert.deepEqual(counted(guesses), { 200: 0, 401: 140, 429: 0 });
  assert.equal((await logInFrom(addresses[0] ?? '', { key: 'wrong' })).status, 429);
  // An IPv6 customer has more addresses than anybody can count: its network is one.
  assert.equal((await logInFrom('2001:db8:7:7::1', { key: 'wrong' })).status, 401);
  assert.equal((await logInFrom('2001:db8:7:7:ffff::2', { key: 'wrong' })).status, 429);
  for (const address of [innocent, innocent, '2001:db8:7:8::1']) {
    assert.equal((await logInFrom(address, { key })).status, 200, address);
  }
});

test('logins that succeed are given back: one address logs in as often as its keys may', async () => {
  await awayFromMinuteEnd();
  const address = newAddress();
  const keys = await Promise.all(Array.from({ length: 12 }, () => gateway.createKey()));
  for (const key of keys) assert.equal((await logInFrom(address, { key })).status, 200);
  const together = await Promise.all(keys.slice(0, 5).map((key) => logInFrom(address, { key })));
  assert.deepEqual(counted(together), { 200: 5, 401: 0, 429: 0 });
});

test('a session asks for itself 600 times a minute, and other keys go on', async () => {
  await awayFromMinuteEnd();
  const [page, other] = [new TestBrowser(gateway.url), new TestBrowser(gateway.url)];
  assert.equal((await page.login(await gateway.createKey())).status, 200);
  assert.equal((await other.login(await gateway.createKey())).status, 200);
  const answers = [];
  for (let n = 0; n < 7; n += 1) {
    const asked = Array.from({ length: 100 }, () => page.call('GET', '/ui/session'));
    answers.push(...(await Promise.all(asked)));
  }
  assert.deepEqual(counted(answers), { 200: 600, 401: 0, 429: 100 });
  assert.equal((await other.call('GET', '/ui/session')).status, 200);
  assert.equal((await page.call('DELETE', '/ui/session')).status, 200, 'it can always be ended');
});
