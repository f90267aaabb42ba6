import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { demoConfig } from '../scripts/demo/demo-config.ts';
import { addAccounts, drawCalls } from '../scripts/demo/seed.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openDatabase } from '../src/process/open-database.ts';

test('at whatever hour it starts, every key has a call that failed and one that was cancelled within the hour', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-demo-'));
  const file = join(folder, 'headgate.yaml');
  writeFileSync(file, demoConfig(folder, 0));
  const { config } = await loadConfig({ file, environment: {}, directory: folder });
  const storage = await openDatabase(config);
  t.after(async () => {
    await storage.close();
    rmSync(folder, { recursive: true });
  });
  await storage.migrate();
  // Around a change of the month and of the year, and a whole week.
  const start = Date.UTC(2026, 11, 28);
  const { callers } = await addAccounts(storage, start);
  for (let hour = 0; hour < 24 * 7; hour += 1) {
    const now = start + hour * 3_600_000;
    const calls = drawCalls(callers, { catalogue: config.catalogue, now, calls: 20 });
    const recent = calls.filter(({ settledAt }) => settledAt > now - 3_600_000);
    for (const { key } of callers) {
      const own = recent.filter(({ keyHash }) => keyHash === key.hash);
      assert.ok(own.some(({ errorType }) => errorType !== undefined));
      assert.ok(own.some(({ cancelled }) => cancelled));
    }
    assert.ok(calls.every(({ createdAt, settledAt }) => createdAt < settledAt && settledAt < now));
  }
});
