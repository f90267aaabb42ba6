import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Price } from '../../src/core/catalogue.ts';
import { parsePricePerMillion, parseUsd } from '../../src/core/money.ts';
import { ledgerEntry } from '../conformance/fixtures.ts';
import { modelOf, providerOf } from '../support/catalogue.ts';
import { configOf, startGateway, type TestGateway } from '../support/gateway.ts';
import { startHoldingUpstream } from '../support/holding-upstream.ts';
import { defaultLimits } from '../support/limits.ts';

const price: Price = { prompt: parsePricePerMillion(0), completion: parsePricePerMillion(15) };

/** The requests whose holds the log says have lapsed, once it does. */
async function lapsedRequests({ log }: TestGateway): Promise<readonly string[]> {
  for (;;) {
    const line = log.find((one) => one.includes('have lapsed'));
    if (line !== undefined) return (JSON.parse(line) as { lapsed: string[] }).lapsed;
    await sleep(10);
  }
}

test('a request whose hold lapsed has a record with an error; when it ends all the same it is charged, once', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const inFlightBudget = { ...defaultLimits.inFlightBudget, lease: 10, leaseRenewal: 50 };
  const gateway = await startGateway({
    models: [modelOf('acme/atlas-4', [north], { price })],
    billingMode: 'prepaid',
    config: { limits: { ...defaultLimits, inFlightBudget } },
  });
  t.after(() => gateway.stop());
  const { generations, ledger } = gateway.storage;
  await ledger.append(ledgerEntry(gateway.account.id, { amount: parseUsd(10) }));
  const answer = gateway.post({ model: 'acme/atlas-4', input: 'Hello' });
  await upstream.reached(1);
  const [id = '', ...others] = await lapsedRequests(gateway);
  assert.deepEqual(others, []);
  let closed = await generations.find(id);
  for (; closed === undefined; closed = await generations.find(id)) await sleep(10);
  assert.deepEqual(
    [closed.lapsed, closed.finishReason, closed.errorType, closed.cost, closed.streamed, closed.keyHash],
    [true, 'error', 'server', 0n, false, gateway.keyHash],
  );
  upstream.release();
  const response = await answer;
  assert.equal(response.headers.get('x-generation-id'), id);
  const { status, usage } = (await response.json()) as { status: string; usage: { cost: number } };
  assert.deepEqual([status, usage.cost], ['completed', 0.000015]);
  const settled = await generations.find(id);
  assert.deepEqual([settled?.lapsed, settled?.finishReason, settled?.cost], [undefined, 'stop', 15_000n]);
  assert.equal((await ledger.balance(gateway.account.id)).spentTotal, 15_000n);
  assert.deepEqual(await ledger.verify(), []);
});

test('leases are tended to by other rules as soon as the configuration has them', async (t) => {
  const upstream = await startHoldingUpstream();
  t.after(() => upstream.close());
  const north = providerOf({ slug: 'north', baseUrl: `${upstream.url}/v1` });
  const optionsWith = (lease: number, leaseRenewal: number) => {
    const inFlightBudget = { ...defaultLimits.inFlightBudget, lease, leaseRenewal };
    const limits = { ...defaultLimits, inFlightBudget };
    const models = [modelOf('acme/atlas-4', [north], { price })];
    return { models, billingMode: 'prepaid', config: { limits } } as const;
  };
  const gateway = await startGateway(optionsWith(7_200_000, 3_600_000));
  t.after(() => gateway.stop());
  await gateway.storage.ledger.append(ledgerEntry(gateway.account.id, { amount: parseUsd(10) }));
  const ask = () => gateway.post({ model: 'acme/atlas-4', input: 'Hello' });
  const before = ask();
  await upstream.reached(1);
  // Leases that no renewal is in time for show that somebody looks.
  gateway.server.replaceConfig(configOf(optionsWith(1, 500)));
  const since = ask();
  await upstream.reached(2);
  assert.notEqual((await lapsedRequests(gateway)).length, 0);
  upstream.release();
  for (const answer of [before, since]) assert.equal((await answer).status, 200);
});
