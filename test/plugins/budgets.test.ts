import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { type GuardedGateway, startGuarded } from '../support/guarded-gateway.ts';

/** An amount as JSON shows it. */
const usd = (amount: number) => Number(amount.toFixed(9));

describe('budgets of guardrails and workspaces', { concurrency: 1 }, () => {
  let world: GuardedGateway;
  before(async () => {
    world = await startGuarded();
  });
  after(() => world.stop());

  async function addKey(fields: object = {}) {
    const key = await world.gateway.createKey(fields);
    return { key, hash: hashKey(key) };
  }
  async function costOf(key: string) {
    const { status, body } = await world.ask('Hello', key);
    assert.equal(status, 200, JSON.stringify(body));
    return body.usage.cost as number;
  }

  test('a budget is counted for each key alone, refuses what comes after it is used up, and says whose it is', async () => {
    const [one, other] = [await addKey(), await addKey()];
    const cost = await costOf(one.key);
    assert.ok(cost > 0);
    await world.guard(
      { limit_usd: usd(cost * 1.5), reset_interval: 'daily' },
      { keys: [one.hash, other.hash] },
    );
    assert.equal(await costOf(one.key), cost, 'the last one may overshoot');
    const refused = await world.ask('Hello', one.key);
    assert.equal(refused.status, 403);
    const { error, service_metadata: metadata } = refused.body;
    assert.match(error.message, /The daily budget of the API key, .* USD, is used up/);
    assert.equal(metadata?.pipeline, undefined);
    assert.equal(error.metadata.patterns, undefined);
    const { limit_source, scope, limit_usd, spend_usd, resets_at } = error.metadata;
    assert.deepEqual(
      [limit_source, scope, limit_usd, spend_usd],
      ['service_guardrail_budget', 'api_key', usd(cost * 1.5), usd(cost * 2)],
    );
    assert.match(resets_at, /^\d{4}-\d\d-\d\dT00:00:00\.000Z$/);
    assert.equal(refused.headers.get('retry-after'), null);
    await costOf(other.key);
    const { body } = await world.manage('GET', '/audit');
    assert.ok(body.data.length > 0);
  });

  test('of 500 requests at once none comes after the budget is known to be used up, and all charges count', async () => {
    const { key, hash } = await addKey();
    const cost = await costOf(key);
    await world.guard({ limit_usd: usd(cost * 100) }, { keys: [hash] });
    const answers: { status: number; at: number }[] = [];
    const waves = Array.from({ length: 25 }, (_, wave) => wave);
    for (const wave of waves) {
      const statuses = await Promise.all(Array.from({ length: 20 }, () => world.ask('Hello', key)));
      answers.push(...statuses.map(({ status }) => ({ status, at: wave })));
    }
    const served = answers.filter(({ status }) => status === 200).length;
    // One was charged before; the wave that passes the limit may finish.
    assert.ok(served >= 99 && served < 99 + 20, `${served} were served`);
    assert.ok(answers.slice(120).every(({ status }) => status === 403));
    const { body } = await world.manage('GET', `/keys/${hash}`);
    assert.ok(Math.abs(body.data.usage - (served + 1) * cost) < 1e-9);
  });

  test('a budget without an interval is for all time, and one of 0 lets nothing through', async () => {
    const { key, hash } = await addKey();
    await world.guard({ limit_usd: 0 }, { keys: [hash] });
    const { status, body } = await world.ask('Hello', key);
    assert.equal(status, 403);
    assert.deepEqual([body.error.metadata.resets_at, body.error.metadata.spend_usd], [null, 0]);
    const observed = await addKey();
    await world.guard({ limit_usd: 0, mode: 'observe' }, { keys: [observed.hash] });
    await costOf(observed.key);
  });

  test('budgets of a workspace hold for all its keys, fall from the longest to the shortest interval, and name the broadest', async () => {
    const { manage, gateway } = world;
    const made = await manage('POST', '/workspaces', { name: 'Lab', slug: 'lab' });
    const workspaceId: string = made.body.data.id;
    const keys = [await addKey({ workspaceId }), await addKey({ workspaceId })] as const;
    const cost = await costOf(keys[0].key);
    const path = '/workspaces/lab/budgets';
    const put = (interval: string, body: object) => manage('PUT', `${path}/${interval}`, body);
    assert.deepEqual((await manage('GET', path)).body, { data: [], include_byok_in_budgets: false });
    const { body } = await put('lifetime', { limit_usd: usd(cost * 3), include_byok_in_budgets: true });
    assert.deepEqual(
      [body.data.limit_usd, body.data.reset_interval, body.include_byok_in_budgets],
      [usd(cost * 3), null, true],
    );
    assert.equal((await put('daily', { limit_usd: usd(cost * 3) })).status, 400, 'equal');
    assert.equal((await put('daily', { limit_usd: 0 })).status, 400);
    assert.equal((await put('yearly', { limit_usd: 1 })).status, 400);
    const { body: daily } = await put('daily', { limit_usd: usd(cost * 2) });
    assert.deepEqual([daily.data.reset_interval, daily.include_byok_in_budgets], ['daily', true]);
    assert.equal((await put('monthly', { limit_usd: cost })).status, 400, 'below the daily one');
    await costOf(keys[1].key);
    const refused = await world.ask('Hello', keys[0].key);
    assert.equal(refused.status, 403);
    assert.match(refused.body.error.message, /daily budget of the workspace/);
    assert.equal(refused.body.error.metadata.limit_source, 'service_workspace_budget');
    assert.deepEqual((await manage('DELETE', `${path}/daily`)).body, { deleted: true });
    assert.deepEqual((await manage('DELETE', `${path}/daily`)).body, { deleted: true });
    assert.equal((await manage('GET', `${path}/daily`)).status, 404);
    await costOf(keys[1].key);
    await put('weekly', { limit_usd: usd(cost / 2) });
    const both = await world.ask('Hello', keys[0].key);
    assert.match(both.body.error.message, /lifetime budget of the workspace/);
    assert.equal((await world.ask('Hello', gateway.key)).status, 200, 'another workspace');
  });
});

