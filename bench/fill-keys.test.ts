import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { hashKey } from '../src/core/api-key.ts';
import { openStorage } from '../src/storage/open-storage.ts';
import { fillKeys } from './fill-keys.ts';
import { rawKey } from './headgate.ts';

test('a filled database knows every key; the ones in use have accounts of their own', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-fill-'));
  t.after(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'keys.db');
  await fillKeys(file, 200, 5);
  const storage = await openStorage(`sqlite:${file}`);
  t.after(() => storage.close());
  const owners: string[] = [];
  for (let number = 0; number < 200; number += 1) {
    const found = await storage.keys.findWithAccount(hashKey(rawKey(number)));
    assert.equal(found?.key.accountId, found?.account.id);
    owners.push(found?.account.id ?? '');
  }
  // The gateway makes its first keys in one of the accounts.
  for (const { id, defaultWorkspaceId } of await storage.accounts.list()) {
    const known = defaultWorkspaceId === null || (await storage.workspaces.find(id, defaultWorkspaceId));
    assert.ok(known, id);
  }
  assert.equal(new Set(owners).size, 20);
  assert.equal(new Set(owners.slice(0, 5)).size, 5);
  assert.equal(await storage.keys.findWithAccount(hashKey(rawKey(200))), undefined);
});
