import assert from 'node:assert/strict';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { LogDestination } from './create-log.ts';

const written = (log: LogDestination) => new Promise<void>((resolve) => log.flush(resolve));

test('lines come whole and in order, at once when flushed, and when enough were gathered', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'log-'));
  const path = join(directory, 'log');
  const descriptor = openSync(path, 'w');
  try {
    const log = new LogDestination(descriptor);
    const lines = Array.from({ length: 5_000 }, (_, count) => `{"line":${count},"text":"größer"}\n`);
    for (const line of lines.slice(0, 4_000)) log.write(line);
    await written(log);
    assert.equal(readFileSync(path, 'utf8'), lines.slice(0, 4_000).join(''));
    for (const line of lines.slice(4_000)) log.write(line);
    await written(log);
    assert.equal(readFileSync(path, 'utf8'), lines.join(''));
    log.write('last\n');
    log.flushSync();
    assert.ok(readFileSync(path, 'utf8').endsWith('}\nlast\n'));
  } finally {
    closeSync(descriptor);
    rmSync(directory, { recursive: true });
  }
});

test('a full device blocks nobody, and ending does not wait for it', async () => {
  const descriptor = openSync('/dev/full', 'w');
  try {
    const log = new LogDestination(descriptor);
    for (let count = 0; count < 50_000; count += 1)
      log.write(`{"line":${count},"text":"${'x'.repeat(100)}"}\n`);
    await written(log);
    await written(log);
    log.flushSync();
  } finally {
    closeSync(descriptor);
  }
});
