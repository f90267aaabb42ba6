import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { keptProcesses, type ProcessReport, processMemory } from '../../src/ports/processes.ts';
import type { OpenStorage } from './fixtures.ts';

function reportOf(id: string, changes: Partial<ProcessReport> = {}): ProcessReport {
  return {
    id,
    host: 'box',
    pid: 7,
    version: '1.2.3',
    startedAt: 1_000,
    seenAt: 2_000,
    figures: {
      node: '26.0.0',
      state: 'ready',
      dependencies: { database: 'ok' },
      running: 3,
      streams: 1,
      waitingCharges: 0,
      databaseTime: 0.25,
      memory: { resident: 9_000_000_000, heapUsed: 2, heapLimit: 3 },
      cpu: 0.5,
      loopBusy: 0.25,
      loopDelay: null,
    },
    ...changes,
  };
}

/** What processes report of themselves (docs/spec/operations.md#processes). */
export function describeProcesses(name: string, open: OpenStorage): void {
  describe(`processes: ${name}`, () => {
    test('the last report of each counts, in the order of their starts; one that leaves is gone', async (t) => {
      const { processes } = await open(t);
      const late = reportOf('late', { startedAt: 1_500 });
      await processes.report(late);
      await processes.report(reportOf('early'));
      const again = reportOf('early', { seenAt: 7_000 });
      await Promise.all([1, 2, 3].map(() => processes.report(again)));
      assert.deepEqual(await processes.list(), [again, late]);
      await processes.leave('early');
      await processes.leave('never there');
      assert.deepEqual(await processes.list(), [late]);
      await processes.report(reportOf('other', { figures: undefined }));
      assert.equal((await processes.list())[0]?.figures, undefined);
    });

    test('those not heard of for an hour are forgotten, and the oldest of too many', async (t) => {
      const { processes } = await open(t);
      const from = 10_000;
      for (let n = 0; n < keptProcesses + 2; n += 1)
        await processes.report(reportOf(`p${n}`, { startedAt: n, seenAt: from + n }));
      await processes.prune(from + 2);
      const kept = await processes.list();
      assert.deepEqual([kept.length, kept[0]?.id], [keptProcesses, 'p2']);
      await processes.prune(from + keptProcesses + processMemory);
      assert.deepEqual(
        (await processes.list()).map(({ id }) => id),
        [`p${keptProcesses + 1}`],
      );
    });
  });
}
