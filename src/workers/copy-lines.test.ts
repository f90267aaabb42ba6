import assert from 'node:assert/strict';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import { copyLines } from './supervise.ts';

test('lines are copied whole, however their bytes come', async () => {
  const text = '{"name":"première"}\n{"name":"日本語"}\n\nthe end without a break';
  for (let size = 1; size <= 12; size += 1) {
    const source = new PassThrough();
    const written: string[] = [];
    copyLines(source, (lines) => written.push(lines));
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; at += size) source.write(bytes.subarray(at, at + size));
    source.end();
    await once(source, 'close');
    assert.equal(written.join(''), `${text}\n`);
    assert.ok(written.every((lines) => lines.endsWith('\n')));
  }
});
