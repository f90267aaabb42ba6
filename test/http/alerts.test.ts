import assert from 'node:assert/strict';
import { createHmac, randomBytes } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import type { Config } from '../../src/config/config.ts';
import { hashKey } from '../../src/core/api-key.ts';
import { parsePricePerMillion, parsePricePerUnit, parseUsd } from '../../src/core/money.ts';
import { Secret } from '../../src/util/secret.ts';
import { ledgerEntry, unique } from '../conformance/fixtures.ts';
import { chatBody } from '../fake-upstream/chat-stream.ts';
import { startFakeUpstream } from '../fake-upstream/fake-upstream.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { type GatewayOptions, startGateway } from '../support/gateway.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { roomInWindow } from '../support/windows.ts';

/** Each request costs 1 USD. */
async function start(
  t: TestContext,
  alerts: Partial<Config['alerts']>,
  options: Partial<GatewayOptions> = {},
) {
  const upstream = await startFakeUpstream({ whole: chatBody('Good ', 'day.'), steps: [] });
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const perMillion = parsePricePerMillion(3);
  const price = { prompt: perMillion, completion: perMillion, request: parsePricePerUnit(1) };
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north], { price })],
    ...options,
    config: {
      alerts: { thresholds: [0.8, 1], balance: parseUsd(100), ...alerts },
      ...options.config,
    },
    parts: { alertPause: 20, ...options.parts },
  });
  t.after(() => gateway.stop());
  const ask = async (key: string, count: number) => {
    for (let index = 0; index < count; index += 1) {
      const headers = { authorization: `Bearer ${key}` };
      const response = await gateway.post({ model: 'acme/atlas-4', input: 'Hello' }, headers);
      await response.text();
      assert.equal(response.status, 200);
    }
  };
  return { gateway, ask };
}

test('80 and 100 % of a limit are reported once each, signed, and a raised limit begins anew', async (t) => {
  const receiver = await startReceiver(t);
  const bytes = randomBytes(24);
  const secret = new Secret(`whsec_${bytes.toString('base64')}`);
  const { gateway, ask } = await start(t, { webhook: receiver.url, secret });
  const key = await gateway.createKey({ limit: parseUsd(10), limitReset: 'monthly', name: 'batch' });
  await ask(key, 7);
  await ask(key, 1);
  const [first] = await receiver.wait(1);
  assert.ok(first);
  assert.equal(first.alert.type, 'key.limit');
  assert.partialDeepStrictEqual(first.alert.data, {
    account_id: gateway.account.id,
    workspace_id: gateway.account.defaultWorkspaceId,
    object: { type: 'key', name: 'batch' },
    threshold: 0.8,
    limit_usd: 10,
  });
  assert.match(String(first.alert.data.resets_at), /^\d{4}-\d\d-01T00:00:00/);
  const signed = `${first.id}.${first.headers['webhook-timestamp']}.${first.body}`;
  const signature = createHmac('sha256', bytes).update(signed).digest('base64');
  assert.equal(first.headers['webhook-signature'], `v1,${signature}`);
  assert.match(first.id, /^evt_/);
  await ask(key, 2);
  await receiver.wait(2);
  await gateway.storage.keys.update(hashKey(key), { limit: parseUsd(12) }, Date.now());
  await eventually('the raised limit', async () => {
    const response = await gateway.post(
      { model: 'acme/atlas-4', input: 'Hello' },
      { authorization: `Bearer ${key}` },
    );
    return response.status === 200 ? true : undefined;
  });
  const posted = await receiver.wait(3);
  const told = posted.map(({ alert: { data } }) => [data.limit_usd, data.threshold]);
  assert.deepEqual(told, [
    [10, 0.8],
    [10, 1],
    [12, 0.8],
  ]);
  assert.equal(new Set(posted.map(({ id }) => id)).size, 3);
});

