/**
 * Checks that the dashboard works below a path of the proxies of deploy/proxy, as `server.public_url` says. The ports are
 * those of the files, so it runs in its own network: `check-dashboard-proxies.ts NGINX CADDY HAPROXY`, the paths of
 * the programs.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildDashboard, root } from '../dashboard-build.ts';

const folder = mkdtempSync(join(tmpdir(), 'headgate-proxies-'));
const publicUrl = 'http://localhost:8081/gateway';
writeFileSync(join(folder, 'headgate.yaml'), `server: { public_url: '${publicUrl}' }\n`);

const [nginx = 'nginx', caddy = 'caddy', haproxy = 'haproxy'] = process.argv.slice(2);
await buildDashboard();
const gateway = start(process.execPath, [join(root, 'src/main.ts'), 'serve'], folder);
try {
  await answers('http://127.0.0.1:8484/health/ready', 200);
  const text = readFileSync(join(folder, '.headgate/first-start.txt'), 'utf8');
  const [, address, code] = /Dashboard +(\S+)#login=(\S+)/.exec(text) ?? [];
  assert.equal(address, `${publicUrl}/`);
  const key = /Management key +(\S+)/.exec(text)?.[1] ?? '';
  const places = ['-e', 'stderr', '-g', `daemon off; pid ${folder}/nginx.pid;`];
  const conf = join(root, 'deploy/proxy/dashboard.nginx.conf');
  await check('nginx', start(nginx, [...places, '-c', conf], folder), { code });
  const file = ['--adapter', 'caddyfile', '--config', join(root, 'deploy/proxy/dashboard.Caddyfile')];
  await check('Caddy', start(caddy, ['run', ...file], folder), { key });
  const haproxyFile = join(root, 'deploy/proxy/dashboard.haproxy.cfg');
  await check('HAProxy', start(haproxy, ['-db', '-f', haproxyFile], folder), { key });
} finally {
  await end(gateway);
  rmSync(folder, { recursive: true, force: true });
}

/** Does what a browser does: the shell, its files, a login, a call, a stream. */
async function check(name: string, program: ChildProcess, login: object): Promise<void> {
  try {
    await answers(`${publicUrl}/`, 200);
    for (const path of ['/metrics', '/health/ready']) await answers(publicUrl + path, 404);
    const shell = await (await fetch(`${publicUrl}/ui/keys`)).text();
    const base = /<base href="([^"]*)"/.exec(shell)?.[1] ?? '';
    assert.equal(base, '/gateway/ui/');
    const [, asset = ''] = /"\.\/(assets\/[\w.-]+\.js)"/.exec(shell) ?? [];
    assert.equal((await fetch(new URL(asset, new URL(base, publicUrl)))).status, 200);
    const own = { 'sec-fetch-site': 'same-origin', origin: new URL(publicUrl).origin };
    const headers = { ...own, 'content-type': 'application/json' };
    const body = JSON.stringify(login);
    const entered = await fetch(`${publicUrl}/ui/session`, { method: 'POST', headers, body });
    assert.equal(entered.status, 200, await entered.clone().text());
    const cookie = entered.headers.get('set-cookie')?.split(';')[0] ?? '';
    assert.match(cookie, /^headgate-8081=/);
    const { data } = (await entered.json()) as { data: { csrf: string } };
    const session = { ...own, cookie, 'x-headgate-csrf': data.csrf };
    assert.equal((await fetch(`${publicUrl}/ui/api/keys`, { headers: session })).status, 200);
    assert.equal(
      (await fetch(`${publicUrl}/ui/api/keys`, { headers: { ...session, origin: 'http://localhost:8484' } }))
        .status,
      403,
    );
    const live = await fetch(`${publicUrl}/ui/api/live`, { headers: session });
    const reader = live.body?.getReader();
    const first = await reader?.read();
    assert.match(Buffer.from(first?.value ?? []).toString(), /snapshot/);
    // A proxy that is told to stop waits for streams that are open.
    await reader?.cancel();
    console.log(`${name}: the dashboard works at ${publicUrl}`);
  } finally {
    await end(program);
  }
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
    await response?.arrayBuffer();
    if (response?.status === status) return;
    await sleep(50);
  }
  assert.fail(`${url} does not answer ${status}`);
}
