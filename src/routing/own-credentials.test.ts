import assert from 'node:assert/strict';
import { test } from 'node:test';
import { credentialCases, credentialModels } from '../../test/routing/credential-cases.ts';
import { testCaller } from '../../test/support/caller.ts';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { planOrThrow } from '../../test/support/plan-or-throw.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { emptyStatistics, plainSnapshot } from '../../test/support/routing-services.ts';
import { HeadgateError } from '../core/errors.ts';
import { zeroUsd } from '../core/money.ts';
import type { ProviderCredential } from '../ports/credentials.ts';
import { credentialsForKey } from './own-credentials.ts';
import type { RoutePolicy } from './route-plan.ts';

const models = new Map(credentialModels.map((model) => [model.id, model]));
const catalogue = {
  models,
  providers: new Map(),
  aliases: new Map([['acme/alias', { kind: 'legacy' as const, target: 'acme/inside' }]]),
};

function attempts(
  body: object,
  policy: Partial<RoutePolicy>,
  statistics = emptyStatistics,
): readonly string[] {
  const snapshot = plainSnapshot(catalogue, { policy: { pricedOnly: true, ...policy }, statistics });
  const plan = planOrThrow(parse({ model: 'acme/inside', ...body }), snapshot);
  return plan.targets.map(({ endpoint, credential }) =>
    credential === undefined ? endpoint.tag : `${endpoint.tag}:${credential.id}`,
  );
}

for (const { name, credentials, model, provider, attempts: expected } of credentialCases) {
  test(`plan: ${name}`, () => {
    assert.deepEqual(attempts({ model: model ?? 'acme/inside', provider }, { credentials }), expected);
  });
}

const own = (change: Partial<ProviderCredential>) => testCredential({ id: 'k', provider: 'a', ...change });
const onlyA = { provider: { only: ['a'] } };

test('when only own credentials may serve and none does, the plan reports it', () => {
  const credentials = [own({ isByokOnly: true, allowedModels: ['acme/outside'] })];
  assert.throws(
    () => attempts(onlyA, { credentials }),
    (error) =>
      error instanceof HeadgateError &&
      error.status === 503 &&
      error.metadata.availability?.constraint?.field === 'byok' &&
      error.headers['x-should-retry'] === 'false',
  );
});

test('without credits only own credentials are left', () => {
  assert.deepEqual(attempts({}, { credentials: [own({})], ownCredentialsOnly: true }), ['a:k']);
});

test('models are compared by every name, without variants', () => {
  const served = (model: string, allowed: string) =>
    attempts({ model, ...onlyA }, { credentials: [own({ allowedModels: [allowed] })] })[0] === 'a:k';
  assert.ok(served('acme/inside:nitro', 'acme/inside'));
  assert.ok(served('acme/inside', 'ACME/Inside:free'));
  assert.ok(served('acme/alias', 'acme/alias'));
  assert.ok(served('acme/alias', 'acme/inside'));
  assert.ok(served('acme/inside', 'acme/alias'));
  assert.ok(!served('acme/outside', 'acme/alias'));
  assert.deepEqual(
    attempts(onlyA, { credentials: [own({ allowedModels: [] })] }),
    ['a'],
    'nothing matches no list',
  );
});

test('a limit on one credential spares the shared endpoint and other credentials', () => {
  const credentials = [own({ id: 'k1' }), own({ id: 'k2', sortOrder: 1 })];
  const statistics = {
    ...emptyStatistics,
    health: (_endpoint: unknown, credentialId?: string) =>
      credentialId === 'k1'
        ? { attempts: 1, failures: 0, recentAttempts: 1, recentFailures: 0, coolingDown: true }
        : undefined,
  };
  assert.deepEqual(attempts(onlyA, { credentials }, statistics), ['a:k2', 'a:k1', 'a']);
});

test('a credential counts for a key only when every condition holds', () => {
  const { key } = testCaller(zeroUsd, { key: { workspaceId: 'w1', creatorUserId: 'user_x' } });
  const counts = (change: Partial<ProviderCredential>) =>
    credentialsForKey([own({ accountId: key.accountId, ...change })], key).length === 1;
  assert.ok(counts({}));
  assert.ok(counts({ workspaceId: 'w1' }));
  assert.ok(!counts({ workspaceId: 'w2' }));
  assert.ok(!counts({ disabled: true }));
  assert.ok(!counts({ accountId: 'user_other' }));
  assert.ok(counts({ allowedKeyHashes: [key.hash] }));
  assert.ok(!counts({ allowedKeyHashes: ['0'.repeat(64)] }));
  assert.ok(counts({ allowedUserIds: ['user_x'] }));
  assert.ok(!counts({ allowedUserIds: [] }));
  assert.equal(
    credentialsForKey([own({ accountId: key.accountId, allowedUserIds: ['user_x'] })], {
      ...key,
      creatorUserId: null,
    }).length,
    0,
  );
});

test('a key without own credentials has none, whatever it may use', () => {
  const { key } = testCaller(zeroUsd);
  assert.deepEqual(credentialsForKey([], key), []);
});

test('a provider that the operator has no credential for serves own credentials only', () => {
  const lone = providerOf({ slug: 'lone', ownCredentialsOnly: true });
  const model = modelOf('acme/both', [lone, providerOf({ slug: 'shared' })]);
  const targets = (policy: Partial<RoutePolicy>) =>
    planOrThrow(
      parse({ model: 'acme/both' }),
      plainSnapshot(
        { models: new Map([[model.id, model]]), providers: new Map() },
        { policy: { pricedOnly: false, ...policy } },
      ),
    ).targets.map(({ endpoint, credential }) => `${endpoint.tag} ${credential?.id ?? 'shared'}`);
  assert.deepEqual(targets({}), ['shared shared']);
  assert.deepEqual(targets({ credentials: [own({ provider: 'lone' })] }), ['lone k', 'shared shared']);
  assert.deepEqual(targets({ credentials: [own({ provider: 'shared' })] }), ['shared k', 'shared shared']);
});
