import assert from 'node:assert/strict';
import { test } from 'node:test';
import { account as newAccount } from '../../../test/conformance/fixtures.ts';
import { HeadgateError } from '../../core/errors.ts';
import { openStorage } from '../../storage/open-storage.ts';
import { keyActor, operator } from '../actor.ts';
import { changeKey, newKey } from './keys.ts';

test('a change that locks out the key it is made with must be confirmed', async (t) => {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  const account = newAccount();
  await storage.accounts.create(account);
  const key = newKey('raw', {
    accountId: account.id,
    kind: 'inference',
    name: 'a',
    workspaceId: null,
    createdAt: 0,
  });
  const other = { ...key, hash: 'b'.repeat(64) };
  await storage.keys.create(key);
  await storage.keys.create(other);
  const refusals = { note: async () => {} };
  const services = { storage, clock: { now: () => 1 }, invalidate: () => {}, refusals };
  const actor = keyActor({ key, account }, '192.0.2.1');
  const refused = (error: unknown) => error instanceof HeadgateError && error.message.startsWith('force: ');
  for (const change of [{ allowedIps: ['10.0.0.0/8'] }, { disabled: true }]) {
    await assert.rejects(changeKey(actor, { hash: key.hash, change }, services), refused);
    await changeKey(actor, { hash: other.hash, change }, services);
  }
  const unknown = keyActor({ key, account }, undefined);
  const some = { allowedIps: ['192.0.2.0/24'] };
  await assert.rejects(changeKey(unknown, { hash: key.hash, change: some }, services), refused);
  for (const change of [some, { allowedIps: null }, { name: 'b' }]) {
    const { allowedIps } = (await changeKey(actor, { hash: key.hash, change }, services)).key;
    assert.deepEqual(allowedIps, 'name' in change ? null : change.allowedIps);
  }
  const elsewhere = { hash: key.hash, change: { allowedIps: ['10.0.0.0/8'] } };
  await changeKey(actor, { ...elsewhere, force: true }, services);
  await changeKey(operator, elsewhere, services);
});
