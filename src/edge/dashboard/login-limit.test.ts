import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HeadgateError } from '../../core/errors.ts';
import { type EndAttempt, LoginLimit } from './login-limit.ts';

const start = Date.UTC(2026, 10, 27, 12, 0, 30);
const minute = 60_000;

/** Ends an attempt that was admitted, or says how many seconds an address must wait. */
function admit(limit: LoginLimit, address: string, now = start): EndAttempt | number {
  try {
    return limit.admit(address, now);
  } catch (error) {
    assert.ok(error instanceof HeadgateError && error.code === 'platform_rate_limit');
    return error.retryAfter ?? 0;
  }
}

/** Fails to log in; the seconds to wait where it may not even try. */
function fail(limit: LoginLimit, address: string, now = start): number | undefined {
  const end = admit(limit, address, now);
  if (typeof end === 'number') return end;
  end(true, now);
  return undefined;
}

const times = <Result>(count: number, run: (n: number) => Result) =>
  Array.from({ length: count }, (_, n) => run(n));

test('an address has five failures a minute and thirty an hour', () => {
  const limit = new LoginLimit();
  assert.deepEqual(
    times(7, () => fail(limit, '192.0.2.1')),
    [...Array(5).fill(undefined), 30, 30],
  );
  for (let later = 1; later <= 5; later += 1)
    times(5, () => fail(limit, '192.0.2.1', start + later * minute));
  assert.equal(fail(limit, '192.0.2.1', start + 6 * minute), 60 * 60 - 6 * 60 - 30, 'until the hour is over');
  assert.equal(fail(limit, '192.0.2.2', start + 6 * minute), undefined);
  assert.equal(fail(limit, '192.0.2.1', start + 60 * minute), undefined);
});

test('what is not decided counts, what succeeds does not, and what ends in a later minute counts there', () => {
  const limit = new LoginLimit();
  const running = times(5, () => admit(limit, '192.0.2.1'));
  assert.equal(admit(limit, '192.0.2.1'), 1, 'it may soon be given back');
  for (const end of running.slice(0, 4)) if (typeof end !== 'number') end(false, start);
  const again = times(5, () => admit(limit, '192.0.2.1'));
  assert.deepEqual(
    again.map((one) => typeof one),
    [...Array(4).fill('function'), 'number'],
  );
  const last = running[4];
  assert.ok(typeof last === 'function');
  last(true, start + minute);
  last(false, start + minute);
  for (const end of again) if (typeof end === 'function') end(false, start + minute);
  times(4, () => fail(limit, '192.0.2.1', start + minute));
  assert.equal(fail(limit, '192.0.2.1', start + minute), 30);
});

test('beyond 120 failures in all an address that failed waits, and no other does', () => {
  const limit = new LoginLimit();
  times(120, (n) => fail(limit, `192.0.2.${n}`));
  assert.equal(fail(limit, '192.0.2.7'), 30);
  const others = times(5, () => admit(limit, '198.51.100.1'));
  assert.ok(others.every((one) => typeof one === 'function'));
  assert.equal(fail(limit, '198.51.100.2'), undefined);
  assert.equal(fail(limit, '198.51.100.2'), 30);
  assert.equal(fail(limit, '192.0.2.7', start + minute), undefined, 'the minute is over');
});

test('an IPv6 /64 network is one address, and so is an address in all its forms', () => {
  const limit = new LoginLimit();
  assert.deepEqual(
    times(6, (n) => fail(limit, `2001:db8:1:2:${n}::${n}`)),
    [...Array(5).fill(undefined), 30],
  );
  assert.equal(fail(limit, '2001:db8:1:3::1'), undefined);
});

test('so many addresses are remembered, the latest ones, and those that succeed not at all', () => {
  const limit = new LoginLimit();
  times(5, () => fail(limit, '192.0.2.1'));
  const address = (n: number) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
  for (let n = 0; n < 20_000; n += 1) {
    const end = admit(limit, address(n));
    if (typeof end !== 'number') end(false, start);
  }
  assert.equal(fail(limit, '192.0.2.1'), 30, 'it is remembered');
  for (let n = 0; n < 10_000; n += 1) fail(limit, address(n), start);
  assert.equal(fail(limit, address(9_999)), 30);
  assert.equal(fail(limit, '192.0.2.1'), undefined, 'it is forgotten');
});

test('a key that works logs in thirty times a minute', () => {
  const limit = new LoginLimit();
  const logIn = (hash: string, now = start) => limit.admitKey({ key: { hash } }, now);
  times(30, () => logIn('k'));
  assert.throws(() => logIn('k'), /A key has 30 logins a minute\./);
  logIn('other');
  logIn('k', start + minute);
});
