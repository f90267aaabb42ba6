import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientAddress } from './client-address.ts';

const from = (remoteAddress: string | undefined, forwarded?: string) => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
  socket: { remoteAddress },
});

test('what a header says of the client counts only where a proxy is trusted', () => {
  assert.equal(clientAddress(from('192.0.2.1', '203.0.113.9'), false), '192.0.2.1');
  assert.equal(clientAddress(from('::ffff:192.0.2.1'), false), '192.0.2.1');
  assert.equal(clientAddress(from(undefined), false), undefined);
  assert.equal(clientAddress(from('10.0.0.1', '203.0.113.9'), true), '203.0.113.9');
  assert.equal(clientAddress(from('10.0.0.1'), true), '10.0.0.1');
});

test('behind several proxies it is the last address that is not private, whatever the client wrote before it', () => {
  for (const [forwarded, expected] of [
    ['1.1.1.1, 203.0.113.9, 10.1.2.3', '203.0.113.9'],
    ['1.1.1.1,2001:db8::7, fd00::1,172.20.0.2', '2001:db8::7'],
    ['192.168.1.20, 10.1.2.3', '192.168.1.20'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['[2001:db8::7]:443', '2001:db8::7'],
    ['1.1.1.1, unknown, 10.1.2.3', '10.1.2.3'],
    ['<script>', '10.0.0.1'],
    ['', '10.0.0.1'],
  ] as const) {
    assert.equal(clientAddress(from('10.0.0.1', forwarded), true), expected, forwarded);
  }
});

test('of listed proxies each is skipped from the right, and the first that is not listed is the client', () => {
  const proxies = ['10.0.0.0/24', 'fd00::/16', '198.51.100.7'];
  for (const [peer, forwarded, expected] of [
    // A client in a private network writes an address of its own before the one that the proxy adds.
    ['10.0.0.1', '203.0.113.9, 192.168.1.20', '192.168.1.20'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.2, fd00::5, 198.51.100.7', '203.0.113.9'],
    ['::ffff:10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, ::ffff:a00:2', '203.0.113.9'],
    ['10.0.0.1', '[2001:DB8::7]:443, 10.0.0.2:8080', '2001:db8::7'],
    ['10.0.0.1', 'fe80::7%eth0', 'fe80::7'],
    // Whoever asks without a proxy is the client, whatever it writes.
    ['10.0.1.1', '203.0.113.9', '10.0.1.1'],
    ['127.0.0.1', '203.0.113.9', '127.0.0.1'],
    // Nothing is known from a word on that is no address, and nothing at all of a proxy that names nobody.
    ['10.0.0.1', '203.0.113.9, unknown, 10.0.0.2', '10.0.0.2'],
    ['10.0.0.1', '203.0.113.9, ', '10.0.0.1'],
    ['10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    [undefined, '203.0.113.9', undefined],
  ] as const) {
    assert.equal(clientAddress(from(peer, forwarded), proxies), expected, `${peer} ${forwarded}`);
  }
});

test('of so many proxies the client is the one before them, and a request past them its connection', () => {
  const three = '1.1.1.1, 203.0.113.9, 10.1.2.3';
  for (const [hops, forwarded, expected] of [
    [1, three, '10.1.2.3'],
    [2, three, '203.0.113.9'],
    [3, three, '1.1.1.1'],
    [4, three, '192.0.2.1'],
    [1, undefined, '192.0.2.1'],
    [1, '', '192.0.2.1'],
    [1, '203.0.113.9, <script>', '192.0.2.1'],
    [2, '203.0.113.9, <script>', '203.0.113.9'],
  ] as const) {
    assert.equal(clientAddress(from('192.0.2.1', forwarded), hops), expected, `${hops} ${forwarded}`);
  }
});

test('long headers and words are not searched for more than there can be proxies', () => {
  const long = `203.0.113.9, ${Array(5_000).fill('10.0.0.2').join(', ')}`;
  for (const trusted of [true, ['10.0.0.0/8']] as const) {
    assert.equal(clientAddress(from('10.0.0.1', long), trusted), '10.0.0.2');
    assert.equal(clientAddress(from('10.0.0.1', ','.repeat(16_000)), trusted), '10.0.0.1');
    assert.equal(clientAddress(from('10.0.0.1', '['.repeat(16_000)), trusted), '10.0.0.1');
  }
  assert.equal(clientAddress(from('10.0.0.1', long), 64), '10.0.0.2');
});
