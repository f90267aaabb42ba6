import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LargeDatabaseOptions } from '../../scripts/large-database/options.ts';
import { formatReport } from '../../scripts/large-database/report.ts';
import { runLargeDatabase } from '../../scripts/large-database/run-large-database.ts';
import { runLargeSqlite } from '../../scripts/large-database/run-large-sqlite.ts';

for (const engine of ['postgres', 'sqlite'] as const) {
  test(`calls that are loaded in bulk can be asked everything, and the books come out even: ${engine}`, async () => {
    const rows = 20_000;
    const options: LargeDatabaseOptions = {
      engine,
      rows,
      details: 'full',
      samples: 2,
      forgetsFiles: false,
      keep: false,
    };
    const run = engine === 'sqlite' ? runLargeSqlite : runLargeDatabase;
    const report = await run(options, () => undefined);
    // Equally many each day: what is left over of them may be one a day.
    assert.ok(Math.abs(report.calls - rows) <= 366, `${report.calls} calls`);
    if (engine === 'postgres')
      assert.ok((report.dailyRows ?? 0) > 0 && (report.dailyRows ?? 0) <= report.calls);
    assert.deepEqual(
      report.figures.filter(({ failure }) => failure !== undefined),
      [],
    );
    const verified = report.figures.at(-1);
    assert.equal(verified?.name, '`ledger verify`');
    assert.match(formatReport(report), /^\| a call by its id \| [0-9.,]+ \|/m);
  });
}
