/**
 * Checks that the proxies of deploy/proxy forward streams event by event, and nothing but the interface. The ports
 * are those of the files, so it runs in its own network: `check-proxies.ts NGINX CADDY HAPROXY`, the paths of the programs.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import WebSocket from 'ws';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'headgate-proxies-'));
const proxy = 'http://127.0.0.1:8080';
/** At this pace the words below take five seconds. */
const words = 100;
writeFileSync(join(folder, 'headgate.yaml'), 'providers: { sandbox: { tokens_per_second: 20 } }\n');

const [nginx = 'nginx', caddy = 'caddy', haproxy = 'haproxy'] = process.argv.slice(2);
const gateway = start(process.execPath, [join(root, 'src/main.ts'), 'serve'], folder);
try {
  await answers('http://127.0.0.1:8484/health/ready', 200);
  const key =
    /API key +(\S+)/.exec(readFileSync(join(folder, '.headgate/first-start.txt'), 'utf8'))?.[1] ?? '';
  const places = ['-e', 'stderr', '-g', `daemon off; pid ${folder}/nginx.pid;`];
  await check('nginx', start(nginx, [...places, '-c', join(root, 'deploy/proxy/nginx.conf')], folder), key);
  const file = ['--adapter', 'caddyfile', '--config', join(root, 'deploy/proxy/Caddyfile')];
  await check('Caddy', start(caddy, ['run', ...file], folder), key);
  const haproxyFile = join(root, 'deploy/proxy/haproxy.cfg');
  await check('HAProxy', start(haproxy, ['-db', '-f', haproxyFile], folder), key);
} finally {
  await end(gateway);
  rmSync(folder, { recursive: true, force: true });
}

async function check(name: string, program: ChildProcess, key: string): Promise<void> {
  try {
    await answers(`${proxy}/metrics`, 404);
    await answers(`${proxy}/health/ready`, 404);
    await answers(`${proxy}/openapi.json`, 200);
    await answers(`${proxy}/docs`, 200);
    for (const base of ['/api/v1', '/v1']) await answerOverSocket(`${proxy}${base}/responses`, key);
    const response = await fetch(`${proxy}/v1/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'sandbox/lorem', input: 'x', max_output_tokens: words, stream: true }),
    });
    assert.equal(response.status, 200);
    const times: number[] = [];
    let text = '';
    for await (const bytes of response.body ?? []) {
      times.push(performance.now());
      text += Buffer.from(bytes).toString();
    }
    assert.ok(text.endsWith('data: [DONE]\n\n'));
    const spread = (times.at(-1) ?? 0) - (times[0] ?? 0);
    console.log(`${name}: ${times.length} pieces over ${Math.round(spread)} ms`);
    // Many arrive late on a busy machine; if the proxy buffers, all arrive together at the end.
    assert.ok(times.length > words / 5 && spread > 1000, 'events are held back');
  } finally {
    await end(program);
  }
}

/** One request on a WebSocket through the proxy. */
async function answerOverSocket(url: string, key: string): Promise<void> {
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { authorization: `Bearer ${key}` } });
  await once(socket, 'open');
  socket.send(JSON.stringify({ type: 'response.create', model: 'sandbox/echo', input: 'Hi' }));
  for await (const [data] of on(socket, 'message')) {
    const { type, response } = JSON.parse(String(data));
    if (type !== 'response.completed') continue;
    assert.equal(response.output.at(-1).content[0].text, '[sandbox] Hi');
    break;
  }
  socket.close();
}

function start(file: string, args: readonly string[], directory: string): ChildProcess {
  const environment = { ...process.env, HEADGATE_PORT: '8484', HOME: directory };
  return spawn(file, args, { cwd: directory, env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
}

async function end(program: ChildProcess): Promise<void> {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill('SIGTERM');
  await ended;
}

async function answers(url: string, status: number): Promise<void> {
  for (let tries = 0; tries < 1_200; tries += 1) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.status === status) return;
    await sleep(50);
  }
  assert.fail(`${url} does not answer ${status}`);
}
