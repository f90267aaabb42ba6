import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../test/support/free-port.ts';
import type { Gateway } from './gateways.ts';
import { gatewayCore, startNode, waitUntilReady } from './processes.ts';
import { upstreamModel } from './scripted-answers.ts';

/**
 * Another gateway for the same purpose, from npm. It takes chat completions, has no ledger and writes no record of a
 * call.
 */
const packageName = '@portkey-ai/gateway';
const version = '1.15.2';

/**
 * With later versions of this library it answers every stream with status 500, because it changes immutable headers
 * (Portkey-AI/gateway issue 1389); with this one it works.
 */
const overrides = { '@hono/node-server': '1.13.8' };

const installLimit = 120_000;

/**
 * Installs the gateway into `directory` with npm.
 * @throws Error when npm cannot, for example because there is no network.
 */
export async function installPortkey(directory: string): Promise<Gateway> {
  const home = mkdtempSync(join(directory, 'portkey-'));
  const dependencies = { [packageName]: version };
  writeFileSync(join(home, 'package.json'), JSON.stringify({ private: true, dependencies, overrides }));
  await runNpm([
    'install',
    '--no-audit',
    '--no-fund',
    '--ignore-scripts',
    '--prefer-offline',
    '--prefix',
    home,
  ]);
  const script = join(home, 'node_modules', packageName, 'build/start-server.js');
  return { name: 'portkey', start: (surroundings) => start(script, surroundings) };
}

async function start(
  script: string,
  { upstreamPort, directory, nodeOptions }: Parameters<Gateway['start']>[0],
): ReturnType<Gateway['start']> {
  const port = await freePort();
  const started = startNode({
    name: 'portkey',
    cores: gatewayCore,
    args: [...nodeOptions, script, `--port=${port}`, '--headless'],
    env: { NODE_ENV: 'production', TRUSTED_CUSTOM_HOSTS: '127.0.0.1' },
    logDirectory: directory,
  });
  await waitUntilReady(started, `http://127.0.0.1:${port}/`);
  return {
    name: 'portkey',
    url: new URL(`http://127.0.0.1:${port}/v1/chat/completions`),
    headers: {
      authorization: 'Bearer provider-key',
      'x-portkey-provider': 'openai',
      'x-portkey-custom-host': `http://127.0.0.1:${upstreamPort}/v1`,
    },
    dialect: 'chat',
    model: upstreamModel,
    pid: started.pid,
    stop: started.stop,
  };
}

async function runNpm(args: readonly string[]): Promise<void> {
  const child = spawn('npm', args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: installLimit });
  let complaint = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`npm could not install it: ${complaint.trim().slice(-300)}`);
}
