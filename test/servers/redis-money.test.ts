import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { nanoFromInteger } from '../../src/core/money.ts';
import type { InFlightBudget } from '../../src/ports/in-flight-budget.ts';
import { MemoryInFlightBudget } from '../../src/shared-state/memory/memory-in-flight-budget.ts';
import { openRedisClient } from '../../src/shared-state/redis/open-redis-client.ts';
import { RecoveringFreeRequests } from '../../src/shared-state/redis/recovering-free-requests.ts';
import { RecoveringInFlightBudget } from '../../src/shared-state/redis/recovering-in-flight-budget.ts';
import { RedisConnection } from '../../src/shared-state/redis/redis-connection.ts';
import { openStorage } from '../../src/storage/open-storage.ts';
import { readRedisAddress } from '../../src/util/redis-address.ts';
import { unique } from '../conformance/fixtures.ts';
import { describeMoneyModel } from '../conformance/money-model.ts';
import { patientTimes, unwatched } from '../support/redis-processes.ts';
import { startRedis, type TestRedis } from '../support/start-redis.ts';

let redis: TestRedis;
let connection: RedisConnection;

before(async () => {
  redis = await startRedis();
  const address = readRedisAddress(redis.url);
  connection = new RedisConnection(
    (onLost) => openRedisClient(address, patientTimes.reply, onLost),
    patientTimes,
    unwatched,
  );
  await connection.start();
});
after(async () => {
  connection.close();
  await redis.stop();
});

const lease = 900_000;
const settlementWindow = 120_000;

/** Where doubles begin to miss integers, where halves of amounts meet, and what is usual. */
const amount = fc.oneof(
  fc.bigInt(0n, 3n),
  fc.bigInt(999_999_998n, 1_000_000_002n),
  fc.bigInt(2n ** 53n - 3n, 2n ** 53n + 3n),
  fc.bigInt(0n, 25_000_000_000n),
  fc.bigInt(10n ** 17n, 10n ** 17n + 5n),
);
const request = fc.integer({ min: 0, max: 5 });
const step = fc.oneof(
  fc.record({ do: fc.constant('hold' as const), request, amount, budget: amount }),
  fc.record({
    do: fc.constant('hold limits' as const),
    request,
    amount,
    budget: amount,
    limits: fc.array(fc.record({ window: fc.nat(2), limit: amount, spent: amount, amount }), {
      maxLength: 2,
    }),
    isBegun: fc.boolean(),
    isTrial: fc.boolean(),
  }),
  fc.record({ do: fc.constant('charge' as const), limit: fc.nat(1), window: fc.nat(2), amount }),
  fc.record({ do: fc.constant('raise' as const), request, amount }),
  fc.record({ do: fc.constant('settle' as const), request, amount, window: fc.nat(2) }),
  fc.record({ do: fc.constant('renew' as const), request }),
  fc.record({ do: fc.constant('wait' as const), time: fc.integer({ min: 1, max: 400_000 }) }),
);

type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

function shareOf(limit: number, { window, amount }: { readonly window: number; readonly amount: bigint }) {
  return { id: `limit/${limit}`, window, amount: nanoFromInteger(amount) };
}

/** Does one step and tells what came of it. */
async function applyStep(budget: InFlightBudget, accountId: string, one: Step) {
  let outcome: unknown;
  if (one.do === 'charge') await budget.charge(accountId, [shareOf(one.limit, one)]);
  else if (one.do !== 'wait') {
    const id = { accountId, requestId: `r${one.request}` };
    if (one.do === 'renew') await budget.renew([id], lease);
    if (one.do === 'raise') await budget.raise(id, nanoFromInteger(one.amount), lease);
    if (one.do === 'settle') {
      const shares = [0, 1].map((limit) => shareOf(limit, one));
      await budget.settle(id, nanoFromInteger(one.amount), settlementWindow, shares);
    }
    if (one.do === 'hold' || one.do === 'hold limits') {
      const { isBegun, isTrial } = one.do === 'hold' ? {} : one;
      const limits =
        one.do === 'hold'
          ? undefined
          : one.limits.map(({ limit, spent, ...share }, at) => {
              return { ...shareOf(at, share), limit: nanoFromInteger(limit), spent: nanoFromInteger(spent) };
            });
      const terms = {
        lease,
        settlementWindow,
        budget: nanoFromInteger(one.budget),
        limits,
        isBegun,
        isTrial,
      };
      outcome = await budget.hold(id, nanoFromInteger(one.amount), terms);
    }
  }
  return [outcome, await budget.inFlight(accountId)];
}

