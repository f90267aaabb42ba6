import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { workplace } from '../../../test/support/command-line.ts';
import { openStorage } from '../../storage/open-storage.ts';

test('what was said is deleted by key, workspace and time; accounts and keys say whether it is kept', async (t) => {
  const { run, json, folder } = await workplace();
  const { id: accountId } = await json('accounts', 'create', '--name', 'Acme');
  assert.equal((await json('accounts', 'set', accountId, '--content-logging', 'true')).content_logging, true);
  assert.match((await run('accounts', 'list')).out, /content-logging/);
  const key = await json('keys', 'create', '--name', 'one', '--content-logging', 'off');
  assert.equal(key.content_logging, 'off');
  const changed = await json('keys', 'update', key.hash, '--content-logging', 'inherit');
  assert.equal(changed.content_logging, 'inherit');
  const management = await run('keys', 'create', '--name', 'm', '--management', '--content-logging', 'off');
  assert.match(management.err, /management keys cannot run inference/);

  const storage = await openStorage(`sqlite:${join(folder, '.headgate', 'headgate.db')}`);
  t.after(() => storage.close());
  const at = Date.parse('2026-11-20T00:00:00Z');
  const of = (generationId: string, keyHash: string, more = {}) => ({
    generationId,
    accountId,
    workspaceId: key.workspace_id,
    keyHash,
    at,
    expiresAt: at + 1e12,
    dayKeyId: 'k',
    sealed: 'x',
    ...more,
  });
  await storage.contents.add([
    of('one', key.hash),
    of('two', 'b'.repeat(64)),
    of('three', 'b'.repeat(64), { at: at + 1_000 }),
    of('four', 'c'.repeat(64), { workspaceId: null, at: at + 5_000 }),
  ]);
  assert.match((await run('content', 'delete')).err, /say what to delete: --before, --key or --workspace/);
  assert.deepEqual(await json('content', 'delete', '--key', key.hash.slice(0, 8)), { deleted: 1 });
  assert.deepEqual(await json('content', 'delete', '--before', '2026-11-20T00:00:01Z'), { deleted: 1 });
  const { out } = await run('content', 'delete', '--workspace', 'default');
  assert.equal(out, 'Deleted what was said in 1 calls.\n');
  assert.deepEqual(await json('content', 'delete', '--key', 'c'.repeat(64)), { deleted: 1 });
  const { entries } = await json('audit', 'list');
  const actions = entries.filter(({ action }: { action: string }) => action === 'content.delete');
  assert.equal(actions.length, 4);
});
