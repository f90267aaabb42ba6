import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { EngineDriver, isLeftBehind, newContainerName } from '../../src/sandbox/engine/engine-driver.ts';
import { Sandbox } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { smallLimits } from './bubblewrap-here.ts';

const sleeps = (name: string) => `
import { newContainerName } from ${JSON.stringify(join(import.meta.dirname, '../../src/sandbox/engine/engine-driver.ts'))};
console.log(newContainerName());
setTimeout(() => {}, ${name});
`;

/** Starts a process that makes a name and goes on. */
async function startMaker() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', sleeps('600_000')]);
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  const name = await eventually('a name', () => /^headgate-\S+/.exec(said)?.[0]);
  return {
    name,
    async kill() {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('close', resolve));
    },
  };
}

test('a container is left behind once the process that made it has ended, and not before', async () => {
  const maker = await startMaker();
  assert.equal(isLeftBehind(maker.name), false);
  assert.equal(isLeftBehind(newContainerName()), false);
  await maker.kill();
  assert.equal(isLeftBehind(maker.name), true);
  // A number that another process has by now, and processes of another machine.
  const [, where, , began, end] = maker.name.split('-');
  assert.equal(isLeftBehind(`headgate-${where}-${process.pid}-${began}-${end}`), true);
  assert.equal(isLeftBehind(maker.name.replace(where ?? '', '00000000')), false);
  for (const other of ['headgate-db', 'postgres', '', `${maker.name}-x`])
    assert.equal(isLeftBehind(other), false);
});

test('what killed processes left behind is ended before the first container, and nothing else', async () => {
  const maker = await startMaker();
  await maker.kill();
  const folder = mkdtempSync(join(tmpdir(), 'hg-'));
  const asked = join(folder, 'asked');
  const names = ['headgate-db', newContainerName(), maker.name];
  // An engine that lists these, and writes down what it is asked.
  const script = `#!/bin/sh\necho "$@" >> ${asked}\n[ "$1" = ps ] && printf '${names.join('\\n')}\\n'\nexit 0\n`;
  writeFileSync(join(folder, 'podman'), script);
  chmodSync(join(folder, 'podman'), 0o755);
  const path = process.env.PATH;
  process.env.PATH = `${folder}${delimiter}${path}`;
  try {
    const driver = new EngineDriver({ engine: 'podman', image: 'x', limits: smallLimits });
    const settings = {
      driver: 'podman',
      limits: smallLimits,
      maxContainers: 1,
      maxContainersPerWorkspace: 1,
    } as const;
    await new Sandbox(
      () => settings,
      () => driver,
    ).endLeftBehind();
    const lines = readFileSync(asked, 'utf8').trim().split('\n');
    assert.deepEqual(lines, [
      'ps --filter name=headgate- --format {{.Names}}',
      `kill --signal KILL ${maker.name}`,
    ]);
    rmSync(asked);
    await new Sandbox(
      () => ({ ...settings, driver: 'off' }),
      () => undefined,
    ).endLeftBehind();
    assert.equal(existsSync(asked), false);
  } finally {
    process.env.PATH = path;
    rmSync(folder, { recursive: true });
  }
});
