import { setTimeout as sleep } from 'node:timers/promises';
import { IsolatedProcesses } from '../../src/isolation/isolated-processes.ts';
import { isolatedTask } from '../../src/isolation/isolated-task.ts';

/* A process whose child works without end; it sends the child's id once it does. */

const isolated = new IsolatedProcesses();
const task = isolatedTask<number, never>(import.meta.url, './isolated-work', 'spin');
void isolated.run(task, 0, { time: 600_000, owner: 'one', bytes: 0 });
// Until the child has loaded the function.
await sleep(1_000);
process.send?.(isolated.pids[0]);