test('a member may spend a budget over all keys, and each key its own', async () => {
  const world = await startGuarded();
  try {
    const { gateway, manage } = world;
    const { storage, account } = gateway;
    await storage.members.add({
      accountId: account.id,
      userId: 'user_jane',
      email: 'jane@acme.example',
      firstName: null,
      lastName: null,
      role: 'org:member',
      createdAt: 1,
    });
    const keys = [
      await gateway.createKey({ creatorUserId: 'user_jane' }),
      await gateway.createKey({ creatorUserId: 'user_jane' }),
    ] as const;
    const cost = (await world.ask('Hello', keys[0])).body.usage.cost;
    const limit = { limit_usd: usd(cost * 3), reset_interval: 'daily' };
    await world.guard(limit, { keys: keys.map(hashKey) });
    await world.guard(limit, { members: ['user_jane'] });
    assert.equal((await world.ask('Hello', keys[0])).status, 200);
    assert.equal((await world.ask('Hello', keys[1])).status, 200);
    for (const key of keys) {
      const { status, body } = await world.ask('Hello', key);
      assert.equal(status, 403, 'neither key used up its own budget, but the member did');
      assert.equal(body.error.metadata.scope, 'member');
    }
    assert.equal((await world.ask('Hello')).status, 200, "another's key");
    const page = await manage('GET', '/guardrails/assignments/members');
    assert.deepEqual(
      [page.body.total_count, page.body.data[0].user_id, page.body.data[0].organization_id],
      [1, 'user_jane', account.id],
    );
    assert.equal((await manage('GET', '/organization/members')).status, 404, 'of a personal account');
  } finally {
    await world.stop();
  }
});
