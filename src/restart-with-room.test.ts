import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';

const file = join(import.meta.dirname, 'restart-with-room.ts');
const script = `import(${JSON.stringify(file)}).then(({ restartWithRoom }) => {
  restartWithRoom();
  console.log(JSON.stringify({ pid: process.pid, options: process.execArgv, args: process.argv.slice(1), env: process.env.KEPT }));
  process.disconnect?.();
});`;

interface Told {
  readonly pid: number;
  readonly options: readonly string[];
  readonly args: readonly string[];
  readonly env: string;
}

/** What a process tells that calls the function first of all. */
async function start(
  options: readonly string[],
  channel: 'ipc' | 'ignore' = 'ignore',
): Promise<{ told: Told; pid: number | undefined; errors: string }> {
  const child = spawn(process.execPath, [...options, '-e', script, 'serve', '--config', 'a b'], {
    stdio: ['ignore', 'pipe', 'pipe', channel],
    env: { ...process.env, KEPT: 'yes' },
  });
  assert(child.stdout !== null && child.stderr !== null);
  const [told, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { told: JSON.parse(told) as Told, pid: child.pid, errors };
}

const roomOf = (told: Told) => told.options.filter((option) => option.startsWith('--initial-old-space-size'));
const canRestart =
  process.platform !== 'win32' && Math.min(process.constrainedMemory() || totalmem(), totalmem()) >= 2 ** 29;

test('a process is started anew with room, as the same process with all it was given', {
  skip: !canRestart,
}, async () => {
  const { told, pid, errors } = await start(['--no-deprecation']);
  assert.deepEqual(roomOf(told), ['--initial-old-space-size=128']);
  assert(told.options.includes('--no-deprecation'));
  assert.deepEqual(told.args, ['serve', '--config', 'a b']);
  assert.equal(told.env, 'yes');
  assert.equal(told.pid, pid);
  assert.equal(errors, '');
});

test('what the operator chose stays', async () => {
  const { told } = await start(['--initial-old-space-size=64']);
  assert.deepEqual(roomOf(told), ['--initial-old-space-size=64']);
});

test('a process that talks with its parent is not started anew: the channel would be lost', async () => {
  const { told } = await start([], 'ipc');
  assert.deepEqual(roomOf(told), []);
});
