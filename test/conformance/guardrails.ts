import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { plainRules } from '../../src/core/guardrail.ts';
import type { StoredGuardrail } from '../../src/ports/guardrails.ts';
import { account, apiKey, generation, type OpenStorage, usd, wednesday, workspace } from './fixtures.ts';

const day = 86_400_000;
const page = { offset: 0, limit: 10 };

/** What every store of guardrails, budgets and members must do, and what callers are told of them. */
export function describeGuardrails(name: string, open: OpenStorage): void {
  async function begin(t: Parameters<OpenStorage>[0]) {
    const storage = await open(t);
    const owner = account({ kind: 'organization' });
    await storage.accounts.create(owner);
    const home = workspace(owner.id);
    await storage.workspaces.create(home);
    const place = { accountId: owner.id, workspaceId: home.id };
    const add = async (fields: Partial<StoredGuardrail> = {}) => {
      const guardrail = {
        ...place,
        id: randomUUID(),
        isDefault: false,
        name: 'Zoë',
        description: null,
        rules: plainRules,
        createdAt: wednesday,
        updatedAt: null,
        ...fields,
      };
      await storage.guardrails.create(guardrail);
      return guardrail;
    };
    const addMember = (userId: string) =>
      storage.members.add({
        accountId: owner.id,
        userId,
        email: `${userId}@acme.example`,
        firstName: 'Jane',
        lastName: null,
        role: 'org:admin',
        createdAt: wednesday,
      });
    return { ...storage, owner, home, place, add, addMember };
  }

  describe(`guardrails: ${name}`, () => {
    test('a guardrail is found in its account alone, changed, listed and deleted', async (t) => {
      const { guardrails, place, add } = await begin(t);
      const rules = { ...plainRules, limit: usd(2n ** 60n), allowedModels: ['a/b'] };
      const one = await add({ rules });
      const standard = await add({ isDefault: true, createdAt: wednesday + 1 });
      assert.deepEqual(await guardrails.find(place.accountId, one.id), one);
      assert.equal(await guardrails.find('user_other', one.id), undefined);
      const changed = await guardrails.update(
        place.accountId,
        one.id,
        ({ rules: { limit } }) => ({ name: 'b', rules: { ...plainRules, limit } }),
        wednesday + 5,
      );
      assert.deepEqual(
        [changed?.name, changed?.rules.limit, changed?.rules.allowedModels, changed?.updatedAt],
        ['b', rules.limit, null, wednesday + 5],
      );
      const { guardrails: listed, total } = await guardrails.list({ ...place, ...page });
      assert.deepEqual([total, ...listed.map(({ id }) => id)], [2, standard.id, one.id]);
      assert.equal(await guardrails.delete('user_other', one.id), false);
      assert.equal(await guardrails.delete(place.accountId, one.id), true);
      assert.equal(await guardrails.update(place.accountId, one.id, () => ({}), wednesday), undefined);
    });

    test('a key and a member have one guardrail each, and callers are told of all that apply', async (t) => {
      const { guardrails, members, keys, callers, place, add, addMember } = await begin(t);
      await addMember('user_a');
      const key = apiKey(place.accountId, { workspaceId: place.workspaceId, creatorUserId: 'user_a' });
      await keys.create(key);
      const [first, second, ofMember] = [await add(), await add(), await add()];
      const standard = await add({ isDefault: true });
      const assign = (guardrailId: string, kind: 'key' | 'member', subject: string) =>
        guardrails.assign(
          { accountId: place.accountId, guardrailId, kind, subjects: [subject] },
          'user_b',
          wednesday,
        );
      await assign(first.id, 'key', key.hash);
      await assign(second.id, 'key', key.hash);
      await assign(ofMember.id, 'member', 'user_a');
      const { assignments, total } = await guardrails.assignments({ ...place, ...page, kind: 'key' });
      assert.deepEqual(
        [total, assignments[0]?.guardrailId, assignments[0]?.keyName, assignments[0]?.assignedBy],
        [1, second.id, key.name, 'user_b'],
      );
      const read = async () => (await callers.read([key.hash], wednesday)).get(key.hash);
      assert.deepEqual(
        (await read())?.guardrails?.map(({ id, scope }) => [id, scope]),
        [
          [standard.id, 'workspace'],
          [ofMember.id, 'member'],
          [second.id, 'api-key'],
        ],
      );
      const subjects = { accountId: place.accountId, kind: 'key', subjects: [key.hash] } as const;
      assert.equal(await guardrails.unassign({ ...subjects, guardrailId: first.id }), 0);
      assert.equal(await guardrails.unassign({ ...subjects, guardrailId: second.id }), 1);
      await guardrails.delete(place.accountId, standard.id);
      assert.equal(await members.remove(place.accountId, 'user_a'), true);
      assert.equal((await read())?.guardrails, undefined);
    });

    test('budgets of callers have what key, member and workspace spent, in each window', async (t) => {
      const { guardrails, budgets, keys, callers, ledger, place, add, addMember } = await begin(t);
      await addMember('user_a');
      const make = async (creatorUserId: string | null) => {
        const key = apiKey(place.accountId, { workspaceId: place.workspaceId, creatorUserId });
        await keys.create(key);
        return key;
      };
      const [mine, too, other] = [await make('user_a'), await make('user_a'), await make(null)];
      const spend = (keyHash: string, cost: bigint, settledAt = wednesday) =>
        ledger.settle(generation({ accountId: place.accountId, keyHash, cost: usd(cost), settledAt }));
      await spend(mine.hash, 5n);
      await spend(too.hash, 7n, wednesday - day);
      await spend(other.hash, 11n, wednesday - 40 * day);
      const limited = { ...plainRules, limit: usd(100n), resetInterval: 'daily' as const };
      const guardrail = await add({ rules: limited });
      await guardrails.assign(
        { accountId: place.accountId, guardrailId: guardrail.id, kind: 'member', subjects: ['user_a'] },
        null,
        wednesday,
      );
      const budget = { id: randomUUID(), ...place, limit: usd(50n), createdAt: 1, updatedAt: 1 };
      await budgets.put({ ...budget, interval: 'lifetime' }, true, () => {});
      const caller = (await callers.read([mine.hash], wednesday)).get(mine.hash);
      const told = await caller;
      assert.deepEqual(told?.budgets, [
        {
          scope: 'member',
          source: guardrail.id,
          subject: 'member:user_a',
          interval: 'daily',
          limit: 100n,
          includeByok: false,
        },
        {
          scope: 'workspace',
          source: budget.id,
          subject: `workspace:${place.workspaceId}`,
          interval: 'lifetime',
          limit: 50n,
          includeByok: true,
        },
      ]);
      assert.deepEqual(told?.spends?.get('member:user_a')?.usage, {
        total: 12n,
        daily: 5n,
        weekly: 12n,
        monthly: 12n,
      });
      assert.equal(told?.spends?.get(`workspace:${place.workspaceId}`)?.usage.total, 23n);
      assert.equal((await (await callers.read([other.hash], wednesday)).get(other.hash))?.budgets?.length, 1);
    });

    test('budgets of a workspace are set, checked together and deleted', async (t) => {
      const { budgets, place } = await begin(t);
      const budget = { ...place, id: randomUUID(), limit: usd(5n), createdAt: 1, updatedAt: 1 };
      const first = await budgets.put({ ...budget, interval: 'daily' }, undefined, () => {});
      const seen: unknown[] = [];
      const again = await budgets.put(
        { ...budget, id: randomUUID(), interval: 'daily', limit: usd(6n), updatedAt: 9 },
        true,
        (limits) => seen.push(...limits),
      );
      assert.deepEqual([again.id, again.limit, again.updatedAt], [first.id, 6n, 9]);
      assert.deepEqual(seen, [['daily', 6n]]);
      const refuse = budgets.put({ ...budget, id: randomUUID(), interval: 'weekly' }, undefined, () => {
        throw new Error('no');
      });
      await assert.rejects(refuse, /no/);
      const stored = await budgets.read(place.workspaceId);
      assert.deepEqual([stored.budgets.length, stored.includeByok], [1, true]);
      await budgets.delete(place.workspaceId, 'daily');
      await budgets.delete(place.workspaceId, 'daily');
      assert.deepEqual((await budgets.read(place.workspaceId)).budgets, []);
    });

    test('phrases are unique whatever their case, bounded, and told to callers', async (t) => {
      const { guardrails, keys, callers, place } = await begin(t);
      const key = apiKey(place.accountId, { workspaceId: place.workspaceId });
      await keys.create(key);
      const allow = (phrase: string, most = 2) => {
        const added = { id: randomUUID(), phrase, createdAt: wednesday, createdBy: null };
        return guardrails.allow(place.accountId, added, most);
      };
      assert.equal(await allow('Ignore all'), undefined);
      assert.equal(await allow('IGNORE ALL'), 'is there already');
      assert.equal(await allow('other'), undefined);
      assert.equal(await allow('third'), 'too many');
      assert.deepEqual(
        (await (await callers.read([key.hash], wednesday)).get(key.hash))?.allowedPhrases?.length,
        2,
      );
      const [first] = await guardrails.phrases(place.accountId);
      assert.equal(await guardrails.disallow(place.accountId, first?.id ?? ''), true);
      assert.equal(await guardrails.disallow(place.accountId, first?.id ?? ''), false);
    });

    test('reports of false positives are summed by filter since a day, and kept for a year', async (t) => {
      const { guardrails, place } = await begin(t);
      const { accountId } = place;
      const report = (filter: string, on: number) =>
        guardrails.countFalsePositive({ accountId, guardrailId: 'g', filter }, on);
      for (const on of [10, 11, 11]) await report('Ürün', on);
      await report('EMAIL', 12);
      assert.deepEqual(await guardrails.falsePositives(accountId, 11), [
        { guardrailId: 'g', filter: 'Ürün', reports: 2, lastDay: 11 },
        { guardrailId: 'g', filter: 'EMAIL', reports: 1, lastDay: 12 },
      ]);
      assert.deepEqual(await guardrails.falsePositives('user_other', 0), []);
      await report('EMAIL', 377);
      assert.deepEqual(await guardrails.falsePositives(accountId, 0), [
        { guardrailId: 'g', filter: 'EMAIL', reports: 2, lastDay: 377 },
      ]);
    });

    test('members join and leave workspaces', async (t) => {
      const { members, keys, place, addMember } = await begin(t);
      assert.equal(await addMember('user_a'), true);
      assert.equal(await addMember('user_a'), false);
      const joining = {
        ...place,
        id: randomUUID(),
        userId: 'user_a',
        role: 'org:admin',
        createdAt: 3,
      } as const;
      assert.equal((await members.join([joining])).length, 1);
      assert.equal((await members.join([{ ...joining, id: randomUUID() }])).length, 0);
      const { members: found, total } = await members.listIn({ ...page, workspaceId: place.workspaceId });
      assert.deepEqual([total, found[0]?.userId, found[0]?.role], [1, 'user_a', 'org:admin']);
      await keys.create(apiKey(place.accountId, { workspaceId: place.workspaceId, creatorUserId: 'user_a' }));
      const busy = await members.withKeysIn(place.workspaceId, ['user_b', 'user_a'], wednesday);
      assert.deepEqual(busy, ['user_a']);
      assert.equal(await members.leave(place.workspaceId, ['user_a', 'user_b']), 1);
    });
  });
}
