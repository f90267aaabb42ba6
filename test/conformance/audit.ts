import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type AuditRecord, emptyChain, hashEntry } from '../../src/core/audit-entry.ts';
import { account, apiKey, type OpenStorage, unique, wednesday } from './fixtures.ts';

/** A record of something done at the command line. */
function record(accountId: string | null, change: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: unique('aud_'),
    account_id: accountId,
    at: new Date(wednesday).toISOString(),
    actor: { type: 'command', key_hash: null, key_label: null, user_id: null, address: null },
    action: 'key.create',
    object: { type: 'key', id: 'a', workspace_id: null },
    outcome: 'ok',
    reason: null,
    before: null,
    after: { name: 'ä "quoted"', limit: 0.1 },
    request_id: null,
    ...change,
  };
}

/** What every audit store must do. */
export function describeAudit(name: string, open: OpenStorage): void {
  describe(`audit log: ${name}`, () => {
    test('each account has a chain of its own, in which an entry names the hash of the one before it', async (t) => {
      const { audit } = await open(t);
      const owner = unique('org_');
      const first = await audit.append(record(owner));
      const other = await audit.append(record(null));
      const second = await audit.append(record(owner));
      assert.deepEqual([first.seq, second.seq, other.seq], [1, 2, 1]);
      assert.deepEqual([first.previous, second.previous], [emptyChain.hash, first.hash]);
      assert.deepEqual(await audit.list({ accountId: owner, limit: 9 }), [second, first]);
      const stored = await audit.read(owner, 0, 9);
      assert.deepEqual(
        stored.map(({ text }, index) => hashEntry([emptyChain.hash, first.hash][index] ?? '', text)),
        [first.hash, second.hash],
      );
      assert.deepEqual(
        (await audit.read(owner, 1, 9)).map(({ seq }) => seq),
        [2],
      );
      const chains = await audit.chains();
      assert.deepEqual(
        chains.find(({ accountId }) => accountId === owner),
        { accountId: owner, seq: 2, hash: second.hash },
      );
      assert.equal(chains.find(({ accountId }) => accountId === null)?.hash, other.hash);
    });

    test('entries written at once make one chain', async (t) => {
      const { audit } = await open(t);
      const owner = unique('org_');
      const entries = await Promise.all(Array.from({ length: 12 }, () => audit.append(record(owner))));
      const byPlace = entries.sort((one, two) => one.seq - two.seq);
      assert.deepEqual(
        byPlace.map(({ seq }) => seq),
        byPlace.map((_, index) => index + 1),
      );
      for (const [index, entry] of byPlace.entries()) {
        assert.equal(entry.previous, byPlace[index - 1]?.hash ?? emptyChain.hash);
      }
    });

    test('lists are filtered by every column', async (t) => {
      const { audit } = await open(t);
      const owner = unique('org_');
      await audit.append(record(owner));
      const actor = { type: 'management_key', key_hash: 'h', key_label: 'l', user_id: null, address: '::1' };
      const wanted = await audit.append(
        record(owner, {
          actor: actor as AuditRecord['actor'],
          at: new Date(wednesday + 1000).toISOString(),
          action: 'workspace.delete',
          object: { type: 'workspace', id: 'w', workspace_id: 'w' },
          outcome: 'refused',
        }),
      );
      await audit.append(record(unique('org_'), { action: 'key.delete' }));
      const queries = [
        { from: wednesday + 1 },
        { action: 'workspace.delete' },
        { objectType: 'workspace' },
        { objectId: 'w' },
        { actor: 'h' },
        { outcome: 'refused' as const },
      ];
      for (const query of queries) {
        assert.deepEqual(
          await audit.list({ accountId: owner, limit: 9, ...query }),
          [wanted],
          JSON.stringify(query),
        );
      }
      for (const query of [{ to: wednesday + 1 }, { actor: 'command' }, { before: 2 }]) {
        const found = await audit.list({ accountId: owner, limit: 9, ...query });
        assert.deepEqual(
          found.map(({ seq }) => seq),
          [1],
          JSON.stringify(query),
        );
      }
      assert.equal((await audit.list({ limit: 1 })).length, 1);
      assert.equal((await audit.list({ limit: 99 })).length, 3);
    });

    test('a transaction stores everything or nothing', async (t) => {
      const storage = await open(t);
      const owner = account();
      const failed = storage.transaction(async ({ accounts, keys, audit }) => {
        await accounts.create(owner);
        await keys.create(apiKey(owner.id));
        await audit.append(record(owner.id));
        throw new Error('changed my mind');
      });
      await assert.rejects(failed, /changed my mind/);
      assert.equal(await storage.accounts.find(owner.id), undefined);
      assert.deepEqual(await storage.audit.list({ accountId: owner.id, limit: 9 }), []);
      await storage.transaction(async ({ accounts, audit }) => {
        await accounts.create(owner);
        await audit.append(record(owner.id));
      });
      assert.equal((await storage.accounts.find(owner.id))?.id, owner.id);
      assert.equal((await storage.audit.list({ accountId: owner.id, limit: 9 })).length, 1);
    });
  });
}
