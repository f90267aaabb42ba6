import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { testCaller } from '../../test/support/caller.ts';
import { modelOf, providerOf } from '../../test/support/catalogue.ts';
import { plainByokTerms } from '../../test/support/credentials.ts';
import { parse } from '../../test/support/request-parsing.ts';
import { spendingServices } from '../../test/support/spending-services.ts';
import { parseUsd, zeroUsd } from '../core/money.ts';
import { RequestEvents } from '../pipeline/request-events.ts';
import type { LapsedHold } from '../ports/in-flight-budget.ts';
import { openStorage } from '../storage/open-storage.ts';
import { CallSettlement } from './call-settlement.ts';
import { closeLapsed } from './lapsed-call.ts';
import { Spending, type SpendingTarget } from './spending.ts';

const start = Date.UTC(2026, 10, 18, 12);
const model = modelOf('acme/atlas-4', [providerOf({ slug: 'north' })]);

/** A request of a prepaid account that holds what it may cost, and then is not heard of until its lease has lapsed. */
async function lapse(t: TestContext) {
  const storage = await openStorage('sqlite::memory:');
  t.after(() => storage.close());
  await storage.migrate();
  const { ledger, generations } = storage;
  const clock = { time: start, now: () => clock.time };
  const services = {
    ...spendingServices({ clock }),
    ledger,
    charges: { begin: () => () => {} },
    byokTerms: () => plainByokTerms,
    events: new RequestEvents([]),
    statistics: { answers: () => undefined },
  };
  const caller = testCaller(parseUsd(10), { createdAt: start });
  const request = parse({ model: model.id, input: 'Hello', stream: true });
  const facts = { generationId: 'gen-1', request, caller, attribution: {}, receivedAt: start };
  const spending = new Spending(facts, services);
  const settlement = new CallSettlement(facts, services, spending);
  const [endpoint] = model.endpoints;
  assert.ok(endpoint);
  const target: SpendingTarget = { model, endpoint };
  assert.equal(await spending.admit(target), undefined);
  clock.time += 900_000;
  const lapsed = await services.inFlightBudget.sweep();
  /** Its process was paused and comes back. */
  const comeBack = () => {
    settlement.opened(target);
    settlement.meter.watch([
      { kind: 'text', block: 0, text: 'Good day.' },
      { kind: 'usage', usage: { uncachedInput: 100, output: 40 } },
      { kind: 'finish', reason: 'stop' },
    ]);
    return settlement.settle('finished');
  };
  const spent = async () => (await ledger.balance(caller.account.id)).spentTotal;
  const close = () => closeLapsed(lapsed, { ledger, clock });
  return { caller, lapsed, ledger, generations, clock, close, comeBack, spent };
}

test('case 8: the record of a request nobody came back for is closed with an error and costs nothing', async (t) => {
  const { caller, generations, clock, close, spent, ledger } = await lapse(t);
  await close();
  await close();
  const record = await generations.find('gen-1');
  assert.deepEqual(record, {
    id: 'gen-1',
    requestId: 'gen-1',
    accountId: caller.account.id,
    keyHash: caller.key.hash,
    workspaceId: caller.key.workspaceId,
    createdAt: start,
    settledAt: clock.time,
    requestedModel: 'acme/atlas-4',
    lapsed: true,
    isByok: false,
    streamed: true,
    cancelled: false,
    finishReason: 'error',
    errorType: 'server',
    usage: {},
    usageEstimated: false,
    insured: true,
    cost: zeroUsd,
    listCost: zeroUsd,
    attempts: [],
  });
  assert.equal(await spent(), zeroUsd);
  assert.deepEqual(await ledger.verify(), []);
});

test('case 8: a process that was merely paused settles its true cost, once, before or after its record was closed', async (t) => {
  const cost = parseUsd('0.0009');
  for (const order of ['closed first', 'settled first'] as const) {
    const { generations, close, comeBack, spent, ledger } = await lapse(t);
    if (order === 'closed first') await close();
    assert.equal((await comeBack()).charge, cost);
    await close();
    await comeBack();
    const record = await generations.find('gen-1');
    assert.deepEqual([record?.cost, record?.finishReason, record?.lapsed], [cost, 'stop', undefined], order);
    assert.equal(await spent(), cost, order);
    assert.deepEqual(await ledger.verify(), []);
  }
});

test('holds without a note, or with one nobody can read, leave no record', async (t) => {
  const { generations, ledger, clock } = await lapse(t);
  const notes = [
    undefined,
    '',
    '{',
    'null',
    '{}',
    '[]',
    '["key",null,1,"acme/atlas-4"]',
    '[1,null,1,"m",true]',
  ];
  const holds = notes.map((note, index): LapsedHold => {
    const id = { accountId: 'user_1', requestId: `gen-${index}` };
    return note === undefined ? id : { ...id, note };
  });
  await closeLapsed(holds, { ledger, clock });
  assert.deepEqual(await generations.usage(0, 'day'), []);
});
