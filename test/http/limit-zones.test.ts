import assert from 'node:assert/strict';
import { beforeEach, type TestContext, test } from 'node:test';
import { hashKey } from '../../src/core/api-key.ts';
import { parseUsd } from '../../src/core/money.ts';
import { generation } from '../conformance/fixtures.ts';
import { callApi } from '../support/call-api.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { eventually } from '../support/eventually.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { defaultLimits } from '../support/limits.ts';
import { startSlowUpstream } from '../support/slow-upstream.ts';
import { roomInWindow } from '../support/windows.ts';

const hour = 3_600_000;
const day = 24 * hour;
const atlas = { model: 'acme/atlas-4', input: 'Hello' };

// Days of UTC and of the zones below begin at whole hours.
beforeEach(() => roomInWindow('hour', 60_000));

/** A zone in which it is between one and two in the morning. */
function earlyZone(now: number): string {
  const ahead = 1 - new Date(now).getUTCHours();
  const offset = ahead < -12 ? ahead + 24 : ahead;
  return offset === 0 ? 'Etc/UTC' : `Etc/GMT${offset < 0 ? '+' : '-'}${Math.abs(offset)}`;
}

async function start(t: TestContext, limits: Partial<typeof defaultLimits>) {
  const upstream = await startSlowUpstream({ outputTokens: 10, pause: 0 });
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const options = {
    models: [modelOf('acme/atlas-4', [north])],
    config: { limits: { ...defaultLimits, ...limits } },
  };
  const gateway = await startGateway(options);
  t.after(() => gateway.stop());
  return { gateway, options };
}

/** What a key of the gateway was charged some time ago. */
function charged({ storage, account }: TestGateway, raw: string, settledAt: number, cost: string) {
  const whose = { accountId: account.id, workspaceId: account.defaultWorkspaceId, keyHash: hashKey(raw) };
  return storage.ledger.settle(generation({ ...whose, settledAt, cost: parseUsd(cost) }));
}

const limit = { limit: parseUsd('1'), limitReset: 'daily' } as const;

test('a daily limit begins anew at midnight of its zone; usage_daily stays that of UTC', async (t) => {
  const now = Date.now();
  const { gateway } = await start(t, { resetTimezone: earlyZone(now) });
  const raw = await gateway.createKey(limit);
  await charged(gateway, raw, now - 3 * hour, '1');
  const ofKey = async () => {
    const { body } = await callApi(gateway, raw, 'GET', '/key');
    return body.data;
  };
  const { limit_remaining: left, usage, usage_daily: today } = await ofKey();
  assert.equal(left, 1, 'what was charged before midnight counts for yesterday');
  assert.equal(usage, 1);
  const isTodayInUtc = Math.floor((now - 3 * hour) / day) === Math.floor(now / day);
  assert.equal(today, isTodayInUtc ? 1 : 0);
  const first = await gateway.post(atlas, { authorization: `Bearer ${raw}` });
  assert.equal(first.status, 200, await first.text());
  await charged(gateway, raw, now, '1');
  assert.equal((await ofKey()).limit_remaining, 0);
  const isRefused = async () => {
    const second = await gateway.post(atlas, { authorization: `Bearer ${raw}` });
    await second.text();
    return second.status === 402;
  };
  await eventually('the refusal', isRefused);
});

test('refusals, lists of keys and of what applies say the same windows', async (t) => {
  const now = Date.now();
  const midnight = Math.floor(now / hour) * hour - hour + day;
  const { gateway } = await start(t, { resetTimezone: earlyZone(now) });
  const raw = await gateway.createKey(limit);
  const management = await gateway.createKey({ kind: 'management', workspaceId: null });
  const workspaceId = gateway.account.defaultWorkspaceId;
  const budget = await callApi(gateway, management, 'PUT', `/workspaces/${workspaceId}/budgets/daily`, {
    limit_usd: 0.5,
  });
  assert.ok(budget.status < 300, budget.text);
  await charged(gateway, raw, now - 3 * hour, '0.75');
  await charged(gateway, raw, now, '0.5');
  const { body } = await callApi(gateway, management, 'GET', `/keys/${hashKey(raw)}`);
  assert.equal(body.data.limit_remaining, 0.5);
  const refused = await gateway.post(atlas, { authorization: `Bearer ${raw}` });
  const text = await refused.text();
  assert.equal(refused.status, 403, text);
  const { metadata } = JSON.parse(text).error;
  assert.equal(metadata.spend_usd, 0.5);
  assert.equal(metadata.resets_at, new Date(midnight).toISOString());
});

test('another zone in a changed configuration holds from the next window on', async (t) => {
  const now = Date.now();
  const { gateway, options } = await start(t, {});
  const raw = await gateway.createKey(limit);
  const yesterday = Math.floor(now / day) * day - 1;
  await charged(gateway, raw, yesterday, '0.25');
  await charged(gateway, raw, now, '0.5');
  const limits = { ...defaultLimits, resetTimezone: 'Pacific/Kiritimati', weekStart: 'sunday' } as const;
  gateway.server.replaceConfig(configOf({ ...options, config: { limits } }));
  const { calendar } = gateway.storage.callers;
  const today = Math.floor(now / day) * day;
  // Stored at once; the day that runs is still the one of UTC, and the next one ends where it does in the zone.
  const next = () => calendar.windowsAt(today + day).daily.end;
  await eventually('the other zone', () => next() === today + day + 10 * hour);
  assert.deepEqual(calendar.windowsAt(now).daily, { start: today, end: today + day });
  const { body } = await callApi(gateway, raw, 'GET', '/key');
  assert.equal(body.data.limit_remaining, 0.5);
});
