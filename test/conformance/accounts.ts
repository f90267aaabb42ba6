import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { account, type OpenStorage, wednesday } from './fixtures.ts';

/** What every AccountStore must do. */
export function describeAccounts(name: string, open: OpenStorage): void {
  describe(`accounts: ${name}`, () => {
    test('an account is found as it was created', async (t) => {
      const { accounts } = await open(t);
      const plain = account();
      const other = account({
        kind: 'personal',
        billingMode: 'enterprise',
        freeLimitExempt: true,
        inflightExempt: true,
        disabled: true,
        defaultWorkspaceId: null,
        privacy: { allowedProviders: ['northgpu', 'southgpu/eu'], forbidPaidTraining: true },
        rates: { tokensPerMinute: 1_000_000_000_000 },
        name: `Zoë's "x"; drop table accounts; -- \u{1f600}`,
      });
      await accounts.create(plain);
      await accounts.create(other);
      assert.deepEqual(await accounts.find(plain.id), plain);
      assert.deepEqual(await accounts.find(other.id), other);
      assert.equal(await accounts.find('org_none'), undefined);
    });

    test('a second account of the same id is refused and leaves nothing behind', async (t) => {
      const { accounts } = await open(t);
      const first = account();
      await accounts.create(first);
      await assert.rejects(
        accounts.create({ ...first, name: 'Other', defaultWorkspaceId: 'other-workspace' }),
      );
      assert.deepEqual(await accounts.list(), [first]);
      // Had the refused call left its workspace, this one could not be created.
      await accounts.create(account({ defaultWorkspaceId: 'other-workspace' }));
    });

    test('an account whose workspace cannot be created is not created', async (t) => {
      const { accounts } = await open(t);
      await accounts.create(account({ defaultWorkspaceId: 'taken' }));
      const refused = account({ defaultWorkspaceId: 'taken' });
      await assert.rejects(accounts.create(refused));
      assert.equal(await accounts.find(refused.id), undefined);
    });

    test('accounts are listed oldest first', async (t) => {
      const { accounts } = await open(t);
      const young = account({ createdAt: wednesday + 1 });
      const old = account({ createdAt: wednesday - 1 });
      const middle = account();
      for (const one of [young, old, middle]) await accounts.create(one);
      assert.deepEqual(await accounts.list(), [old, middle, young]);
    });

    test('a change touches what it names and nothing else', async (t) => {
      const { accounts } = await open(t);
      const original = account();
      const bystander = account();
      await accounts.create(original);
      await accounts.create(bystander);
      assert.deepEqual(await accounts.update(original.id, {}), original);
      const renamed = { ...original, name: 'Renamed' };
      assert.deepEqual(await accounts.update(original.id, { name: 'Renamed' }), renamed);
      const changed = { ...renamed, billingMode: 'invoice', disabled: true, freeLimitExempt: true } as const;
      assert.deepEqual(
        await accounts.update(original.id, {
          billingMode: 'invoice',
          disabled: true,
          freeLimitExempt: true,
          inflightExempt: false,
          zeroRetention: false,
        }),
        changed,
      );
      const privacy = { ignoredProviders: ['northgpu'], zeroRetentionAuthors: ['acme'] };
      assert.deepEqual(await accounts.update(original.id, { privacy }), { ...changed, privacy });
      assert.deepEqual(await accounts.update(original.id, { privacy: {} }), changed);
      const rates = { requestsPerMinute: 60, parallel: 2 };
      assert.deepEqual(await accounts.update(original.id, { rates }), { ...changed, rates });
      assert.deepEqual(await accounts.update(original.id, { rates: {} }), changed);
      assert.deepEqual(await accounts.find(bystander.id), bystander);
      assert.equal(await accounts.update('org_none', { disabled: true }), undefined);
    });

    test('changes that go by what an account is lose nothing when they are made together', async (t) => {
      const { accounts } = await open(t);
      const { id } = account();
      await accounts.create(account({ id }));
      const providers = Array.from({ length: 12 }, (_, index) => `provider${index}`);
      await Promise.all(
        providers.map((slug) =>
          accounts.update(id, ({ privacy }) => ({
            privacy: { ignoredProviders: [...(privacy?.ignoredProviders ?? []), slug].sort() },
          })),
        ),
      );
      assert.deepEqual((await accounts.find(id))?.privacy, { ignoredProviders: providers.sort() });
      const decide = () => assert.fail('there is nobody to ask about');
      assert.equal(await accounts.update('org_none', decide), undefined);
    });
  });
}
