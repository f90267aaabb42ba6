import assert from 'node:assert/strict';
import { test } from 'node:test';
import { coreParts, partNames, readOptions } from './options.ts';

test('a report for people shows everything, with the other gateway beside', () => {
  const options = readOptions([]);
  assert.deepEqual(options?.parts, partNames);
  assert.equal(options?.portkey, true);
});

test('JSON and quick runs measure what compares with the bare proxy', () => {
  for (const flag of ['--json', '--quick']) {
    const options = readOptions([flag]);
    assert.deepEqual(options?.parts, coreParts);
    assert.equal(options?.portkey, false);
  }
  assert.deepEqual(readOptions(['--json', '--all'])?.parts, partNames);
});

test('parts are chosen by name, in the order of the report', () => {
  const options = readOptions(['--only', 'memory', '--only', 'streamed', '--portkey']);
  assert.deepEqual(options?.parts, ['streamed', 'memory']);
  assert.equal(options?.portkey, true);
  assert.throws(() => readOptions(['--only', 'everything']), /must be one of/);
});

test('another gateway is measured only in what compares gateways', () => {
  const options = readOptions(['--target', 'http://127.0.0.1:1/v1/responses']);
  assert.deepEqual(options?.parts, coreParts);
  assert.equal(options?.isHeadgate, false);
  assert.throws(() => readOptions(['--against-itself', '--only', 'scale']), /must be one of/);
});

test('the code of another checkout takes the place of the bare proxy, without goals', () => {
  const options = readOptions(['--before', '../old']);
  assert.equal(options?.yardstick.name, 'before');
  assert.equal(options?.subject.name, 'headgate');
  assert.deepEqual(options?.parts, coreParts);
  assert.equal(options?.isHeadgate, false);
});
