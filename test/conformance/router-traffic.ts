import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { nanoFromInteger } from '../../src/core/money.ts';
import { dayLength, utcDay } from '../../src/util/utc-windows.ts';
import { account, generation, type OpenStorage, wednesday } from './fixtures.ts';

/** What every RouterTrafficStore must do. */
export function describeRouterTraffic(name: string, open: OpenStorage): void {
  describe(`traffic of routers: ${name}`, () => {
    test('calls that routers chose the model of are summed by day, router, task and model; others are not', async (t) => {
      const { accounts, ledger, routerTraffic } = await open(t);
      const [owner, other] = [account(), account()];
      await accounts.create(owner);
      await accounts.create(other);
      const call = (change: Partial<Parameters<typeof generation>[0]> = {}) =>
        ledger.settle(
          generation({
            accountId: owner.id,
            settledAt: wednesday,
            model: 'acme/atlas-4',
            usage: { uncachedInput: 6, cacheRead: 4, output: 5, reasoning: 2 },
            cost: nanoFromInteger(70),
            listCost: nanoFromInteger(100),
            routedBy: 'service/auto',
            routedTask: 'math',
            // Nothing that a client writes looks like a member.
            appTitle: '"routedBy":"service/none","routedTask":"health"',
            ...change,
          }),
        );
      const attempt = { provider: 'north', model: 'acme/atlas-4', tag: 'north', status: 200, latency: 1 };
      await call({ attempts: [attempt] });
      await call({ attempts: [{ ...attempt, status: 503 }, attempt] });
      await call({ routedTask: undefined });
      await call({ routedBy: 'service/free', routedTask: undefined, accountId: other.id });
      await call({ settledAt: wednesday + dayLength });
      await call({ routedBy: undefined, routedTask: undefined });
      await call({ settledAt: wednesday - 1 });
      const rows = await routerTraffic.read(wednesday);
      const day = utcDay(wednesday);
      assert.deepEqual(
        rows.map((row) => [row.day - day, row.router, row.task, row.generations, row.fallbacks]),
        [
          [0, 'service/auto', '', 1, 0],
          [0, 'service/auto', 'math', 2, 1],
          [0, 'service/free', '', 1, 0],
          [1, 'service/auto', 'math', 1, 0],
        ],
      );
      const { model, inputTokens, cachedTokens, outputTokens, reasoningTokens, cost, listCost } =
        rows[1] ?? {};
      assert.deepEqual(
        [model, inputTokens, cachedTokens, outputTokens, reasoningTokens, cost, listCost],
        ['acme/atlas-4', 20, 8, 10, 4, 140n, 200n],
      );
      const own = await routerTraffic.read(wednesday, other.id);
      assert.deepEqual(
        own.map(({ router }) => router),
        ['service/free'],
      );
    });
  });
}
