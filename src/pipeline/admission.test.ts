import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testCaller } from '../../test/support/caller.ts';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { testCredential } from '../../test/support/credentials.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { spendingServices } from '../../test/support/spending-services.ts';
import { parseUsd, zeroUsd } from '../core/money.ts';
import type { Target } from '../routing/route-plan.ts';
import { Spending } from '../settlement/spending.ts';
import { reserve } from './admission.ts';

const model = modelOf('acme/atlas-4', [providerOf({ slug: 'north' })]);
const [endpoint] = model.endpoints;
assert.ok(endpoint);
const shared: Target = { model, endpoint, credentialClass: 1 };
const own: Target = { model, endpoint, credentialClass: 0, credential: testCredential() };

function spendingOf({ balance = parseUsd(10), canCharge = true }) {
  const request = parse({ model: model.id, input: 'Hello' });
  const caller = testCaller(balance);
  const facts = { generationId: 'gen-1', request, caller, attribution: {}, receivedAt: Date.now() };
  return new Spending(facts, spendingServices({ canCharge: () => canCharge }));
}

test('a request that cannot be paid or accounted for is refused before it is sent', async () => {
  for (const targets of [[shared], [shared, shared]]) {
    assert.equal(await reserve(spendingOf({}), { targets }), undefined);
    assert.equal((await reserve(spendingOf({ balance: zeroUsd }), { targets }))?.status, 402);
    assert.equal((await reserve(spendingOf({ canCharge: false }), { targets }))?.status, 503);
  }
});

test('what an own credential may still serve is tried, whatever the first endpoint would cost', async () => {
  const targets = [shared, own];
  assert.equal(await reserve(spendingOf({ balance: zeroUsd }), { targets }), undefined);
  assert.equal(await reserve(spendingOf({ canCharge: false }), { targets }), undefined);
});
