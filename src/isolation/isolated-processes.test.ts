import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { createServer } from 'node:net';
import { after, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { IsolatedProcesses, type IsolationLimits } from './isolated-processes.ts';
import { isolatedTask } from './isolated-task.ts';

const mebi = 1024 * 1024;
const task = <Input, Result>(name: string) =>
  isolatedTask<Input, Result>(import.meta.url, '../../test/support/isolated-work', name);
const run = { time: 60_000, owner: 'one', bytes: 0 };

/** Processes that end with the test. */
function processes(limits: Partial<IsolationLimits> = {}): IsolatedProcesses {
  const made = new IsolatedProcesses(limits);
  after(() => made.close());
  return made;
}

const isRunning = (pid: number | undefined) => {
  try {
    return pid !== undefined && process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('values go there and back, by processes that start on demand and end when they are idle', async () => {
  const isolated = processes({ idle: 50 });
  assert.deepEqual(isolated.pids, []);
  const value = { text: 'ä', bytes: Uint8Array.of(1, 2), date: new Date(0), nested: [undefined, 1n] };
  assert.deepEqual(await isolated.run(task('echo'), value, run), { result: value });
  const [pid] = isolated.pids;
  assert.ok(isRunning(pid));
  while (isolated.pids.length > 0) await sleep(10);
  assert.ok(!isRunning(pid));
});

test('everybody else has a turn between the starts of two processes', async () => {
  const isolated = processes({ processes: 3 });
  const tasks = ['one', 'two', 'three'].map((owner) => isolated.run(task('echo'), owner, { ...run, owner }));
  const [seen, begin] = [[0], Date.now()];
  while (isolated.pids.length < 3 && Date.now() - begin < 30_000) {
    await new Promise((resolve) => setImmediate(resolve));
    if (isolated.pids.length !== seen.at(-1)) seen.push(isolated.pids.length);
  }
  assert.deepEqual(seen, [0, 1, 2, 3]);
  assert.equal((await Promise.all(tasks)).length, 3);
});

test('a task whose process has not started when all end is told so', async () => {
  const isolated = processes();
  const outcome = isolated.run(task('echo'), 1, run);
  await isolated.close();
  assert.deepEqual(await outcome, { problem: 'busy' });
  assert.deepEqual(isolated.pids, []);
});

describe('the death of a process is one task’s alone', () => {
  const limits = { processes: 1, heap: 64 * mebi, memory: 200 * mebi };
  for (const [name, time, problem] of [
    ['spin', 300, 'too_slow'],
    ['fillHeap', 60_000, 'too_large'],
    ['fillBuffers', 60_000, 'too_large'],
    ['fail', 60_000, 'failed'],
    ['nothing of that name', 60_000, 'failed'],
  ] as const) {
    test(`${name} is ${problem}, and the next task runs`, async () => {
      const isolated = processes(limits);
      const [outcome, next] = await Promise.all([
        isolated.run(task<number, number>(name), 0, { ...run, time }),
        isolated.run(task<number, number>('echo'), 7, run),
      ]);
      assert.deepEqual([outcome, next], [{ problem }, { result: 7 }]);
    });
  }

  test('what is nested too deep to be sent fails, and the next task runs', async () => {
    const isolated = processes(limits);
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    assert.deepEqual(await isolated.run(task('echo'), deep, run), { problem: 'failed' });
    assert.deepEqual(await isolated.run(task('echo'), 1, run), { result: 1 });
  });
});

test('a child has no environment, writes no file, starts no process and reaches no network', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  after(() => server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  process.env.HEADGATE_TEST_SECRET = 'secret';
  const outcome = await processes().run(
    task<number, { refused: unknown[]; environment: string[] }>('explore'),
    port,
    run,
  );
  delete process.env.HEADGATE_TEST_SECRET;
  assert.ok('result' in outcome, JSON.stringify(outcome));
  const { refused, environment } = outcome.result;
  assert.deepEqual(
    refused.map((code) => code !== 'allowed'),
    [true, true, true, true],
    String(refused),
  );
  assert.deepEqual(
    environment.filter((name) => name !== 'NODE_COMPILE_CACHE' && !name.startsWith('NODE_CHANNEL')),
    [],
  );
});

test('accounts take turns, and one alone never has all processes', async () => {
  const isolated = processes({ processes: 2 });
  // Both processes run before anything is counted: how long one takes to start is the machine's affair.
  await Promise.all(['one', 'two'].map((owner) => isolated.run(task('echo'), 0, { ...run, owner })));
  assert.equal(isolated.pids.length, 2);
  const ended: string[] = [];
  const ask = (owner: string) =>
    isolated.run(task<number, number>('work'), 30, { ...run, owner }).then(() => ended.push(owner));
  const many = Array.from({ length: 8 }, () => ask('many'));
  const few = [ask('few'), ask('few')];
  await Promise.all([...many, ...few]);
  assert.ok(ended.lastIndexOf('few') < 6, ended.join(' '));
});

test('waiting is bounded in number, bytes and time; the account with most gives way', async () => {
  const isolated = processes({ processes: 1, waiting: 3, waitingBytes: 1_000, wait: 200 });
  const ask = (owner: string, bytes = 1, time = 60_000, name = 'echo') =>
    isolated.run(task<string, string>(name), owner, { time, owner, bytes });
  const spinning = ask('many', 1, 2_000, 'spin');
  const waiting = [ask('many'), ask('many'), ask('many')];
  const other = ask('few');
  assert.deepEqual(await waiting[2], { problem: 'busy' }, 'its newest task makes room');
  assert.deepEqual(await ask('few', 1_001), { problem: 'busy' }, 'more than all may have');
  const late = await Promise.all([waiting[0], waiting[1], other]);
  assert.deepEqual(late, [{ problem: 'busy' }, { problem: 'busy' }, { problem: 'busy' }], 'waited too long');
  assert.deepEqual(await spinning, { problem: 'too_slow' });
});

test('what is aborted waits no longer', async () => {
  const isolated = processes({ processes: 1 });
  const running = isolated.run(task<number, number>('work'), 200, run);
  const leaving = new AbortController();
  const waiting = isolated.run(task<number, number>('echo'), 1, { ...run, signal: leaving.signal });
  leaving.abort();
  assert.deepEqual(await waiting, { problem: 'busy' });
  assert.ok('result' in (await running));
});

test('a child that works without end ends when its parent is killed', async () => {
  const parent = fork(new URL('../../test/support/isolating-parent.ts', import.meta.url), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const child = await new Promise<number>((resolve) => parent.once('message', (pid) => resolve(Number(pid))));
  assert.ok(isRunning(child));
  parent.kill('SIGKILL');
  while (isRunning(child)) await sleep(50);
});
