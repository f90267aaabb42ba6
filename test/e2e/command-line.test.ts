import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { type GatewayProcess, newDirectory, startGateway } from './support/gateway-process.ts';
import { folderEnvironment, headgateCommand, runHeadgate, runProgram } from './support/programs.ts';

let gateway: GatewayProcess;

before(async () => {
  gateway = await startGateway();
});
after(() => gateway[Symbol.asyncDispose]());

/** Runs a command beside the server and reads its JSON answer. */
async function ask(...args: string[]) {
  const { code, stdout, stderr } = await runHeadgate(gateway.directory, [...args, '--json']);
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout);
}

const echo = { model: 'sandbox/echo', input: 'Hello' };

/** Milliseconds: the specification's five seconds, and what a busy machine adds. */
const within = 8_000;

/** Waits until a key is answered with this status. */
async function untilAnswered(key: string, status: number): Promise<void> {
  await eventually(
    `status ${status}`,
    async () => {
      const response = await gateway.post(echo, { key });
      await response.arrayBuffer();
      return response.status === status;
    },
    within,
  );
}

test('a key made beside the server works at once, and is refused within five seconds of being disabled', async () => {
  const { key, hash, name } = await ask('keys', 'create', '--name', 'From the shell');
  assert.equal(name, 'From the shell');
  assert.equal((await gateway.post(echo, { key })).status, 200);
  const prefix = hash.slice(0, 10);
  await ask('keys', 'disable', prefix);
  await untilAnswered(key, 401);
  await ask('keys', 'enable', prefix);
  await untilAnswered(key, 200);
  await ask('keys', 'delete', prefix);
  await untilAnswered(key, 401);
  const { keys } = await ask('keys', 'list');
  assert.ok(!keys.some((listed: { hash: string }) => listed.hash === hash));
  assert.ok(!JSON.stringify(keys).includes(gateway.key), 'a list never shows a raw key');
});

test('a limited key is refused when its limit is used up', async () => {
  const { key, hash } = await ask('keys', 'create', '--name', 'Limited', '--limit', '0.00001');
  await untilAnswered(key, 402);
  const { keys } = await ask('keys', 'list');
  const listed = keys.find((one: { hash: string }) => one.hash === hash);
  assert.ok(listed.usage >= 0.00001 && listed.usage < 0.0001, `${listed.usage} USD`);
});

