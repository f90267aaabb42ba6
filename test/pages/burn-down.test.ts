import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { burnDown, type LimitFacts } from '../../dashboard/charts/burn-down-data.ts';
import { burnDownWords, inBothZones } from '../../dashboard/charts/burn-down-words.ts';

const hour = 3_600_000;
const day = 24 * hour;
const midnight = Date.UTC(2026, 10, 26);
const dollar = 1_000_000_000n;

/** A limit of ten dollars a day, of which two were used within six hours. */
const facts: LimitFacts = {
  limit: 10n * dollar,
  usedBefore: 0n,
  starts: [0, 1, 2, 3, 4, 5].map((at) => midnight + at * hour),
  used: [0n, dollar, 0n, 0n, 0n, dollar],
  usedInWeek: 56n * dollar,
  step: hour,
  now: midnight + 6 * hour - 1,
  end: midnight + day,
};

test('what is left falls by what was used; evenly it would end with the window', () => {
  const { starts, left, even, expected, leftNow, usedUpAt, leftAtEnd } = burnDown(facts);
  assert.equal(starts.length, 24);
  assert.deepEqual(
    left.slice(0, 7).map((amount) => amount && amount / dollar),
    [10n, 9n, 9n, 9n, 9n, 8n, undefined],
  );
  assert.deepEqual([even[11], even[23]], [5n * dollar, 0n]);
  assert.equal(expected[4], undefined);
  assert.equal(expected[5], leftNow);
  assert.equal(usedUpAt, undefined);
  // Eight dollars a day are six in what is left of it, less a rounding of the last millisecond.
  assert.ok(leftAtEnd !== undefined && leftAtEnd <= 2n * dollar && leftAtEnd > 2n * dollar - 1_000_000n);
});

test('a pace that is too fast ends before the window, and is drawn to nothing', () => {
  const found = burnDown({ ...facts, limit: 4n * dollar });
  const at = found.usedUpAt ?? 0;
  assert.ok(Math.abs(at - (midnight + 12 * hour)) < 10);
  const drawn = found.expected.filter((amount) => amount !== undefined);
  assert.deepEqual([drawn.at(-1), drawn.length], [0n, 7]);
  assert.equal(
    burnDownWords(found, {
      limit: 4n * dollar,
      now: facts.now,
      end: facts.end,
      zone: 'Europe/Berlin',
      limitZone: 'UTC',
    }),
    '$2.00 left of $4.00; at the pace of 7 days used up on 26 Nov, 12:00 UTC (13:00 your time). It resets on 27 Nov, 00:00 UTC (01:00 your time).',
  );
});

test('what is used up, unused or without a window says so', () => {
  const words = (change: Partial<LimitFacts>) => {
    const all = { ...facts, ...change };
    return burnDownWords(burnDown(all), {
      limit: all.limit,
      now: all.now,
      end: all.end,
      zone: 'UTC',
      limitZone: 'UTC',
    });
  };
  assert.equal(words({ limit: dollar }), '$0 left of $1.00: used up. It resets on 27 Nov, 00:00 UTC.');
  assert.equal(
    words({ used: facts.used.map(() => 0n), usedInWeek: 0n }),
    '$10.00 left of $10.00; nothing was spent in the last 7 days. It resets on 27 Nov, 00:00 UTC.',
  );
  const starts = [0, 1, 2].map((at) => midnight + (at - 2) * day);
  const unlimited = { starts, used: [0n, dollar, dollar], step: day, end: undefined };
  // Days without use count: two dollars in seven days, and five are left.
  assert.equal(
    words({ ...unlimited, usedBefore: 3n * dollar, usedInWeek: 2n * dollar }),
    '$5.00 left of $10.00; at the pace of 7 days used up on 13 Dec 2026 (UTC). It never resets.',
  );
  assert.equal(
    words({ ...unlimited, used: [0n, 0n, 0n], usedInWeek: 0n, usedBefore: dollar }),
    '$9.00 left of $10.00; nothing was spent in the last 7 days. It never resets.',
  );
});

test('a limit without a window is drawn ahead to the day that nothing is left, at most 30', () => {
  const starts = [0, 1].map((at) => midnight + (at - 1) * day);
  const found = (limit: bigint) =>
    burnDown({
      ...facts,
      limit,
      starts,
      used: [dollar, dollar],
      usedInWeek: 7n * dollar,
      step: day,
      end: undefined,
    });
  const soon = found(4n * dollar);
  assert.equal(soon.expected.at(-1), 0n);
  assert.ok(soon.starts.length < 6);
  assert.equal(
    soon.even.every((amount) => amount === undefined),
    true,
  );
  const late = found(1_000_000n * dollar);
  assert.ok(late.starts.length <= 33 && late.starts.length > 30);
  assert.equal(late.usedUpAt, undefined);
});

test('times of the reader stand beside those of UTC where they differ', () => {
  assert.equal(inBothZones(midnight, { zone: 'UTC', limitZone: 'UTC' }), '26 Nov, 00:00 UTC');
  assert.equal(
    inBothZones(midnight, { zone: 'Europe/Berlin', limitZone: 'UTC' }),
    '26 Nov, 00:00 UTC (01:00 your time)',
  );
  assert.equal(
    inBothZones(midnight, { zone: 'America/New_York', limitZone: 'UTC' }),
    '26 Nov, 00:00 UTC (25 Nov, 19:00 your time)',
  );
});

test('nothing is lost or made: what is left and what was used are the limit, until nothing is left', () => {
  const amounts = fc.array(fc.bigInt({ min: 0n, max: 5n * dollar }), { minLength: 1, maxLength: 24 });
  fc.assert(
    fc.property(amounts, fc.bigInt({ min: 0n, max: 40n * dollar }), (used, limit) => {
      const starts = used.map((_, at) => midnight + at * hour);
      const now = midnight + used.length * hour - 1;
      const sum = used.reduce((all, amount) => all + amount, 0n);
      const found = burnDown({ ...facts, limit, starts, used, usedInWeek: sum * 3n, now });
      assert.equal(found.leftNow, sum > limit ? 0n : limit - sum);
      assert.equal(found.starts.length, 24);
      const drawn = found.expected.filter((amount) => amount !== undefined);
      assert.ok(drawn.every((amount, at) => at === 0 || amount <= (drawn[at - 1] ?? 0n)));
      if (found.usedUpAt !== undefined) assert.ok(found.usedUpAt > now && found.usedUpAt <= midnight + day);
      if (found.usedUpAt === undefined && drawn.length > 0) assert.equal(drawn.length, 25 - used.length);
    }),
  );
});
