import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { parseUsd } from '../../src/core/money.ts';
import { generation } from '../conformance/fixtures.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { startGateway } from '../support/gateway.ts';

test('GET /key lists every budget in the order it is checked, and says which one refuses first', async (t) => {
  const gateway = await startGateway({ models: [modelOf('acme/atlas-4', [providerOf({ slug: 'north' })])] });
  t.after(() => gateway.stop());
  const raw = await gateway.createKey({ limit: parseUsd('9'), includeByokInLimit: true });
  const hash = hashKey(raw);
  const management = await gateway.createKey({ kind: 'management', workspaceId: null });
  const manage = async (method: string, path: string, body?: object) => {
    const { status, body: answer, text } = await callApi(gateway, management, method, path, body);
    assert.ok(status < 300, text);
    return answer.data;
  };
  const ofKey = async () => (await callApi(gateway, raw, 'GET', '/key')).body.data;
  const place = gateway.account.defaultWorkspaceId;
  assert.equal((await ofKey()).budgets.length, 1);
  const guardrail = await manage('POST', '/guardrails', {
    name: 'one',
    limit_usd: 4,
    reset_interval: 'daily',
  });
  await manage('POST', `/guardrails/${guardrail.id}/assignments/keys`, { key_hashes: [hash] });
  const weekly = await manage('PUT', `/workspaces/${place}/budgets/weekly`, { limit_usd: 6 });
  const monthly = await manage('PUT', `/workspaces/${place}/budgets/monthly`, { limit_usd: 7 });
  const whose = { accountId: gateway.account.id, workspaceId: place, keyHash: hash };
  const settledAt = Date.now();
  await gateway.storage.ledger.settle(generation({ ...whose, settledAt, cost: parseUsd('1.5') }));
  const { budgets, effective_budget: effective } = await ofKey();
  assert.deepEqual(
    budgets.map((one: Record<string, unknown>) => [
      one.scope,
      one.guardrail_id ?? one.budget_id,
      one.limit_usd,
      one.spend_usd,
      one.remaining_usd,
      one.reset_interval,
    ]),
    [
      ['api_key', guardrail.id, 4, 1.5, 2.5, 'daily'],
      ['workspace', monthly.id, 7, 1.5, 5.5, 'monthly'],
      ['workspace', weekly.id, 6, 1.5, 4.5, 'weekly'],
      ['key_limit', null, 9, 1.5, 7.5, null],
    ],
  );
  assert.deepEqual(effective, budgets[0]);
  assert.match(budgets[0].resets_at, /T00:00:00.000Z$/);
  assert.deepEqual([budgets[3].resets_at, budgets[3].include_byok], [null, true]);
  // What is spent comes before what has less left.
  await manage('PUT', `/workspaces/${place}/budgets/weekly`, { limit_usd: 1 });
  const spent = await ofKey();
  assert.equal(spent.effective_budget.budget_id, weekly.id);
  assert.equal(spent.effective_budget.remaining_usd, -0.5);
  const shown = await manage('GET', `/keys/${hash}`);
  assert.equal(shown.last_used_at, new Date(settledAt).toISOString());
});