test('patterns of guardrails are searched in a child process, from the command line and by the server', async () => {
  const draft = { content_filters: [{ pattern: 'EMP-[0-9]+', action: 'redact' }] };
  const file = join(gateway.directory, 'draft.json');
  await writeFile(file, JSON.stringify(draft));
  assert.deepEqual(await ask('guardrails', 'test', 'Ask EMP-123.', '--file', file), {
    verdict: 'redact',
    text: 'Ask [REDACTED].',
    message: null,
  });
  const { key } = await ask('keys', 'create', '--name', 'Manager', '--management');
  const response = await fetch(`${gateway.url}/api/v1/guardrails/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Ask EMP-123.', draft }),
  });
  const { data } = (await response.json()) as { data?: { text: string } };
  assert.equal(data?.text, 'Ask [REDACTED].');
});

test('usage, models and books can be read while the server runs', async () => {
  await gateway.post(echo);
  const { rows } = await ask('usage', '--by', 'model');
  const [row] = rows;
  assert.equal(row.group, 'sandbox/echo');
  assert.ok(row.requests >= 1 && row.cost_usd > 0);
  assert.deepEqual((await ask('ledger', 'verify')).differences, []);
  assert.ok(JSON.stringify(await ask('models', 'list')).includes('sandbox/reason'));
});

test('credits granted beside the server are there for the next request', async () => {
  const directory = newDirectory();
  try {
    await using prepaid = await startGateway({ directory, env: { HEADGATE_BILLING_MODE: 'prepaid' } });
    assert.equal((await prepaid.post(echo)).status, 402);
    const granted = await runHeadgate(directory, ['credits', 'grant', '--amount', '5', '--ref', 'first']);
    assert.equal(granted.code, 0, granted.stderr);
    const again = await runHeadgate(directory, ['credits', 'grant', '--amount', '5', '--ref', 'first']);
    assert.equal(again.code, 0, again.stderr);
    await eventually('credit', async () => (await prepaid.post(echo)).status === 200, within);
    const { stdout } = await runHeadgate(directory, ['credits', 'balance', '--json']);
    const { balance_usd: balance } = JSON.parse(stdout).accounts?.[0] ?? JSON.parse(stdout);
    assert.ok(balance < 5 && balance > 4.99, `${stdout}`);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('exit codes: 0 success, 1 refused with one line that says why, 2 wrong usage', async () => {
  const run = (...args: string[]) => runHeadgate(gateway.directory, args);
  assert.equal((await run('--help')).code, 0);
  assert.match((await run('--version')).stdout, /^\d+\.\d+\.\d+\n$/);
  const refused = await run('keys', 'disable', 'ffffffffffff');
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^error: no key has a hash .*keys list"\n$/);
  for (const wrong of [
    ['nonsense'],
    ['keys', 'create'],
    ['usage', '--by', 'moon'],
    ['serve', '--prot', '1'],
  ]) {
    const { code, stdout, stderr } = await run(...wrong);
    assert.equal(code, 2, wrong.join(' '));
    assert.equal(stdout, '');
    assert.match(stderr, /^error: [^\n]+\n$/);
  }
});

test('check names file and line of every mistake, and serve refuses to start with them', async () => {
  const directory = newDirectory();
  try {
    const lines = [
      'server:',
      '  port: 99999',
      'providers:',
      '  own:',
      '    adaptor: openai-chat',
      `    api_key: $\{NOT_SET}`,
    ];
    await writeFile(join(directory, 'headgate.yaml'), `${lines.join('\n')}\n`);
    for (const command of ['check', 'serve']) {
      const { code, stderr } = await runHeadgate(directory, [command]);
      assert.equal(code, 1);
      for (const place of ['2: server.port', '5: providers.own.adaptor', '6: providers.own.api_key']) {
        assert.ok(stderr.includes(`headgate.yaml:${place}: `), stderr);
      }
      assert.match(stderr, /adapter/);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('a port in use stops the start with one line', async () => {
  const port = new URL(gateway.url).port;
  const directory = newDirectory();
  try {
    const { code, stderr } = await runHeadgate(directory, ['serve', '--port', port]);
    assert.equal(code, 1);
    assert.match(stderr, /^error: [^\n]*is taken[^\n]*--port[^\n]*\n$/);
    assert.ok(!existsSync(join(directory, '.headgate/first-start.txt')), 'keys nobody could use');
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('a host that is not of this machine stops the start with one line', async () => {
  const directory = newDirectory();
  try {
    for (const host of ['nowhere.invalid', '192.0.2.1']) {
      const { code, stderr } = await runHeadgate(directory, ['serve', '--port', '0', '--host', host]);
      assert.equal(code, 1);
      assert.match(stderr, /^error: \S+ is no address of this machine [^\n]*--host or server\.host[^\n]*\n$/);
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});

test('an older Node is told in one line', async () => {
  const launcher = join(import.meta.dirname, '../../bin/headgate.js');
  const pretend = `Object.defineProperty(process, 'versions', { value: { node: '22.1.0' } });`;
  const args = ['--import', `data:text/javascript,${encodeURIComponent(pretend)}`, launcher, '--help'];
  const { code, stderr } = await runProgram('node', args);
  assert.equal(code, 1);
  assert.match(stderr, /^headgate needs Node\.js 24 or newer[^\n]*\n$/);
});

test('an answer that is not read to its end is no failure; one that cannot be written is told in a line', async () => {
  const keys = { OPENAI_API_KEY: 'any', ANTHROPIC_API_KEY: 'any', MISTRAL_API_KEY: 'any' };
  const env = await folderEnvironment(gateway.directory, keys);
  const run = (line: string) =>
    runProgram('bash', ['-c', `set -o pipefail; ${line}`], { cwd: gateway.directory, env });
  const list = `"${headgateCommand()}" models list --json`;
  const whole = await run(list);
  assert.ok(whole.stdout.length > 80_000, 'more than a pipe holds');
  assert.deepEqual(await run(`${list} | head -c 1`), { code: 0, stdout: '{', stderr: '' });
  const full = await run(`${list} > /dev/full`);
  assert.equal(full.code, 1);
  assert.match(full.stderr, /^error: the answer cannot be written \(ENOSPC[^\n]+\n$/);
});
