import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { Clock } from '../../src/ports/clock.ts';
import type { RateLimits, RateOutcome, RateSubject } from '../../src/ports/rate-limits.ts';
import { unique } from './fixtures.ts';

/** Makes rate limits that use this clock. */
export type OpenRateLimits = (
  clock: Clock,
  test: { after: (cleanUp: () => Promise<void>) => void },
) => Promise<RateLimits>;

const start = Date.UTC(2026, 10, 18, 12);

async function begin(open: OpenRateLimits, t: Parameters<OpenRateLimits>[1]) {
  const clock = { time: start, now: () => clock.time };
  const limits = await open(clock, t);
  const home = unique('user_');
  let requests = 0;
  const claim = async (subjects: readonly RateSubject[], tokens = 0, lease = 60_000) => {
    requests += 1;
    const one = { requestId: `gen-${requests}`, tokens, subjects, lease };
    const outcome = await limits.claim(home, one);
    const settle = (used: number) => {
      assert.ok(outcome.admitted);
      return limits.settle(home, one, outcome.second, used);
    };
    const withdraw = () => {
      assert.ok(outcome.admitted);
      return limits.withdraw(home, one, outcome.second);
    };
    return { outcome, settle, withdraw, renew: () => limits.renew(home, [one]) };
  };
  const look = (subjects: readonly RateSubject[], tokens = 0) =>
    limits.look(home, { requestId: 'look', tokens, subjects, lease: 60_000 });
  return { clock, limits, home, claim, look };
}

const key = (fields: Partial<RateSubject>): RateSubject => ({ kind: 'key', id: 'k1', ...fields });
const account = (fields: Partial<RateSubject>): RateSubject => ({ kind: 'account', id: 'a1', ...fields });
const isAdmitted = ({ outcome }: { readonly outcome: RateOutcome }) => outcome.admitted;

/** What every RateLimits must do. */
export function describeRateLimits(name: string, open: OpenRateLimits): void {
  describe(`rate limits: ${name}`, () => {
    describeRequests(open);
    describeTokens(open);
    describeParallel(open);
    describeTakingBack(open);
  });
}

function describeRequests(open: OpenRateLimits): void {
  test('as many requests as the limit are admitted in a minute, of many at once too', async (t) => {
    const { claim, clock } = await begin(open, t);
    const all = await Promise.all(Array.from({ length: 50 }, () => claim([key({ requestsPerMinute: 20 })])));
    assert.equal(all.filter(isAdmitted).length, 20);
    const refused = all.find((one) => !one.outcome.admitted)?.outcome;
    assert.deepEqual(refused, {
      admitted: false,
      subject: 'key',
      metric: 'requests',
      limit: 20,
      used: 20,
      fitsAt: start + 61_000,
    });
    clock.time = start + 60_999;
    assert.equal((await claim([key({ requestsPerMinute: 20 })])).outcome.admitted, false);
    clock.time = start + 61_000;
    assert.equal((await claim([key({ requestsPerMinute: 20 })])).outcome.admitted, true);
  });

  test('a refused request counts against no limit, and the limit that frees last is named', async (t) => {
    const { claim, clock } = await begin(open, t);
    const both = [key({ requestsPerMinute: 1 }), account({ requestsPerMinute: 2 })];
    const other = [key({ id: 'k2', requestsPerMinute: 9 }), account({ requestsPerMinute: 2 })];
    assert.ok(isAdmitted(await claim(both)));
    clock.time += 10_000;
    const { outcome } = await claim(both);
    assert.partialDeepStrictEqual(outcome, { admitted: false, subject: 'key', fitsAt: start + 61_000 });
    assert.ok(isAdmitted(await claim(other)), 'the refusal did not use up the limit of the account');
    assert.partialDeepStrictEqual((await claim(other)).outcome, {
      admitted: false,
      subject: 'account',
      used: 2,
    });
  });

  test('never more than the limit in any 60 seconds, and nobody waits more than a second too long', async (t) => {
    const limit = 5;
    const steps = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 20, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(steps, async (waits) => {
        const { claim, clock } = await begin(open, t);
        const admitted: number[] = [];
        for (const wait of waits) {
          clock.time += wait;
          const now = clock.time;
          const { outcome } = await claim([key({ requestsPerMinute: limit })]);
          const within = (span: number) => admitted.filter((time) => time > now - span).length;
          if (outcome.admitted) {
            assert.ok(within(60_000) < limit);
            admitted.push(now);
          } else assert.ok(within(61_000) >= limit);
        }
      }),
      { numRuns: 20 },
    );
  });
}

