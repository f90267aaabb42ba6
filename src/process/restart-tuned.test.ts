import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const file = join(import.meta.dirname, 'prepare-process.ts');
const script = `import(${JSON.stringify(file)}).then(({ restartTuned }) => {
  restartTuned();
  console.log(JSON.stringify({ pid: process.pid, options: process.execArgv, args: process.argv.slice(1), env: process.env.KEPT }));
  process.disconnect?.();
});`;
const option = '--no-allocation-site-pretenuring';

interface StatisticsEvent {
  readonly pid: number;
  readonly options: readonly string[];
  readonly args: readonly string[];
  readonly env: string;
}

/** The report of a process that calls the function first of all. */
async function start(
  options: readonly string[],
  channel: 'ipc' | 'ignore' = 'ignore',
): Promise<{ told: StatisticsEvent; pid: number | undefined; errors: string }> {
  const child = spawn(process.execPath, [...options, '-e', script, 'serve', '--config', 'a b'], {
    stdio: ['ignore', 'pipe', 'pipe', channel],
    env: { ...process.env, KEPT: 'yes' },
  });
  assert(child.stdout !== null && child.stderr !== null);
  const [told, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { told: JSON.parse(told) as StatisticsEvent, pid: child.pid, errors };
}

const skip = process.platform === 'win32' && 'processes cannot be replaced here';

test('a process is restarted as the same process with the same arguments', { skip }, async () => {
  const { told, pid, errors } = await start(['--no-deprecation']);
  assert.deepEqual(told.options.slice(0, 2), [option, '--no-deprecation']);
  assert.deepEqual(told.args, ['serve', '--config', 'a b']);
  assert.equal(told.env, 'yes');
  assert.equal(told.pid, pid);
  assert.equal(errors, '');
});

test('a process that has the option stays as it is', async () => {
  const { told } = await start([option]);
  assert.deepEqual(
    told.options.filter((one) => one === option),
    [option],
  );
});

test('a process with a channel to its parent is not restarted: the channel would be lost', async () => {
  const { told } = await start([], 'ipc');
  assert(!told.options.includes(option));
});
