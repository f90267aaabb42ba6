import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion, parsePricePerUnit, parseUsd } from '../../src/core/money.ts';
import { chatStream } from '../fake-upstream/chat-stream.ts';
import { modelOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { startGuarded } from '../support/guarded-gateway.ts';
import { startReceiver } from '../support/webhook-receiver.ts';

const good = { steps: chatStream('Good ', 'day.') };
const bad = { status: 500, steps: ['{}'] };

/** Each request costs 1 USD and a little. */
async function start(t: TestContext) {
  const receiver = await startReceiver(t);
  const perMillion = parsePricePerMillion(3);
  const price = { prompt: perMillion, completion: perMillion, request: parsePricePerUnit(1) };
  const world = await startGuarded({
    models: (north) => [modelOf('acme/atlas-4', [north], { price })],
    config: { alerts: { webhook: receiver.url, thresholds: [0.8, 1], balance: parseUsd(100) } },
    parts: { alertPause: 20 },
  });
  t.after(() => world.stop());
  const told = (): readonly Readonly<Record<string, unknown>>[] =>
    receiver.posted.map(({ alert: { type, data } }) => ({ ...data, type }));
  return { receiver, told, ...world };
}

test('budgets of keys and workspaces are reported at their thresholds, once each', async (t) => {
  const { receiver, told, ask, gateway, guard, manage } = await start(t);
  const keys = [await gateway.createKey({ name: 'one' }), await gateway.createKey({ name: 'two' })] as const;
  const hash = hashKey(keys[0]);
  await guard({ limit_usd: 2.4, reset_interval: 'weekly' }, { keys: [hash] });
  const limit = { limit_usd: 3 };
  assert.equal((await manage('PUT', '/workspaces/default/budgets/lifetime', limit)).status, 200);
  for (const key of [keys[0], keys[0], keys[1]]) assert.equal((await ask('Hello', key)).status, 200);
  await receiver.wait(3);
  for (const key of keys) assert.equal((await ask('Hello', key)).status, 403);
  const budgets = told().map(({ type, threshold, limit_usd, object, workspace_id }) => {
    const { scope, interval, of, id } = object as Record<string, unknown>;
    assert.equal(workspace_id, gateway.account.defaultWorkspaceId);
    return [type, threshold, limit_usd, scope, interval, of, id];
  });
  const workspace = ['workspace', 'lifetime', 'workspace', gateway.account.defaultWorkspaceId];
  assert.deepEqual(
    budgets.toSorted((one, other) => Number(one[2]) - Number(other[2]) || Number(one[1]) - Number(other[1])),
    [
      ['budget.limit', 0.8, 2.4, 'api_key', 'weekly', 'key', hash],
      ['budget.limit', 0.8, 3, ...workspace],
      ['budget.limit', 1, 3, ...workspace],
    ],
  );
  const weekly = told().find(({ limit_usd }) => limit_usd === 2.4);
  assert.match(String(weekly?.resets_at), /T00:00:00.000Z$/);
  // A later look does not repeat them.
  await manage('PUT', '/workspaces/default/budgets/lifetime', { limit_usd: 4 });
  await eventually('the raised limit', async () => (await ask('Hello', keys[1])).status === 200);
  await receiver.wait(5);
  assert.deepEqual(
    told()
      .slice(3)
      .map(({ limit_usd }) => limit_usd),
    [4, 4],
  );
});

test('a provider that only fails is reported once, and once more when it answers again', async (t) => {
  const { receiver, told, ask, upstream, gateway } = await start(t);
  upstream.play(bad);
  for (let failed = 0; failed < 2; failed += 1) assert.notEqual((await ask('Hello')).status, 200);
  const seen = await gateway.storage.alerts.raisedFor(['provider north']);
  assert.deepEqual(seen, [], 'two failures are no outage');
  for (let failed = 0; failed < 3; failed += 1) await ask('Hello');
  await receiver.wait(1);
  await ask('Hello');
  upstream.play(good);
  assert.equal((await ask('Hello')).status, 200);
  await receiver.wait(2);
  const [down, up] = told();
  assert.partialDeepStrictEqual(down, {
    type: 'provider.down',
    account_id: null,
    object: { type: 'provider', id: 'north' },
  });
  assert.ok(Number(down?.failures) >= 3);
  assert.partialDeepStrictEqual(up, { type: 'provider.up', object: { type: 'provider', id: 'north' } });
  await eventually('the outage to be over', async () => {
    const places = await gateway.storage.alerts.raisedFor(['provider north']);
    return places.every(({ window }) => window !== 'down');
  });
  assert.equal(receiver.posted.length, 2);
});

test('requests that a provider refuses for their content are no outage', async (t) => {
  const { told, ask, upstream, gateway } = await start(t);
  upstream.play({ status: 400, steps: ['{"error":{"message":"no"}}'] });
  for (let refused = 0; refused < 5; refused += 1) await ask('Hello');
  upstream.play(good);
  const key = await gateway.createKey({ limit: parseUsd(1) });
  assert.equal((await ask('Hello', key)).status, 200);
  await eventually('a later alert', () => told().length >= 2);
  assert.ok(told().every(({ type }) => type === 'key.limit'));
});
