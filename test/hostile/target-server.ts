import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { canPin, endWithUs, serverCore } from './end-with-us.ts';

const run = promisify(execFile);
/** In memory where that is possible: how fast a disk is that others use as well is no part of this. */
const scratch = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const managementKey = 'hostile-management-key-0123456789abcdef0123456789';
const firstKey = 'hostile-api-key-0123456789abcdef0123456789abcdef';

/** Keys that a case uses. */
export interface Keys {
  /** Of the bystander, in an account of its own. */
  readonly bystander: string;
  readonly attacker: string;
  /** Of an account without credits. */
  readonly poor: string;
  readonly management: string;
}

/** A server in a process of its own, with the default configuration but for providers and models. */
export interface TargetServer {
  readonly port: number;
  readonly pid: number;
  readonly keys: Keys;
  /** Whether it still runs. */
  readonly alive: boolean;
  /** The database file. */
  readonly database: string;
  /** The end of what it wrote. */
  log(): string;
  /** Asks it to end, and makes it after 20 s. */
  stop(): Promise<void>;
  /** Runs a command of the same installation. */
  command(...args: string[]): Promise<string>;
  /** Ends it and removes its folder. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Starts the server of a checkout.
 * @param checkout The folder it lies in.
 * @param providers Ports of the hostile provider and of the well-behaved one.
 */
export async function startTarget(
  checkout: string,
  providers: { readonly hostile: number; readonly calm: number },
): Promise<TargetServer> {
  const home = mkdtempSync(join(scratch, 'headgate-hostile-'));
  const config = join(home, 'headgate.yaml');
  const log = join(home, 'server.log');
  writeFileSync(config, JSON.stringify(configuration(providers)));
  const port = await freePort();
  const main = join(checkout, 'src/main.ts');
  const env = {
    ...process.env,
    HEADGATE_HOST: '127.0.0.1',
    HEADGATE_PORT: String(port),
    HEADGATE_DATA_DIR: join(home, 'data'),
    HEADGATE_BOOTSTRAP_API_KEY: firstKey,
    HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
  };
  const command = async (...args: string[]) =>
    (await run(process.execPath, [main, ...args, '--config', config], { env, cwd: home })).stdout;
  const serve = [process.execPath, main, 'serve', '--config', config];
  const [program = process.execPath, ...args] = canPin
    ? ['taskset', '--cpu-list', serverCore, ...serve]
    : serve;
  const child = spawn(program, args, { env, cwd: home, stdio: ['ignore', 'pipe', 'pipe'] });
  endWithUs(child);
  for (const output of [child.stdout, child.stderr]) {
    output.on('data', (chunk: Buffer) => appendFileSync(log, chunk));
  }
  const isAlive = () => child.exitCode === null && child.signalCode === null;
  const readLog = () => (existsSync(log) ? readFileSync(log, 'utf8').slice(-3_000) : '');
  await eventually('the start of the server', async () => {
    if (!isAlive())
      throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}:\n${readLog()}`);
    return (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok === true;
  });
  return {
    port,
    pid: child.pid ?? 0,
    keys: await makeKeys(command),
    get alive() {
      return isAlive();
    },
    database: join(home, 'data/headgate.db'),
    log: readLog,
    stop: () => end(child, 'SIGTERM'),
    command,
    [Symbol.asyncDispose]: async () => {
      await end(child, 'SIGKILL');
      rmSync(home, { recursive: true, force: true });
    },
  };
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  const impatience = setTimeout(() => child.kill('SIGKILL'), 20_000);
  await exited;
  clearTimeout(impatience);
}

async function makeKeys(command: TargetServer['command']): Promise<Keys> {
  const bystanders = await keyOf(await makeAccount('Bystander', 'invoice'));
  return {
    bystander: bystanders,
    attacker: firstKey,
    poor: await keyOf(await makeAccount('Poor', 'prepaid')),
    management: managementKey,
  };

  async function makeAccount(name: string, billing: string): Promise<string> {
    const text = await command('accounts', 'create', '--name', name, '--billing', billing, '--json');
    return idIn(JSON.parse(text));
  }

  async function keyOf(account: string): Promise<string> {
    return JSON.parse(await command('keys', 'create', '--account', account, '--name', 'k', '--json')).key;
  }
}

function idIn(answer: { readonly id?: string; readonly account?: { readonly id: string } }): string {
  const id = answer.id ?? answer.account?.id;
  if (id === undefined) throw new Error(`no account in ${JSON.stringify(answer)}`);
  return id;
}

function configuration({ hostile, calm }: { readonly hostile: number; readonly calm: number }): object {
  const provider = (name: string, port: number) => ({
    name,
    adapter: 'openai-chat',
    base_url: `http://127.0.0.1:${port}/v1`,
    api_key: 'provider-key',
  });
  const model = (id: string) => {
    const [slug = '', name = ''] = id.split('/');
    const price = { input: 1, output: 2 };
    return { id, name: id, endpoints: [{ provider: slug, model: name, context_length: 131_072, price }] };
  };
  const names = [
    'endless',
    'endless-words',
    'endless-event',
    'endless-body',
    'endless-usage',
    'damaged',
    'fetching',
  ];
  return {
    tools: { egress: { allow: [`127.0.0.1:${hostile}`] } },
    providers: { hostile: provider('Hostile', hostile), calm: provider('Calm', calm) },
    models: [...names.map((name) => model(`hostile/${name}`)), model('calm/calm')],
  };
}
