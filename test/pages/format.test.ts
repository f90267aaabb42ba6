import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  change,
  duration,
  exactPico,
  exactUsd,
  nanoOf,
  percent,
  perMillion,
  picoOf,
  plain,
  share,
  short,
  tokenPrice,
  usd,
} from '../../dashboard/text/format.ts';
import { fc, property } from './property.ts';

test('amounts have two decimals from a dollar and four figures below', () => {
  const cases = [
    ['0', '$0'],
    ['1', '$0.000000001'],
    ['22437000', '$0.02244'],
    ['600000000', '$0.60'],
    ['999999999', '$1.00'],
    ['1000000000', '$1.00'],
    ['412070000000', '$412.07'],
    ['1234567895000000', '$1,234,567.90'],
    ['-5000000000', '−$5.00'],
  ] as const;
  for (const [nano, text] of cases) assert.equal(usd(nano), text, nano);
  assert.equal(exactUsd('22437000'), '$0.022437000');
  assert.equal(exactUsd('-1234000000001'), '−$1,234.000000001');
});

test('exact amounts lose no digit, however large', () => {
  property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (nano) => {
    const digits = exactUsd(nano).replaceAll(/[$,.]/g, '').replace('−', '-');
    assert.equal(BigInt(digits), nano);
    const pico = exactPico(nano).replaceAll(/[$,]/g, '').replace('−', '-');
    const [whole = '', fraction = ''] = pico.split('.');
    assert.equal(
      BigInt(whole.replace('-', '') + fraction.padEnd(12, '0')) * (pico.startsWith('-') ? -1n : 1n),
      nano,
    );
  });
});

test('amounts to read are off by less than half of their last figure', () => {
  property(fc.bigInt({ min: 1n, max: 10n ** 18n }), (nano) => {
    const shown = Number(usd(nano).replaceAll(/[$,]/g, ''));
    const real = Number(nano) / 1e9;
    assert.ok(Math.abs(shown - real) <= Math.max(0.0050001, 0) && Math.abs(shown - real) / real < 0.006);
  });
});

test('prices are for a million', () => {
  assert.equal(tokenPrice('0.000003'), '$3.00');
  assert.equal(tokenPrice('0.00000015'), '$0.15');
  assert.equal(tokenPrice('-1'), 'varies');
  assert.equal(perMillion(picoOf('0.000015')), '$15.00');
});

test('counts, durations and shares are short and say what they are', () => {
  assert.deepEqual([999, 12_345, 999_999, 1_920_000_000].map(short), ['999', '12.3k', '1M', '1.92G']);
  assert.deepEqual([0.4, 412, 3_100, 65_000, 600_000].map(duration), [
    '0 ms',
    '412 ms',
    '3.1 s',
    '65 s',
    '10 min',
  ]);
  assert.deepEqual([0, 0.00001, 0.008, 0.0123, 0.614].map(percent), ['0%', '<0.01%', '0.8%', '1.2%', '61%']);
  assert.equal(share(1, 0), '–');
  assert.equal(change(3, 2), 0.5);
  assert.equal(change(3, 0), undefined);
  assert.equal(nanoOf(0.1 + 0.2), 300_000_000n);
});

test('characters that hide or reorder others are written out', () => {
  assert.equal(plain('user\u202egnp.exe'), 'user\\u202egnp.exe');
  assert.equal(plain('a\u0000b\u2066c'), 'a\\u0000b\\u2066c');
  assert.equal(plain('名前 مرحبا 👋'), '名前 مرحبا 👋');
});
