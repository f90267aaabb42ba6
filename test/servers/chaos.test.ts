import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatReport } from '../../scripts/chaos/report.ts';
import { runChaos } from '../../scripts/chaos/run-chaos.ts';

test('through kills, restarts and cuts of a minute nothing is lost, charged twice, held or hung', {
  timeout: 280_000,
}, async (t) => {
  const seed = 7;
  const report = await runChaos(
    { minutes: 1, seed, clients: 12, onFailure: 'reject', sentinels: false },
    (line) => t.diagnostic(line),
  );
  t.diagnostic(formatReport(report));
  for (const [name, found] of Object.entries(report.findings)) assert.deepEqual(found, [], name);
  assert.ok(report.complete > 200, 'there was load');
  assert.ok(report.troubles.length >= 5, 'there were troubles');
});
