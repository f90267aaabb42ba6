import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const main = join(import.meta.dirname, '../../../src/main.ts');

/** A server in a process of its own, which can be killed and started again with the same database and port. */
export interface KillableServer {
  readonly url: string;
  readonly managementKey: string;
  start(): Promise<void>;
  /** Ends it without a chance to do anything. */
  kill(): Promise<void>;
}

/** Makes one with a model that answers slowly: `slow/lorem`. */
export async function killableServer(): Promise<KillableServer> {
  const folder = temporaryFolder();
  const config = join(folder, 'headgate.yaml');
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const managementKey = 'restart-management-key-0123456789abcdef0123456789';
  const price = { input: 1, output: 2 };
  const endpoints = [{ provider: 'slow', model: 'lorem', price }];
  const settings = {
    data_dir: join(folder, 'data'),
    log_level: 'warn',
    providers: { slow: { name: 'Slow', adapter: 'sandbox', quirks: { tokensPerSecond: 5 } } },
    models: [{ id: 'slow/lorem', name: 'Slow', endpoints }],
  };
  writeFileSync(config, JSON.stringify(settings));
  let child: ChildProcess | undefined;
  return {
    url,
    managementKey,
    start: async () => {
      const env = {
        ...process.env,
        HEADGATE_HOST: '127.0.0.1',
        HEADGATE_PORT: String(port),
        HEADGATE_BOOTSTRAP_API_KEY: 'restart-api-key-0123456789abcdef0123456789abcdef',
        HEADGATE_BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      };
      const started = spawn(process.execPath, [main, 'serve', '--config', config], {
        env,
        cwd: folder,
        stdio: 'ignore',
      });
      child = started;
      await eventually('the start of the server', async () => {
        if (started.exitCode !== null) throw new Error(`the server ended with ${started.exitCode}`);
        return (await fetch(`${url}/health/ready`).catch(() => undefined))?.ok === true;
      });
    },
    kill: async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}
