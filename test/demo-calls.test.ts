import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { demoConfig } from '../scripts/demo/demo-config.ts';
import { addAccounts, drawCalls } from '../scripts/demo/seed.ts';
import { loadConfig } from '../src/config/load-config.ts';
import { openDatabase } from '../src/process/open-database.ts';

test('at whatever hour it starts, a small demonstration has calls of every fate', async (t) => {
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
    const calls = drawCalls(callers, {
      catalogue: config.catalogue,
      now: start + hour * 3_600_000,
      calls: 200,
    });
    const failed = calls.filter(({ errorType }) => errorType !== undefined).length;
    const cancelled = calls.filter(({ cancelled }) => cancelled).length;
    assert.ok(failed >= 2 && cancelled >= 2, `hour ${hour}: ${failed} failed, ${cancelled} cancelled`);
  }
});
