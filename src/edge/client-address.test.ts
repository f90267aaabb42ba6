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