function describeTokens(open: OpenRateLimits): void {
  test('reserved tokens count, the rest is given back, and what was used beyond them counts too', async (t) => {
    const { claim, clock } = await begin(open, t);
    const limited = [key({ tokensPerMinute: 1000 })];
    const first = await claim(limited, 900);
    assert.ok(isAdmitted(first));
    assert.ok(!isAdmitted(await claim(limited, 200)));
    await first.settle(300);
    const second = await claim(limited, 200);
    assert.ok(isAdmitted(second));
    clock.time += 5_000;
    await second.settle(700);
    const refused = (await claim(limited, 1)).outcome;
    assert.deepEqual(refused, {
      admitted: false,
      subject: 'key',
      metric: 'tokens',
      limit: 1000,
      used: 1000,
      fitsAt: start + 61_000,
    });
    assert.ok(isAdmitted(await claim(limited, 0)), 'no tokens fit a full limit');
  });

  test('a request above the limit by itself never fits', async (t) => {
    const { claim } = await begin(open, t);
    assert.partialDeepStrictEqual((await claim([key({ tokensPerMinute: 10 })], 11)).outcome, {
      admitted: false,
      metric: 'tokens',
      used: 0,
      fitsAt: undefined,
    });
  });

  test('tokens given back after their minute change nothing', async (t) => {
    const { claim, clock } = await begin(open, t);
    const limited = [key({ tokensPerMinute: 100 })];
    const old = await claim(limited, 100);
    clock.time += 61_000;
    assert.ok(isAdmitted(await claim(limited, 100)));
    await old.settle(0);
    assert.ok(!isAdmitted(await claim(limited, 1)));
  });
}

function describeParallel(open: OpenRateLimits): void {
  test('a place is free once its request ends', async (t) => {
    const { claim } = await begin(open, t);
    const limited = [key({ parallel: 2 }), account({ parallel: 9 })];
    const running = await Promise.all([claim(limited), claim(limited), claim(limited)]);
    assert.deepEqual(running.map(isAdmitted), [true, true, false]);
    assert.partialDeepStrictEqual(running[2].outcome, {
      subject: 'key',
      metric: 'parallel',
      limit: 2,
      used: 2,
      fitsAt: start + 1000,
    });
    await running[0].settle(0);
    assert.ok(isAdmitted(await claim(limited)));
    assert.ok(!isAdmitted(await claim(limited)));
  });

  test('a place whose process died is free after its lease, one that is renewed is not', async (t) => {
    const { claim, clock } = await begin(open, t);
    const limited = [key({ parallel: 2 })];
    await claim(limited, 0, 10_000);
    const alive = await claim(limited, 0, 10_000);
    clock.time += 9_000;
    await alive.renew();
    assert.ok(!isAdmitted(await claim(limited)));
    clock.time += 2_000;
    assert.ok(isAdmitted(await claim(limited)));
    assert.ok(!isAdmitted(await claim(limited)));
  });
}

function describeTakingBack(open: OpenRateLimits): void {
  const all = [
    key({ requestsPerMinute: 1, tokensPerMinute: 10, parallel: 1 }),
    account({ tokensPerMinute: 99 }),
  ];

  test('a claim that is withdrawn counts nowhere', async (t) => {
    const { claim, clock } = await begin(open, t);
    const first = await claim(all, 10);
    clock.time += 5_000;
    assert.ok(!isAdmitted(await claim(all, 10)));
    await first.withdraw();
    const second = await claim(all, 10);
    assert.ok(isAdmitted(second));
    clock.time += 61_000;
    await second.withdraw();
    assert.ok(isAdmitted(await claim(all, 10)));
    assert.ok(!isAdmitted(await claim(all, 10)), 'what is no longer counted is not taken from what is');
  });

  test('looking tells what a claim would get, and counts nothing', async (t) => {
    const { claim, look } = await begin(open, t);
    assert.deepEqual(await look(all, 10), { admitted: true, second: start / 1000 });
    assert.deepEqual(await look(all, 10), { admitted: true, second: start / 1000 });
    assert.partialDeepStrictEqual(await look(all, 11), { metric: 'tokens', fitsAt: undefined });
    await claim(all, 10);
    const { outcome } = await claim(all, 10);
    assert.deepEqual(await look(all, 10), outcome);
    assert.ok(!outcome.admitted);
  });
}
