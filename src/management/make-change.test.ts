import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { account } from '../../test/conformance/fixtures.ts';
import { systemClock } from '../ports/clock.ts';
import type { Change as Outdated } from '../ports/invalidation.ts';
import { openStorage } from '../storage/open-storage.ts';
import { operator } from './actor.ts';
import { changedSecret, makeChange } from './make-change.ts';

const change = {
  actor: operator,
  action: 'key.update',
  outdates: { kind: 'callers', keyHash: 'a' },
} as const;

async function openStores(t: TestContext) {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  return storage;
}

test('what a change outdates is forgotten after it, also when it is unknown whether it was stored', async (t) => {
  const log: (Outdated | string)[] = [];
  const storage = await openStores(t);
  const services = { storage, clock: systemClock, invalidate: (outdated: Outdated) => log.push(outdated) };
  const result = await makeChange(change, services, async () => {
    log.push('stored');
    return 'result';
  });
  assert.deepEqual([result, log], ['result', ['stored', change.outdates]]);
  const lost = makeChange(change, services, () => Promise.reject(new Error('connection lost')));
  await assert.rejects(lost, /connection lost/);
  assert.equal(log.length, 3);
  assert.equal((await storage.audit.list({ limit: 9 })).length, 1, 'what was not stored has no entry');
});

test('a change that outdates nothing is announced to nobody', async (t) => {
  const invalidate = () => assert.fail();
  const services = { storage: await openStores(t), clock: systemClock, invalidate };
  await makeChange({ actor: operator, action: 'secrets.rotate' }, services, async () => 1);
});

test('a change whose entry cannot be stored is not stored either', async (t) => {
  const storage = await openStores(t);
  const owner = account();
  const transaction: typeof storage.transaction = (work) =>
    storage.transaction((stores) => {
      const audit = Object.assign(Object.create(stores.audit), {
        append: () => Promise.reject(new Error('full')),
      });
      return work({ ...stores, audit: Object.assign(audit, { lock: async () => {} }) });
    });
  const services = { storage: { transaction }, clock: systemClock, invalidate: () => {} };
  const create = makeChange({ actor: operator, action: 'account.create' }, services, ({ accounts }) =>
    accounts.create(owner),
  );
  await assert.rejects(create, /full/);
  assert.equal(await storage.accounts.find(owner.id), undefined);
});

test('a change of two accounts locks their chains in one order, whichever is named first', async (t) => {
  const storage = await openStores(t);
  const locked: unknown[] = [];
  const transaction: typeof storage.transaction = (work) =>
    storage.transaction((stores) => {
      const lock = async (accountId: unknown) => locked.push(accountId);
      const append = stores.audit.append.bind(stores.audit);
      return work({ ...stores, audit: Object.assign(Object.create(stores.audit), { lock, append }) });
    });
  const services = { storage: { transaction }, clock: systemClock, invalidate: () => {} };
  const transfer = { actor: operator, action: 'credits.transfer' } as const;
  await makeChange({ ...transfer, accountId: 'org_b', otherAccountId: 'org_a' }, services, async () => 1);
  await makeChange({ ...transfer, accountId: 'org_a', otherAccountId: 'org_b' }, services, async () => 1);
  assert.deepEqual(locked, ['org_a', 'org_b', 'org_a', 'org_b']);
});

test('an entry holds the fields that changed, and secrets only as set', async (t) => {
  const storage = await openStores(t);
  const services = { storage, clock: { now: () => 0 }, invalidate: () => {} };
  const looks = [
    { name: 'a', limit: 1, models: ['x'] },
    { name: 'b', limit: 1, models: ['x'] },
  ];
  await makeChange(
    {
      actor: operator,
      action: 'credential.update',
      id: 'c-1',
      accountId: 'org_1',
      look: async () => looks.shift(),
      after: () => ({ secret: changedSecret }),
    },
    services,
    async () => undefined,
  );
  const [entry] = await storage.audit.list({ accountId: 'org_1', limit: 9 });
  assert.deepEqual(
    [entry?.before, entry?.after, entry?.object, entry?.at, entry?.actor.type],
    [
      { name: 'a' },
      { name: 'b', secret: { set: true, changed: true } },
      { type: 'credential', id: 'c-1', workspace_id: null },
      '1970-01-01T00:00:00.000Z',
      'command',
    ],
  );
});

test('operations write with the stores they are given for a change, and with no others', () => {
  const writes = /storage\.(?!audit\.)\w+\.(create|update|delete|append|expire|useMasterKey|replaceSealed)\(/;
  const files = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const offences = sources.filter((file) =>
    writes.test(readFileSync(join(import.meta.dirname, file), 'utf8')),
  );
  assert.deepEqual(offences, []);
});