test('money in flight is exact to the last nano-USD, whatever the amounts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = { time: 1_795_009_500_000, now: () => clock.time };
      const accountId = unique('user_');
      const budgets = [
        new MemoryInFlightBudget(clock),
        new RecoveringInFlightBudget({ run: connection.run, local: undefined, clock }),
      ];
      for (const one of steps) {
        if (one.do === 'wait') clock.time += one.time;
        const seen = budgets.map((budget) => applyStep(budget, accountId, one));
        const [expected, found] = await Promise.all(seen);
        assert.deepEqual(found, expected, inspect(one));
      }
    }),
    { numRuns: 150 },
  );
});

test('a reading that has a charge before its hold has ended counts it once, then and later', async () => {
  const accountId = unique('user_');
  const [one, other] = [1, 2].map(
    () => new RecoveringInFlightBudget({ run: connection.run, local: undefined }),
  );
  assert.ok(one && other);
  const share = { id: 'limit', window: 0 };
  const take = async (budget: InFlightBudget, requestId: string, spent: bigint) => {
    const limit = { limit: nanoFromInteger(10n), spent: nanoFromInteger(spent), amount: nanoFromInteger(4n) };
    const terms = { budget: nanoFromInteger(0), lease, settlementWindow, limits: [{ ...share, ...limit }] };
    const outcome = await budget.hold({ accountId, requestId }, nanoFromInteger(0), terms);
    return outcome.held ? outcome.shares?.[0]?.amount : outcome;
  };
  const end = (budget: InFlightBudget, requestId: string, amount: bigint) => {
    const shares = [{ ...share, amount: nanoFromInteger(amount) }];
    return budget.settle({ accountId, requestId }, nanoFromInteger(0), settlementWindow, shares);
  };
  assert.equal(await take(one, 'a', 0n), 4n);
  // The charge of `a`, 3, is in the books and not settled here yet: another process has read it.
  assert.equal(await take(other, 'b', 3n), 4n, 'its hold of 4 stands for it');
  await end(one, 'a', 3n);
  assert.equal(await take(other, 'c', 3n), 3n, '3 spent and 4 held by b');
  await end(other, 'b', 4n);
  await end(other, 'c', 0n);
  assert.equal(await take(one, 'd', 3n), 3n, '7 spent, whatever an old reading says');
  // What a process knows holds no charge of what itself holds: this one was booked without a hold.
  assert.deepEqual(await take(one, 'e', 9n), { held: false, limit: 'limit', spent: 9n });
  await end(one, 'd', 0n);
  assert.equal(await take(one, 'e', 9n), 1n);
});

describeMoneyModel(
  'SQLite and Redis',
  async (clock, t) => {
    const storage = await openStorage('sqlite::memory:', { clock });
    t.after(() => storage.close());
    await storage.migrate();
    const countBooked = (accountId: string, since: number) => storage.generations.countFree(accountId, since);
    const { run } = connection;
    return {
      storage,
      // The model knows nothing that outlives a process: Redis restarts with it. What comes next on the connection waits.
      startProcess: () => {
        void connection.send('', ['FLUSHALL']);
        return {
          inFlightBudget: new RecoveringInFlightBudget({ run, local: undefined, clock }),
          freeRequests: new RecoveringFreeRequests({ run, countBooked, makeLocal: undefined, clock }),
        };
      },
    };
  },
  200,
);
