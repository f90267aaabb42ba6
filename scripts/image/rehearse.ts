/**
 * Builds and runs the container image without a container engine: applies the Dockerfile in overlays of this
 * machine's file system, and runs the result as an orchestrator would: read-only, as its user, without privileges, as
 * process 1. Needs root on Linux, and the package registries of the build. `rehearse.ts [BASE]`, where BASE is a
 * folder with a bare Debian for the last stage.
 */
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../test/support/free-port.ts';
import { buildImage } from './build-image.ts';
import { imageSettings, readDockerfile } from './dockerfile.ts';
import type { FileSystem } from './file-system.ts';

const context = join(import.meta.dirname, '../..');
const stages = readDockerfile(join(context, 'Dockerfile'));
const settings = imageSettings(stages.at(-1) ?? assert.fail('no stage'));
const folder = mkdtempSync(join(tmpdir(), 'headgate-image-'));
try {
  const image = buildImage(stages, { context, folder, base: process.argv[2] ?? '/', log: console.log });
  checkContents(join(image.changes, 'app'));
  await checkRunning(image, join(folder, 'data'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function checkContents(app: string): void {
  for (const unwanted of [
    'node_modules/typescript',
    'node_modules/openai',
    'src',
    'node_modules/node/node_modules',
  ]) {
    assert.ok(!existsSync(join(app, unwanted)), `${unwanted} has no place in the image`);
  }
  const files = readdirSync(app, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const tests = readdirSync(join(app, 'dist'), { recursive: true, encoding: 'utf8' });
  assert.deepEqual(
    tests.filter((name) => name.includes('.test.')),
    [],
  );
  const size = files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
  console.log(`/app: ${files.length} files, ${Math.round(size / 1e6)} MB`);
  assert.ok(size < 250e6, 'the image has grown');
}

async function checkRunning(image: FileSystem, data: string): Promise<void> {
  const { user, directory, entrypoint, command, healthCheck } = settings;
  mkdirSync(data, { mode: 0o700 });
  chownSync(data, user, user);
  const port = await freePort();
  const environment = {
    PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
    ...settings.environment,
    HEADGATE_PORT: String(port),
  };
  const options = { directory, environment, data, user };
  const headgate = (...args: string[]) => image.run([...entrypoint, ...args], options);
  assert.equal(headgate('--version').trim(), versionOf(context));
  assert.throws(() => image.run(['touch', '/app/written'], options), 'its root can be written to');

  const started = performance.now();
  const server = image.start([...entrypoint, ...command], options);
  const url = `http://127.0.0.1:${port}`;
  await untilReady(`${url}/health/ready`, server);
  console.log(`ready after ${Math.round(performance.now() - started)} ms`);
  const pid = childOf(server.pid ?? 0);
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  assert.match(status, new RegExp(`^Uid:(\\s+${user}){4}$`, 'm'));
  assert.match(status, /^NSpid:\s+\d+\s+1$/m, 'it is process 1');
  assert.match(status, /^NoNewPrivs:\s+1$/m);
  assert.match(status, /^CapEff:\s+0+$/m);
  image.run(
    healthCheck.map((part) => part.replace(':8484/', `:${port}/`)),
    options,
  );

  const first = readFileSync(join(data, 'first-start.txt'), 'utf8');
  await checkChildProcesses(url, /[Mm]anagement key +(\S+)/.exec(first)?.[1]);
  const key = /API key +(\S+)/.exec(first)?.[1];
  const answer = await fetch(`${url}/api/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'sandbox/lorem', input: 'x', max_output_tokens: 150, stream: true }),
  });
  const ended = once(server, 'exit');
  process.kill(pid, 'SIGTERM');
  const text = await answer.text();
  assert.ok(text.endsWith('data: [DONE]\n\n'), 'a stream that runs when it is stopped ends well');
  const [code] = await ended;
  assert.equal(code, 0);
  assert.match(headgate('ledger', 'verify'), /agree|ok|no difference/i);
  assert.match(headgate('usage', '--json'), /"requests": ?1\b/);
  console.log('the image serves read-only, unprivileged and as process 1, and ends well');
}

/** Patterns of guardrails are searched in child processes, which must start for that user and with that root. */
async function checkChildProcesses(url: string, key: string | undefined): Promise<void> {
  const draft = { content_filters: [{ pattern: 'EMP-[0-9]+', action: 'redact' }] };
  const answer = await fetch(`${url}/api/v1/guardrails/test`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ text: 'Ask EMP-123.', draft }),
  });
  const { data } = (await answer.json()) as { data?: { text: string } };
  assert.equal(data?.text, 'Ask [REDACTED].');
}

/** The process that is process 1 in its own namespace: the only child of the one that created it. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}

async function untilReady(url: string, server: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 2_400; tries += 1) {
    assert.equal(server.exitCode, null, 'it ended before it was ready');
    if ((await fetch(url).catch(() => undefined))?.ok === true) return;
    await sleep(25);
  }
  assert.fail('it did not get ready');
}

function versionOf(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}
