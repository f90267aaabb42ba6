import assert from 'node:assert/strict';
import { once } from 'node:events';
import { constants, getPriority } from 'node:os';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

test('on Linux, a thread that steps back does so alone', async () => {
  const module = new URL('./step-back.ts', import.meta.url).href;
  const script = `
    import { readlinkSync } from 'node:fs';
    import { getPriority } from 'node:os';
    import { parentPort } from 'node:worker_threads';
    import { stepBack } from '${module}';
    stepBack();
    parentPort.postMessage(getPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1))));
  `;
  const before = getPriority(process.pid);
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(script)}`));
  const [priority] = await once(worker, 'message');
  assert.equal(priority, constants.priority.PRIORITY_BELOW_NORMAL);
  assert.equal(getPriority(process.pid), before);
  await worker.terminate();
});
