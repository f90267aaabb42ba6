import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listsAddress, readAddressEntry } from './address-list.ts';

test('entries are read into their canonical form, IPv4-mapped ones as IPv4', () => {
  const entries = [
    ['192.0.2.7', '192.0.2.7'],
    [' 10.0.0.0/8 ', '10.0.0.0/8'],
    ['0.0.0.0/0', '0.0.0.0/0'],
    ['2001:DB8:0:0::1', '2001:db8::1'],
    ['2001:db8::/32', '2001:db8::/32'],
    ['::/0', '::/0'],
    ['::ffff:10.1.2.3', '10.1.2.3'],
    ['::ffff:a01:203', '10.1.2.3'],
    ['::FFFF:10.0.0.0/104', '10.0.0.0/8'],
    ['0:0:0:0:0:ffff:10.0.0.1/128', '10.0.0.1/32'],
  ] as const;
  for (const [text, read] of entries) assert.equal(readAddressEntry(text), read);
});

test('what is neither address nor network is refused', () => {
  const bad = [
    '',
    'example.com',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '010.0.0.1',
    '2001:db8::/129',
    '::ffff:10.0.0.0/95',
    'fe80::1%eth0',
    '[::1]',
    '10.0.0.1:80',
  ];
  for (const text of bad) assert.throws(() => readAddressEntry(text), RangeError, text);
});

test('an address is listed by itself, by its network and in either spelling', () => {
  const list = ['192.0.2.7', '10.1.2.3/8', '2001:db8::/32', '::1'];
  const inside = [
    '192.0.2.7',
    '::ffff:192.0.2.7',
    '::ffff:c000:207',
    '10.255.0.1',
    '2001:db8:ffff::9',
    '::1',
  ];
  const outside = [
    '192.0.2.8',
    '11.0.0.1',
    '2001:db9::1',
    '::2',
    '::',
    '0.0.0.1',
    'fe80::1%eth0',
    'x',
    undefined,
  ];
  for (const address of inside) assert.equal(listsAddress(list, address), true, address);
  for (const address of outside) assert.equal(listsAddress(list, address), false, String(address));
  assert.equal(listsAddress(['::/0'], '2001:db8::1'), true);
  assert.equal(listsAddress(['0.0.0.0/0'], '::ffff:10.0.0.1'), true);
});
