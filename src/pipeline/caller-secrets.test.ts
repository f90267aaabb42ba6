import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { account, apiKey, wednesday } from '../../test/conformance/fixtures.ts';
import { hashKey } from '../core/api-key.ts';
import type { CallerStore } from '../ports/callers.ts';
import { openStorage } from '../storage/open-storage.ts';
import { CallerDirectory } from './caller-directory.ts';

test('a new secret is let in although another request learns of it in the middle of the search', async (t) => {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  const owner = account();
  const key = apiKey(owner.id);
  const secret = hashKey('a new secret');
  await storage.accounts.create(owner);
  await storage.keys.create(key);
  const fresh = { hash: secret, label: 'new', createdAt: wednesday, endsAt: null };
  await storage.keys.rotate(key.hash, { fresh, endsAt: wednesday + 1_000 });
  const waiting: (() => void)[] = [];
  const held = () => new Promise<void>((resolve) => waiting.push(resolve));
  const store: CallerStore = {
    calendar: storage.callers.calendar,
    read: (...asked) => held().then(() => storage.callers.read(...asked)),
    keyOfSecret: (hash) => held().then(() => storage.keys.keyOfSecret(hash)),
  };
  const answer = async (index: number) => {
    while (waiting[index] === undefined) await nextTurn();
    waiting[index]();
  };
  const directory = new CallerDirectory(store, { now: () => wednesday }, 0);
  const first = directory.findBySecret(secret);
  await answer(0);
  // The first one now asks whose secret it is.
  while (waiting.length < 2) await nextTurn();
  const second = directory.findBySecret(secret);
  while (waiting.length < 3) await nextTurn();
  await answer(1);
  await answer(3);
  assert.equal((await first)?.key.hash, key.hash);
  await answer(2);
  assert.equal((await second)?.key.hash, key.hash);
});
