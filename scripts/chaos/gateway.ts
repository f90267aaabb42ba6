import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../../test/support/eventually.ts';
import { freePort } from '../../test/support/free-port.ts';
import type { Engine } from './engine.ts';
import { SeverableProxy } from './severable-proxy.ts';

const main = join(import.meta.dirname, '../../src/main.ts');

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** The settings of a process of a run. */
export interface GatewayPlace {
  /** A name such as `gateway-1`, also that of its folder. */
  readonly name: string;
  readonly folder: string;
  /** Text of its `headgate.yaml`. */
  readonly config: string;
  readonly env: NodeJS.ProcessEnv;
  readonly engines: readonly Pick<Engine, 'ports' | 'namesPorts' | 'url'>[];
  /** Whether proxies between it and the engines can disturb it. */
  readonly disturbable: boolean;
}

/** One Headgate process, optionally with its own proxy to each engine; its folder survives a kill. */
export class Gateway {
  readonly name: string;
  readonly port: number;
  /** By the port of the server behind each. */
  readonly links: ReadonlyMap<number, SeverableProxy>;
  readonly #directory: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;

  private constructor(place: GatewayPlace, port: number, links: ReadonlyMap<number, SeverableProxy>) {
    this.name = place.name;
    this.port = port;
    this.links = links;
    this.#directory = join(place.folder, place.name);
    const urls = place.engines.map((engine) => engine.url((port) => links.get(port)?.port ?? port));
    this.#env = { ...place.env, HEADGATE_DATABASE_URL: urls[0], HEADGATE_REDIS_URL: urls[1] };
    mkdirSync(this.#directory, { recursive: true });
    writeFileSync(join(this.#directory, 'headgate.yaml'), place.config);
  }

  /** Creates its folder and its proxies; starts no process. */
  static async create(place: GatewayPlace): Promise<Gateway> {
    const links = new Map<number, SeverableProxy>();
    for (const { ports, namesPorts } of place.disturbable ? place.engines : []) {
      const change = namesPorts ? (reply: Buffer) => renamePorts(reply, links) : undefined;
      for (const port of ports) links.set(port, await SeverableProxy.start(port, change));
    }
    return new Gateway(place, await freePort(), links);
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Starts it and waits until it is ready; retries while an engine is unavailable. */
  async start(): Promise<void> {
    await eventually(
      `${this.name} that is ready`,
      async () => {
        if (!this.isRunning) this.#launch();
        const answer = await fetch(`${this.url}/health/ready`, { signal: AbortSignal.timeout(5_000) }).catch(
          () => undefined,
        );
        const health = (await answer?.json().catch(() => undefined)) as { status?: string } | undefined;
        return health?.status === 'ok' ? true : undefined;
      },
      120_000,
    );
  }

  /** Ends it and resolves with its exit code, null after a kill. */
  async end(signal: 'SIGKILL' | 'SIGTERM'): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return null;
    const ended = once(child, 'exit');
    child.kill(signal);
    const [code] = await ended;
    return typeof code === 'number' ? code : null;
  }

  async close(): Promise<void> {
    await this.end('SIGKILL');
    for (const link of this.links.values()) await link.close();
  }

  #launch(): void {
    const log = openSync(join(this.#directory, 'log.jsonl'), 'a');
    const args = [main, 'serve', '--port', String(this.port)];
    const child = spawn(process.execPath, args, {
      cwd: this.#directory,
      env: this.#env,
      stdio: ['ignore', log, log],
    });
    this.#child = child;
    running.add(child);
    child.once('exit', () => running.delete(child));
  }
}

/**
 * Rewrites a Redis reply: replaces the ports of servers, which are separate texts there, by those of the proxies to
 * them.
 */
function renamePorts(reply: Buffer, links: ReadonlyMap<number, SeverableProxy>): Buffer {
  const text = reply.toString('latin1');
  const renamed = text.replaceAll(/\$\d+\r\n(\d+)\r\n/g, (bulk, digits) => {
    const link = links.get(Number(digits));
    return link === undefined ? bulk : `$${String(link.port).length}\r\n${link.port}\r\n`;
  });
  return renamed === text ? reply : Buffer.from(renamed, 'latin1');
}