test('a low balance is reported once, and again after it was a tenth above', async (t) => {
  const receiver = await startReceiver(t);
  const { gateway, ask } = await start(
    t,
    { webhook: receiver.url, balance: parseUsd(10) },
    { billingMode: 'prepaid', config: {} },
  );
  const buy = (usd: number) =>
    gateway.storage.ledger.append(
      ledgerEntry(gateway.account.id, {
        id: unique('entry'),
        type: 'purchase',
        amount: parseUsd(usd),
        createdAt: Date.now(),
      }),
    );
  await buy(200);
  await ask(gateway.key, 1);
  assert.equal(receiver.posted.length, 0);
  await gateway.storage.ledger.append(
    ledgerEntry(gateway.account.id, {
      id: unique('entry'),
      type: 'adjustment',
      amount: parseUsd('-190'),
      createdAt: Date.now(),
    }),
  );
  await ask(gateway.key, 2);
  const [first] = await receiver.wait(1);
  assert.partialDeepStrictEqual(first?.alert, {
    type: 'balance.low',
    data: { account_id: gateway.account.id, limit_usd: 10, object: { type: 'account', name: 'Test' } },
  });
  assert.equal(first?.headers['webhook-signature'], undefined);
  await buy(100);
  await ask(gateway.key, 1);
  await eventually('the alert to be armed again', async () => {
    const places = await gateway.storage.alerts.raisedFor([`account ${gateway.account.id}`]);
    return places.some(({ window }) => window === 'low') ? undefined : true;
  });
  await gateway.storage.ledger.append(
    ledgerEntry(gateway.account.id, {
      id: unique('entry'),
      type: 'adjustment',
      amount: parseUsd('-100'),
      createdAt: Date.now(),
    }),
  );
  await ask(gateway.key, 1);
  assert.equal((await receiver.wait(2)).length, 2);
});

test('an account that is charged more than its share of an hour is reported once', async (t) => {
  await roomInWindow('hour', 10_000);
  const receiver = await startReceiver(t);
  const { gateway, ask } = await start(t, { webhook: receiver.url, spendPerHour: parseUsd(2) });
  await ask(gateway.key, 4);
  const [first] = await receiver.wait(1);
  assert.partialDeepStrictEqual(first?.alert, {
    type: 'spend.rate',
    data: { account_id: gateway.account.id, limit_usd: 2, object: { type: 'account', name: 'Test' } },
  });
  await ask(gateway.key, 1);
  const other = await gateway.createKey({ limit: parseUsd(1) });
  await ask(other, 1);
  // Those of the key come after the looks that could have reported the hour again.
  const types = (await receiver.wait(3)).map(({ alert }) => alert.type);
  assert.equal(types.filter((type) => type === 'spend.rate').length, 1);
});

test('a receiver that fails or is away delays no request; an alert is repeated with its id', async (t) => {
  const receiver = await startReceiver(t, 500);
  const { gateway, ask } = await start(t, { webhook: receiver.url });
  const key = await gateway.createKey({ limit: parseUsd(1) });
  await ask(key, 1);
  await receiver.wait(2);
  await eventually('both attempts to be noted', async () => {
    const figures = await (await gateway.get('/metrics')).text();
    const failed = figures.includes('headgate_alerts_total{type="key.limit",result="failed"} 1');
    return failed && figures.includes('headgate_alerts_total{type="key.limit",result="delivered"} 1')
      ? true
      : undefined;
  });
  // The failed one is due again in ten seconds; the database says so.
  assert.equal(await gateway.storage.alerts.take(Date.now(), Date.now()), undefined);
  const due = await gateway.storage.alerts.take(Date.now() + 11_000, Date.now() + 11_000);
  assert.equal(due?.attempts, 1);
  assert.ok(receiver.posted.some(({ id }) => id === due?.id));
});

test('without a webhook nothing is noted', async (t) => {
  const { gateway, ask } = await start(t, {});
  const key = await gateway.createKey({ limit: parseUsd(1), name: 'limited' });
  await ask(key, 1);
  assert.deepEqual(await gateway.storage.alerts.raisedFor([`key ${hashKey(key)}`]), []);
});
