import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { startProgram, untilFinished } from '../../test/e2e/support/programs.ts';
import { eventually } from '../../test/support/eventually.ts';
import type { WorkerSnapshot } from '../metrics/metric-family.ts';

const script = join(import.meta.dirname, '../../test/support/supervised-server.ts');

test('any worker reports the metrics of all, and of the others when one hangs', async (t) => {
  const program = startProgram(process.execPath, [script, '0', '3', '1000'], { env: process.env });
  t.after(async () => {
    program.child.kill('SIGTERM');
    await untilFinished(program);
  });
  await eventually('three workers', () => program.stdout.includes('the workers are ready'));
  const port = /"port":(\d+)/.exec(program.stdout)?.[1];
  const ask = async (): Promise<readonly WorkerSnapshot[]> => {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { connection: 'close' } });
    return (await response.json()) as readonly WorkerSnapshot[];
  };
  const [first, again] = [await ask(), await ask()];
  const ids = first.map(({ worker }) => worker);
  assert.equal(new Set(ids).size, 3);
  assert.deepEqual(
    again.map(({ worker }) => worker),
    ids,
  );
  for (const { worker, snapshot } of first) {
    assert.deepEqual(snapshot, { pid: [{ labels: [], value: worker }] });
  }
  const [hanging = 0] = ids;
  process.kill(hanging, 'SIGSTOP');
  // One connection in three goes to the worker that hangs, and nobody answers there.
  const told = await Promise.race([ask(), ask()]);
  assert.deepEqual(told.map(({ worker }) => worker).sort(), ids.slice(1).sort());
  process.kill(hanging, 'SIGKILL');
});
