import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SettlingCharges } from './account-holds.ts';

/** The same, by looking at every charge each time. */
class PlainCharges {
  charges: { requestId: string; amount: bigint; at: number }[] = [];
  last = 0;

  add(requestId: string, amount: bigint, releasedAt: number): void {
    this.last = Math.max(Math.ceil(releasedAt), this.last);
    this.charges.push({ requestId, amount, at: this.last });
  }

  release(now: number): bigint {
    const due = this.charges.filter(({ at }) => at <= now);
    this.charges = this.charges.filter(({ at }) => at > now);
    return due.reduce((sum, { amount }) => sum + amount, 0n);
  }

  releaseOf(need: bigint): number | undefined {
    let released = 0n;
    return this.charges.find(({ amount }) => {
      released += amount;
      return released >= need;
    })?.at;
  }
}

const steps = fc.array(
  fc.record({
    passes: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 3, noNaN: true }), fc.nat(40_000)),
    window: fc.constantFrom(0, 1, 900, 25_000, 120_000),
    amount: fc.bigInt(1n, 1_000n),
    need: fc.bigInt(1n, 20_000n),
  }),
  { maxLength: 60 },
);

test('it releases what plain looking at every charge would', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const charges = new SettlingCharges();
      const plain = new PlainCharges();
      let now = 1_000;
      for (const [index, { passes, window, amount, need }] of all.entries()) {
        now += passes;
        assert.equal(charges.release(now), plain.release(now));
        charges.add(`request ${index}`, amount, now + window);
        plain.add(`request ${index}`, amount, now + window);
        assert.equal(charges.releaseOf(need), plain.releaseOf(need));
        for (const { requestId } of plain.charges) assert.ok(charges.has(requestId));
        assert.ok(!charges.has('another'));
      }
      now += 500_000;
      assert.equal(charges.release(now), plain.release(now));
      assert.ok(charges.empty);
      assert.ok(!charges.has('request 0'));
    }),
    { numRuns: 500 },
  );
});
