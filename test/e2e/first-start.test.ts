import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import { newDirectory, startGateway } from './support/gateway-process.ts';
import {
  folderEnvironment,
  headgateCommand,
  runHeadgate,
  runProgram,
  startProgram,
  untilFinished,
} from './support/programs.ts';

const rawKey = /sk-hg-v1-[0-9a-f]{64}/g;

test('a fresh folder, one command: it serves, and tells its keys in a file only its owner can read', async (t) => {
  headgateCommand();
  const startedAt = performance.now();
  await using gateway = await startGateway();
  t.diagnostic(`ready after ${Math.round(performance.now() - startedAt)} ms, installing excluded`);
  // What starting took is given back a second later.
  await sleep(2_000);
  t.diagnostic(`resident when idle: ${residentMegabytes(gateway.program.child.pid)} MB`);
  const file = join(gateway.dataDirectory, 'first-start.txt');
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(gateway.dataDirectory, 'master.key')).mode & 0o777, 0o600);
  assert.match(gateway.firstStart, /Providers +Sandbox/);
  assert.match(gateway.firstStart, /Billing mode +invoice/);
  assert.ok(gateway.firstStart.includes(`Base URL        ${gateway.baseUrl}\n`));
  assert.notEqual(gateway.key, gateway.managementKey);
  const told = await gateway.logged('first start: the keys are in this file');
  assert.equal(told.file, file);
  for (const line of gateway.log) assert.ok(!JSON.stringify(line).match(rawKey), 'a key in the log');
  assert.equal(gateway.program.stderr, '');
});

test('the line it prints works as it stands', async () => {
  await using gateway = await startGateway();
  const line = /^ *curl .*$/m.exec(gateway.firstStart)?.[0] ?? '';
  const { code, stdout } = await runProgram('bash', ['-c', `${line} --silent --show-error --fail`]);
  assert.equal(code, 0);
  assert.match(stdout, /"text":"\[sandbox\] Hello"/);
});

test('the link it prints logs in to the dashboard of the package, once', async () => {
  await using gateway = await startGateway();
  const [, address = '', code = ''] = /Dashboard +(\S+)#login=(\S+)/.exec(gateway.firstStart) ?? [];
  const page = await fetch(address);
  assert.equal(page.status, 200);
  const [, asset = ''] = /"\.\/(assets\/[\w.-]+\.js)"/.exec(await page.text()) ?? [];
  assert.equal((await fetch(`${address}ui/${asset}`)).status, 200, asset);
  const login = () =>
    fetch(`${address}ui/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code }),
    });
  assert.equal((await login()).status, 200);
  assert.equal((await login()).status, 401);
});

test('a second start makes no new secret, and the old ones still work', async () => {
  const directory = newDirectory();
  try {
    await using first = await startGateway({ directory });
    const { firstStart, key } = first;
    const masterKey = readFileSync(join(first.dataDirectory, 'master.key'));
    assert.equal((await first.end()).code, 0);
    await using second = await startGateway({ directory });
    await second.logged('ready');
    const response = await second.post({ model: 'sandbox/echo', input: 'again' }, { key });
    assert.equal(response.status, 200);
    assert.equal(second.firstStart, firstStart);
    assert.deepEqual(readFileSync(join(second.dataDirectory, 'master.key')), masterKey);
    const { stdout, stderr } = await second.end();
    assert.doesNotMatch(stdout + stderr, rawKey);
    assert.doesNotMatch(stdout, /first start/);
    const isOfBooks = (name: string) => name.startsWith('headgate.db') || name.endsWith('-charges');
    assert.deepEqual(
      readdirSync(second.dataDirectory).filter((name) => !isOfBooks(name)),
      ['first-start.txt', 'master.key'],
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('keys that cannot be told are not stored: the start ends, and the next one makes others', async () => {
  const directory = newDirectory();
  const file = join(directory, '.headgate/first-start.txt');
  try {
    await mkdir(file, { recursive: true });
    const { code, stdout, stderr } = await runHeadgate(directory, ['serve', '--port', '0']);
    assert.equal(code, 1, stdout + stderr);
    assert.match(stderr, /^error: [^\n]*first-start\.txt[^\n]*\n$/);
    await rm(file, { recursive: true });
    // What is left of an earlier database, and readable by others.
    writeFileSync(file, 'old', { mode: 0o644 });
    await using gateway = await startGateway({ directory });
    assert.equal((await gateway.post({ model: 'sandbox/echo', input: 'Hello' })).status, 200);
    assert.equal(statSync(file).mode & 0o777, 0o600);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('at a terminal the keys are shown there, once, and in no file', async () => {
  const directory = newDirectory();
  try {
    const first = await serveAtTerminal(directory, /^ *curl .*\}'/m);
    assert.equal(first.match(rawKey)?.length, 3, 'two keys, one of them again in the line to try');
    assert.match(first, /These keys are shown only this once/);
    assert.ok(!existsSync(join(directory, '.headgate/first-start.txt')));
    const second = await serveAtTerminal(directory, /ready/);
    assert.doesNotMatch(second, rawKey);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('keys given by the environment are taken at the first start only', async () => {
  const directory = newDirectory();
  const given = (letter: string) => ({
    HEADGATE_BOOTSTRAP_API_KEY: letter.repeat(40),
    HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: letter.toUpperCase().repeat(40),
    HEADGATE_BILLING_MODE: 'prepaid',
  });
  try {
    await using first = await startGateway({ directory, env: given('a') });
    const free = { model: 'sandbox/echo:free', input: 'Hello' };
    assert.equal((await first.post(free, { key: 'a'.repeat(40) })).status, 200);
    assert.equal(
      (await first.post({ model: 'sandbox/echo', input: 'Hello' })).status,
      402,
      'prepaid, no credit',
    );
    await first.end();
    await using second = await startGateway({ directory, env: given('b') });
    assert.equal((await second.post(free, { key: 'a'.repeat(40) })).status, 200);
    assert.equal((await second.post(free, { key: 'b'.repeat(40) })).status, 401);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

/** Runs the server at a pseudo terminal until it has shown this, stops it as Ctrl-C does, and gives what was shown. */
async function serveAtTerminal(directory: string, last: RegExp): Promise<string> {
  const command = `exec ${headgateCommand()} serve --port 0`;
  // Its code is the command's. What a command writes at its end may be lost where the machine is busy.
  const terminal = startProgram('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    cwd: directory,
    env: await folderEnvironment(directory, { TERM: 'xterm' }),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  try {
    await eventually('the server at the terminal', () => last.test(terminal.stdout));
    terminal.child.stdin?.write('\u0003');
    const { code, stdout } = await untilFinished(terminal);
    assert.equal(code, 0, stdout);
    return stdout;
  } finally {
    terminal.child.kill('SIGKILL');
  }
}

function residentMegabytes(pid: number | undefined): string {
  const file = `/proc/${pid}/status`;
  if (!existsSync(file)) return 'unknown';
  const kilobytes = /VmRSS:\s+(\d+)/.exec(readFileSync(file, 'utf8'))?.[1];
  return (Number(kilobytes) / 1024).toFixed(0);
}
