import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { account, apiKey, wednesday } from '../../../test/conformance/fixtures.ts';
import { openStorage } from '../open-storage.ts';

test('a caller that cannot be read fails by itself, however many are read with it', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'headgate-'));
  const file = join(directory, 'headgate.db');
  const storage = await openStorage(`sqlite:${file}`);
  t.after(async () => {
    await storage.close();
    rmSync(directory, { recursive: true });
  });
  await storage.migrate();
  const [owner, broken] = [account(), account()];
  for (const one of [owner, broken]) await storage.accounts.create(one);
  const spoilt = apiKey(broken.id, { workspaceId: broken.defaultWorkspaceId });
  const whole = Array.from({ length: 150 }, () => apiKey(owner.id));
  for (const key of [spoilt, ...whole]) await storage.keys.create(key);
  const database = new DatabaseSync(file);
  database.prepare("update workspaces set settings = '{' where id = ?").run(broken.defaultWorkspaceId);
  database.close();
  const found = await storage.callers.read(
    [spoilt, ...whole].map(({ hash }) => hash),
    wednesday,
  );
  await assert.rejects(found.get(spoilt.hash) ?? Promise.resolve(), SyntaxError);
  for (const key of whole) assert.deepEqual((await found.get(key.hash))?.key, key);
});
