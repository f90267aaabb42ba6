import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import type { HeadgateError } from '../../src/core/errors.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { generation, usd } from './fixtures.ts';

/** A storage whose database refuses every booking until it is healed, and which has no other place for charges. */
export interface FailingStorage {
  readonly storage: Storage;
  heal(): void;
  /** The ids of the generations the database has booked. */
  booked(): Promise<readonly string[]>;
}

/**
 * What a storage must do while its database refuses to book: whoever settles is notified, because a charge that seems
 * booked and is not would be lost.
 */
export function describeFailedBookings(
  name: string,
  open: (test: TestContext) => Promise<FailingStorage>,
): void {
  const terms = { feeBasisPoints: 500, monthlyAllowance: usd(0) };
  suite(`failed bookings: ${name}`, () => {
    test('a charge that was not booked is refused, each of those settled together', async (t) => {
      const { storage, heal, booked } = await open(t);
      const batch = [generation(), generation(), generation()];
      const settled = await Promise.allSettled(batch.map((one) => storage.ledger.settle(one)));
      assert.deepEqual(settled.map(codeOf), Array(3).fill('service_unavailable'));
      assert.deepEqual(await booked(), []);
      heal();
      await settleOnce(storage, batch[0] ?? generation());
      assert.deepEqual(await booked(), [batch[0]?.id]);
    });

    test('a charge of an own credential that was not booked is refused', async (t) => {
      const { storage, booked } = await open(t);
      const one = generation({ isByok: true });
      const [settled] = await Promise.allSettled([storage.ledger.settle(one, terms)]);
      assert.equal(settled && codeOf(settled), 'service_unavailable');
      assert.deepEqual(await booked(), []);
    });
  });
}

function codeOf(settled: PromiseSettledResult<unknown>): string {
  return settled.status === 'fulfilled' ? 'settled' : (settled.reason as HeadgateError).code;
}

/** The storage may still take the database for unreachable, for a moment. */
async function settleOnce(storage: Storage, one: ReturnType<typeof generation>): Promise<unknown> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await storage.ledger.settle(one);
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
