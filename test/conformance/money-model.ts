import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Clock } from '../../src/ports/clock.ts';
import { NaiveMoney, type Settings } from './money/naive-money.ts';
import { type MoneyPorts, RealMoney } from './money/real-money.ts';
import { beginnings } from './money/scenario.ts';
import { counter, sequences } from './money/steps.ts';

/** Opens the ports on a clock that the suite sets; what it opens is closed when the test is over. */
export type OpenMoney = (
  clock: Clock,
  test: { after: (cleanUp: () => Promise<void>) => void },
) => Promise<MoneyPorts>;

/**
 * Whatever happens in whatever order (admissions, fallbacks, settlements, crashes, lapsed leases, restarts,
 * entries, changed limits, ends of days, weeks and months), the gateway and a model of lists added up by hand
 * never differ in a decision, a balance, a counter, a hold or a window.
 * @param usualRuns How many sequences are tried unless HEADGATE_MODEL_RUNS says another number, as the slow lane does.
 */
export function describeMoneyModel(name: string, open: OpenMoney, usualRuns = 300): void {
  const runs = Number(process.env.HEADGATE_MODEL_RUNS ?? usualRuns);
  describe(`money against a naive model: ${name}`, () => {
    test(`nothing ever differs, in ${runs} runs`, { timeout: 3_600_000 }, async (t) => {
      const clock = { time: 0, now: () => clock.time };
      const ports = await open(clock, t);
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...beginnings),
          fc.record({ prepaid: fc.nat(7).map((one) => one > 0), credit: fc.nat(700) }),
          sequences,
          async (beginning, { prepaid, credit }, steps) => {
            clock.time = beginning;
            const settings: Settings = {
              prepaid,
              inflightExempt: false,
              freeLimitExempt: false,
              caps: [
                { amount: null, reset: null },
                { amount: 150, reset: 'daily' },
              ],
            };
            const model = new NaiveMoney(beginning, settings);
            const real = new RealMoney(ports, clock);
            await real.open(beginning, settings);
            model.entries.push({ amount: credit, purchase: false });
            await real.append(credit, {}, false);
            await fc.asyncModelRun(() => ({ model, real }), steps);
            const { balance, purchased, spent } = model;
            const spend = [model.keySpend(0), model.keySpend(1)];
            assert.deepEqual(await real.books(), { balance, purchased, spent, spend });
          },
        ),
        { numRuns: runs, endOnFailure: false },
      );
      assert.deepEqual(await ports.storage.ledger.verify(), []);
      t.diagnostic(`${counter.steps} steps in ${runs} runs`);
    });
  });
}
