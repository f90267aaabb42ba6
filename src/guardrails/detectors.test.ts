import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  findCreditCards,
  findEmails,
  findIpAddresses,
  findPhones,
  findSocialSecurityNumbers,
} from './detectors/personal-data.ts';
import type { Span } from './span.ts';

type Find = (text: string) => readonly Span[];

function pieces(find: Find, text: string): readonly string[] {
  return find(text).map(({ start, end }) => text.slice(start, end));
}

function finds(find: Find, values: readonly string[], others: readonly string[]): void {
  for (const value of values) {
    for (const text of [value, `Say ${value}, please.`, `(${value})`, `x="${value}"`, `${value}\n${value}`]) {
      const expected = text.split(value).length - 1;
      assert.deepEqual(pieces(find, text), Array<string>(expected).fill(value), text);
    }
  }
  for (const text of others) assert.deepEqual(pieces(find, text), [], text);
}

test('addresses of mail', () => {
  finds(
    findEmails,
    ['jane@example.com', 'jane.doe+tag@mail.example.co.uk', 'o_neill-x@sub.example.io', 'Jörg@münchen.de'],
    ['jane@', '@jane', 'jane@host', 'a @ b.com', 'user@1.2', '@decorator', 'git@github'],
  );
});

test('phone numbers', () => {
  finds(
    findPhones,
    [
      '5551234567',
      '555-123-4567',
      '555.123.4567',
      '555 123 4567',
      '(555) 123-4567',
      '+1 555 123 4567',
      '1-555-123-4567',
      '+44 20 7946 0958',
      '+49 (30) 1234567',
    ],
    [
      '123456789',
      '12345678901',
      '1795441499',
      '55512345678901',
      '555-1234',
      '2026-11-23',
      '1.555.123.45678',
      '10.0.0.1',
      'abc5551234567def',
      '0f9a8c1e-22b0-4a53-9d1f-155512345671',
    ],
  );
});

test('social security numbers', () => {
  finds(
    findSocialSecurityNumbers,
    ['123-45-6789', '001-01-0001', '772-99-9999'],
    [
      '000-45-6789',
      '666-45-6789',
      '912-45-6789',
      '123-00-6789',
      '123-45-0000',
      '1123-45-6789',
      '123-45-67890',
      '123456789',
    ],
  );
});

test('card numbers with a valid check digit', () => {
  finds(
    findCreditCards,
    [
      '4111111111111111',
      '4111 1111 1111 1111',
      '5500-0000-0000-0004',
      '378282246310005',
      '3782 822463 10005',
      '6011111111111117',
      '4222222222222',
    ],
    [
      '4111111111111112',
      '411111111111',
      '0000000000000000',
      '1234 5678 9012 3456',
      '12345678901234567890123',
    ],
  );
  assert.deepEqual(pieces(findCreditCards, 'Card 4111 1111 1111 1111 123'), ['4111 1111 1111 1111']);
});

test('addresses of both internet protocols', () => {
  finds(
    findIpAddresses,
    [
      '192.168.0.1',
      '8.8.8.8',
      '255.255.255.255',
      '2001:db8::1',
      'fe80::1ff:fe23:4567:890a',
      '::1',
      '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
    ],
    ['256.1.1.1', '1.2.3', '1.2.3.4.5', 'v1.2.3', '12:30:45', 'std::vector', 'a::b::c', '::'],
  );
});

test('detectors take time linear in the text', () => {
  const hostile = ['a@', 'a', '1', '1 ', '1-', '1.', '+1', ':', 'a.', '@', '1:', '(5', 'ab:', '123-45-'];
  for (const find of [findEmails, findPhones, findSocialSecurityNumbers, findCreditCards, findIpAddresses]) {
    for (const word of hostile) {
      // Of the processor, in milliseconds: what else the machine does is no part of it.
      const time = (length: number) => {
        const text = word.repeat(length / word.length);
        const before = process.threadCpuUsage();
        find(text);
        return process.threadCpuUsage(before).user / 1000;
      };
      time(10_000);
      const [short, long] = [Math.min(time(32_768), time(32_768)), Math.min(time(262_144), time(262_144))];
      assert.ok(long < Math.max(short, 3) * 32, `${find.name} on ${word}: ${short} ms, then ${long} ms`);
    }
  }
});
