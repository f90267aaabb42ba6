import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from '../util/address-list.ts';
import { FailedAuthentications } from './failed-authentications.ts';

const start = Date.UTC(2026, 10, 23);

function setUp(perMinute = 3) {
  const counts = { rejected: 0, throttled: 0 };
  const failures = new FailedAuthentications(
    () => perMinute,
    (reason) => {
      counts[reason] += 1;
    },
  );
  const isAdmitted = (address: string, now: number) => {
    try {
      failures.admitLookup(address, now);
      return true;
    } catch {
      return false;
    }
  };
  return { failures, counts, isAdmitted };
}

test('after too many failures of an address it has one lookup a second, until the minute is over', () => {
  const { failures, counts, isAdmitted } = setUp();
  for (let at = 0; at < 3; at += 1) {
    assert.equal(isAdmitted('10.0.0.1', start), true);
    failures.failed('10.0.0.1', start);
  }
  assert.equal(isAdmitted('10.0.0.1', start + 10), false);
  assert.equal(isAdmitted('10.0.0.2', start + 10), true, 'another address');
  assert.equal(isAdmitted('10.0.0.1', start + 1_000), true);
  assert.equal(isAdmitted('10.0.0.1', start + 1_500), false);
  assert.equal(isAdmitted('10.0.0.1', start + 60_000), true);
  assert.equal(isAdmitted('10.0.0.1', start + 60_001), true);
  assert.deepEqual(counts, { rejected: 3, throttled: 2 });
});

test('zero switches it off, and so many networks are remembered at most', () => {
  const off = setUp(0);
  for (let at = 0; at < 100; at += 1) off.failures.failed('10.0.0.1', start);
  assert.equal(off.isAdmitted('10.0.0.1', start), true);
  const full = setUp(1);
  full.failures.failed('first', start);
  assert.equal(full.isAdmitted('first', start), false);
  for (let at = 0; at < 10_000; at += 1) full.failures.failed(`net-${at}`, start);
  assert.equal(full.isAdmitted('first', start), true, 'it is forgotten');
  assert.equal(full.isAdmitted('net-9999', start), false);
});

test('an IPv6 customer is a /64 network', () => {
  const cases = [
    ['192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:DB8:0:00::2', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0'],
  ] as const;
  for (const [address, network] of cases) assert.equal(networkOf(address), network);
});
