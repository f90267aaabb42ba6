import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { uptimeFailures } from '../../src/ports/endpoint-statistics.ts';
import { type Hour, type Kind, type NorthOutcome, phases, playHour, type Slug } from './health-hour.ts';

const minute = 60_000;
const second = 1_000;

describe('an hour in which one provider slows, fails, limits and recovers', () => {
  let hour: Hour;
  before(async () => {
    hour = await playHour();
  });

  /** Of the requests of a kind that came in these minutes, the fraction that a provider was the first choice for. */
  const share = (slug: Slug, kind: Kind, from: number, until: number, key: 'first' | 'served' = 'first') => {
    const of = hour.observations.filter(
      ({ at, ...seen }) => seen.kind === kind && at >= from * minute && at < until * minute,
    );
    return of.filter((seen) => seen[key] === slug).length / of.length;
  };
  const span = (name: string, nth = 0) => {
    const { from, until } = phases.filter((phase) => phase.name === name)[nth] ?? assert.fail(name);
    return [from, until] as const;
  };
  const near = (value: number, expected: number, by: number) =>
    assert.ok(Math.abs(value - expected) <= by, `${value} is not near ${expected}`);
  /** The inverse squares of 1, 2 and 3 USD. */
  const whole = 1 + 1 / 4 + 1 / 9;

  test('every request is answered, whatever happens to one provider', () => {
    assert.equal(hour.observations.length, 7200);
  });

  test('while all are well the shares are those of the prices', () => {
    for (const nth of [0, 1]) {
      const [from, until] = span('well', nth);
      near(share('north', 'any', from, until), 1 / whole, 0.06);
      near(share('south', 'any', from, until), 1 / 4 / whole, 0.05);
      near(share('east', 'any', from, until), 1 / 9 / whole, 0.05);
    }
  });

  test('slowness moves only those who mind it, once it is the median of five minutes, and they come back', () => {
    const [from, until] = span('slow');
    near(share('north', 'any', from, until), 1 / whole, 0.06);
    near(share('north', 'prompt', from, from + 2), 1 / whole, 0.1);
    assert.equal(share('north', 'prompt', from + 4, until), 0);
    near(share('south', 'prompt', from + 4, until), 1 / 4 / (1 / 4 + 1 / 9), 0.08);
    near(share('north', 'prompt', until + 4, until + 6), 1 / whole, 0.1);
  });

  test('an outage costs a few first choices every half minute, and none half a minute after its end', () => {
    const [from, until] = span('down');
    assert.ok(share('north', 'any', from, until) < 0.1);
    assert.equal(share('north', 'any', from, until, 'served'), 0);
    near(share('south', 'any', from, until), 1 / 4 / (1 / 4 + 1 / 9), 0.08);
    near(share('north', 'any', until + 0.6, until + 5), 1 / whole, 0.06);
  });

  test('a 429 holds an endpoint back for as long as it says, else for ten seconds', () => {
    for (const [name, wait] of [
      ['429, wait 30 s', 30],
      ['429, no hint', 10],
    ] as const) {
      const [from, until] = span(name);
      const limits = hour.north.filter(
        ({ at, outcome }) => outcome === 'rate_limited' && at >= from * minute && at < until * minute,
      );
      // Requests that were under way together count as one.
      const times = limits
        .map(({ at }) => at)
        .filter((at, index, all) => at - (all[index - 1] ?? 0) > second);
      for (const [index, at] of times.entries()) {
        const gap = at - (times[index - 1] ?? Number.NEGATIVE_INFINITY);
        assert.ok(gap >= wait * second, `${name}: asked again after ${gap} ms`);
      }
      const most = ((until - from) * 60) / wait;
      assert.ok(times.length >= most / 2 && times.length <= most + 1, `${name}: asked ${times.length} times`);
      assert.equal(share('north', 'any', from, until, 'served'), 0);
    }
    const [, until] = span('429, no hint');
    near(share('north', 'any', until + 0.2, until + 4), 1 / whole, 0.08);
  });

  test('once one in twenty of half an hour has failed, those without a blemish get everything', () => {
    const [from, until] = span('one in eight fails');
    const blemished = hour.observations.find(({ at, ranks }) => at > from * minute && ranks.north === 1);
    assert.ok(blemished);
    const left = blemished.at / minute;
    assert.ok(left > from && left < until - 5);
    assert.ok(share('north', 'any', from, left) > 0.4, 'short outages aside it is still the cheapest');
    assert.ok(share('north', 'any', left + 0.5, until) < 0.05);
  });

  test('ranks are those of a list of all outcomes', () => {
    const wrong = hour.observations.filter(({ at, ranks }) => ranks.north !== exactRank(hour.north, at));
    // Windows move in steps of a thirtieth of their length, so a change may come a step early or late.
    assert.ok(wrong.length < hour.observations.length * 0.03, `${wrong.length} differ`);
    assert.ok(hour.observations.every(({ ranks }) => ranks.south === 0 && ranks.east === 0));
  });
});

/** The rank of docs/spec/routing.md#health, read from everything that happened before. */
function exactRank(told: readonly NorthOutcome[], now: number): number {
  const failures: readonly string[] = uptimeFailures;
  const within = (age: number) =>
    told.filter(({ at, outcome }) => {
      return at <= now && at > now - age && (outcome === 'success' || failures.includes(outcome));
    });
  const failed = (of: readonly NorthOutcome[]) => of.filter(({ outcome }) => outcome !== 'success').length;
  const long = within(30 * minute);
  const uptime = long.length < 100 ? 1 : 1 - failed(long) / long.length;
  if (uptime < 0.8) return 3;
  const short = within(30 * second);
  const waits = told.some(({ at, outcome, retryAfter = 10 }) => {
    return outcome === 'rate_limited' && at <= now && now < at + Math.min(retryAfter, 60) * second;
  });
  if (waits || (failed(short) >= 2 && failed(short) >= 0.2 * short.length)) return 2;
  return uptime < 0.95 ? 1 : 0;
}
