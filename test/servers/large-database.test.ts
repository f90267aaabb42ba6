import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatReport } from '../../scripts/large-database/report.ts';
import { runLargeDatabase } from '../../scripts/large-database/run-large-database.ts';

test('calls that are loaded in bulk can be asked everything, and the books come out even', async () => {
  const options = { rows: 20_000, details: 'full', samples: 2, forgetsFiles: false, keep: false } as const;
  const report = await runLargeDatabase(options, () => undefined);
  // Equally many each day: what is left over of them may be one a day.
  assert.ok(Math.abs(report.calls - options.rows) <= 366, `${report.calls} calls`);
  assert.ok(report.dailyRows > 0 && report.dailyRows <= report.calls);
  assert.deepEqual(
    report.figures.filter(({ failure }) => failure !== undefined),
    [],
  );
  const verified = report.figures.at(-1);
  assert.equal(verified?.name, '`ledger verify`');
  assert.match(formatReport(report), /^\| a call by its id \| [0-9.,]+ \|/m);
});
