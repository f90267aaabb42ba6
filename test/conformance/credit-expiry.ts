import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Clock } from '../../src/ports/clock.ts';
import type { Storage } from '../../src/ports/storage.ts';
import { account, apiKey, generation, ledgerEntry, usd, wednesday } from './fixtures.ts';

/** Opens a migrated and empty storage on a clock that the suite sets. */
export type OpenStorageAt = (
  clock: Clock,
  test: { after: (cleanUp: () => Promise<void>) => void },
) => Promise<Storage>;

const hour = 3_600_000;

type Movement =
  | {
      readonly kind: 'give';
      readonly wait: number;
      readonly amount: number;
      readonly lasts: number | null;
    }
  | { readonly kind: 'take' | 'charge'; readonly wait: number; readonly amount: number };

/** One thing that happens, some hours after the last one. */
type Step =
  | Movement
  | { readonly kind: 'look'; readonly wait: number }
  | { readonly kind: 'call'; readonly wait: number }
  | { readonly kind: 'expire'; readonly wait: number };

const wait = fc.nat(6);
const amount = fc.integer({ min: 1, max: 9 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    wait,
    kind: fc.constant('give' as const),
    amount,
    lasts: fc.option(fc.integer({ min: 1, max: 20 })),
  }),
  fc.record({ wait, kind: fc.constantFrom('take' as const, 'charge' as const), amount }),
  fc.record({ wait, kind: fc.constant('look' as const) }),
  fc.record({ wait, kind: fc.constant('call' as const) }),
  fc.record({ wait, kind: fc.constant('expire' as const) }),
);

/** Credit as coins: each has an end or none, and every one that lapses is taken at its hour, never later. */
class Purse {
  #coins: number[] = [];
  #debt = 0;

  get balance(): number {
    return this.#coins.length - this.#debt;
  }

  give(count: number, end: number): void {
    const paid = Math.min(count, this.#debt);
    this.#debt -= paid;
    this.#coins.push(...Array.from({ length: count - paid }, () => end));
    this.#coins.sort((a, b) => a - b);
  }

  take(count: number): void {
    this.#debt += count - this.#coins.splice(0, count).length;
  }

  lapse(now: number): void {
    this.#coins = this.#coins.filter((end) => end > now);
  }
}

/** Credit that expires, in every ledger (docs/spec/money.md#expiring-credit). */
export function describeCreditExpiry(name: string, open: OpenStorageAt): void {
  describe(`credit that expires: ${name}`, () => {
    test('what is not spent by its time lapses; soonest first, lasting credit last', async (t) => {
      const clock = { time: wednesday, now: () => clock.time };
      const { accounts, ledger } = await open(clock, t);
      const { id } = account();
      await accounts.create(account({ id }));
      const give = (value: number, expiresAt: number | null) =>
        ledger.append(ledgerEntry(id, { amount: usd(value), expiresAt, createdAt: clock.time }));
      await give(100, null);
      await give(50, clock.time + 2 * hour);
      await give(20, clock.time + hour);
      await ledger.settle(generation({ accountId: id, cost: usd(25), settledAt: clock.time }));
      clock.time += hour;
      assert.equal((await ledger.balance(id)).balance, 145n);
      clock.time += hour;
      // Charged after its time, though nobody has looked since: it does not lower what lapsed.
      await ledger.settle(generation({ accountId: id, cost: usd(10), settledAt: clock.time + 1 }));
      clock.time += hour;
      const [expired, ...rest] = await ledger.expire();
      assert.deepEqual([expired?.type, expired?.amount, rest.length], ['expiry', -45n, 0]);
      assert.deepEqual(await ledger.expire(), []);
      assert.equal((await ledger.balance(id)).balance, 90n);
      const types = (await ledger.entries(id)).map((entry) => entry.type);
      assert.deepEqual(types, ['grant', 'grant', 'grant', 'expiry']);
      assert.deepEqual(await ledger.verify(), []);
    });

    test('an expiry that makes no sense is refused', async (t) => {
      const clock = { now: () => wednesday };
      const { accounts, ledger } = await open(clock, t);
      const { id } = account();
      await accounts.create(account({ id }));
      const refused = { code: 'invalid_request' };
      await assert.rejects(ledger.append(ledgerEntry(id, { expiresAt: wednesday })), refused);
      await assert.rejects(
        ledger.append(ledgerEntry(id, { amount: usd(-1), expiresAt: wednesday + 1 })),
        refused,
      );
      assert.deepEqual(await ledger.entries(id), []);
    });

    test('looked at late or in time, it is as if every coin had lapsed at its hour', async (t) => {
      const clock = { time: wednesday, now: () => clock.time };
      const storage = await open(clock, t);
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 30 }), (steps) => compare(storage, clock, steps)),
        { numRuns: 60 },
      );
      assert.deepEqual(await storage.ledger.verify(), []);
    });
  });
}

async function compare(storage: Storage, clock: { time: number }, steps: readonly Step[]): Promise<void> {
  const { id } = account();
  await storage.accounts.create(account({ id }));
  const purse = new Purse();
  const key = apiKey(id);
  await storage.keys.create(key);
  const look = async () => assert.equal((await storage.ledger.balance(id)).balance, BigInt(purse.balance));
  const call = async () => {
    const caller = await (await storage.callers.read([key.hash], clock.time)).get(key.hash);
    assert.equal(caller?.balance.balance, BigInt(purse.balance));
  };
  for (const one of steps) {
    clock.time += one.wait * hour;
    purse.lapse(clock.time);
    if (one.kind === 'look') await look();
    else if (one.kind === 'call') await call();
    else if (one.kind === 'expire') await storage.ledger.expire();
    else await move(storage, purse, id, clock.time, one);
  }
  await look();
  clock.time += 30 * hour;
  purse.lapse(clock.time);
  await look();
}

async function move(
  { ledger }: Storage,
  purse: Purse,
  id: string,
  now: number,
  one: Movement,
): Promise<void> {
  if (one.kind === 'give') {
    const expiresAt = one.lasts === null ? null : now + one.lasts * hour;
    purse.give(one.amount, expiresAt ?? Number.POSITIVE_INFINITY);
    await ledger.append(ledgerEntry(id, { amount: usd(one.amount), expiresAt, createdAt: now }));
    return;
  }
  purse.take(one.amount);
  if (one.kind === 'charge') {
    await ledger.settle(generation({ accountId: id, cost: usd(one.amount), settledAt: now }));
  } else {
    await ledger.append(ledgerEntry(id, { type: 'refund', amount: usd(-one.amount), createdAt: now }));
  }
}
