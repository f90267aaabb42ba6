import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { freePort } from './free-port.ts';

/** A PostgreSQL server of a test's own. */
export interface PostgresServer {
  readonly port: number;
  /** The URL of a database on it, which need not exist. */
  url(database: string): string;
  /** The same with somebody in between, or another password. */
  urlWith(database: string, change: { readonly port?: number; readonly password?: string }): string;
  /** Makes an empty database, or a copy of one nobody is connected to, and gives its name. */
  createDatabase(template?: string): Promise<string>;
  dropDatabase(name: string): Promise<void>;
  /** Runs statements as the owner of everything. */
  run(statement: string, database?: string): Promise<readonly Record<string, unknown>[]>;
  /**
   * Kills the server without a warning, as a crash of its machine would, and waits for its end; with SIGINT it ends
   * in order.
   */
  kill(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again, with other settings if some are given. */
  start(settings?: readonly string[]): Promise<void>;
  /** Ends it and removes its files. */
  stop(): Promise<void>;
}

const user = 'headgate';
const password = 'a password with "signs" & spaces';

/** Where and how a server runs. */
export interface PostgresPlace {
  /** Its files, which may be those of an earlier one; default: a new temporary directory. */
  readonly directory?: string;
  /** `name=value`, as its command line takes them. */
  readonly settings?: readonly string[];
}

const testSettings = ['max_connections=60', 'autovacuum=off'];

/**
 * Starts a server on a free port with its files in a temporary directory, durable as a real one.
 * @throws Error that says what to install.
 */
export async function startPostgres(place: PostgresPlace = {}): Promise<PostgresServer> {
  const binaries = await findBinaries();
  const identity = serverIdentity();
  const directory = place.directory ?? (await mkdtemp(join(tmpdir(), 'headgate-postgres-')));
  const data = join(directory, 'data');
  if (!existsSync(data)) await makeFiles(binaries, directory, identity);
  const server = new Server({
    binary: join(binaries, 'postgres'),
    directory,
    data,
    identity,
    port: await freePort(),
  });
  await server.start(place.settings);
  return server;
}

async function makeFiles(binaries: string, directory: string, identity: Identity | undefined) {
  const data = join(directory, 'data');
  await mkdir(directory, { recursive: true });
  await writeFile(join(directory, 'password'), password);
  if (identity !== undefined) {
    await chown(directory, identity.uid, identity.gid);
    await chown(join(directory, 'password'), identity.uid, identity.gid);
  }
  execFileSync(
    join(binaries, 'initdb'),
    ['-D', data, '-U', user, '-A', 'scram-sha-256', '--pwfile', join(directory, 'password')].concat([
      '-E',
      'UTF8',
      '--locale',
      'C.UTF-8',
      '--no-sync',
    ]),
    { stdio: ['ignore', 'ignore', 'inherit'], ...identity, cwd: directory },
  );
}

interface Identity {
  readonly uid: number;
  readonly gid: number;
}

interface Place {
  readonly binary: string;
  readonly directory: string;
  readonly data: string;
  readonly identity: Identity | undefined;
  readonly port: number;
}

class Server implements PostgresServer {
  readonly #place: Place;
  #process: ChildProcess | undefined;
  #databases = 0;

  constructor(place: Place) {
    this.#place = place;
    process.once('exit', () => this.#process?.kill('SIGQUIT'));
  }

  get port(): number {
    return this.#place.port;
  }

  url(database: string): string {
    return this.urlWith(database, {});
  }

  urlWith(database: string, { port = this.port, password: given = password }): string {
    return `postgres://${user}:${encodeURIComponent(given)}@127.0.0.1:${port}/${database}`;
  }

  async createDatabase(template = 'template1'): Promise<string> {
    this.#databases += 1;
    const name = `test_${this.#databases}`;
    await this.run(`create database ${name} template ${template}`);
    return name;
  }

  async dropDatabase(name: string): Promise<void> {
    await this.run(`drop database if exists ${name} with (force)`);
  }

  async run(statement: string, database = 'postgres'): Promise<readonly Record<string, unknown>[]> {
    const client = new Client({ connectionString: this.url(database) });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  async start(settings: readonly string[] = testSettings): Promise<void> {
    if (this.#process !== undefined) return;
    const { binary, data, directory, identity, port } = this.#place;
    for (let left = 100; ; left -= 1) {
      const started = spawn(
        binary,
        ['-D', data, '-p', String(port), '-k', directory].concat(
          ['listen_addresses=127.0.0.1', ...settings].flatMap((setting) => ['-c', setting]),
        ),
        { stdio: ['ignore', 'ignore', 'pipe'], ...identity, cwd: directory },
      );
      let log = '';
      started.stderr?.setEncoding('utf8').on('data', (text: string) => {
        log = `${log}${text}`.slice(-2000);
      });
      if (await this.#answers(started)) {
        this.#process = started;
        return;
      }
      // What is left of a killed one keeps its memory for a moment.
      if (left === 0) throw new Error(`PostgreSQL did not start: ${log}`);
      await sleep(100);
    }
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    await this.#end(signal);
  }

  async stop(): Promise<void> {
    await this.#end('SIGQUIT');
    await rm(this.#place.directory, { recursive: true, force: true, maxRetries: 10 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const ending = this.#process;
    this.#process = undefined;
    if (ending === undefined || ending.exitCode !== null || ending.signalCode !== null) return;
    const exited = new Promise((resolve) => ending.once('exit', resolve));
    // A killed server leaves those who serve connections, which would go on with what they are doing.
    const serving = signal === 'SIGKILL' ? childrenOf(ending.pid) : [];
    ending.kill(signal);
    for (const pid of serving) process.kill(pid, signal);
    await exited;
  }

  /** Whether the server takes connections; false when it has ended instead. */
  async #answers(started: ChildProcess): Promise<boolean> {
    while (started.exitCode === null && started.signalCode === null) {
      try {
        await this.run('select 1');
        return true;
      } catch {
        await sleep(30);
      }
    }
    return false;
  }
}

function childrenOf(pid: number | undefined): readonly number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

/** PostgreSQL refuses to run as root: then it runs as the user its package made. */
function serverIdentity(): Identity | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const numberOf = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: numberOf('-u'), gid: numberOf('-g') };
}

async function findBinaries(): Promise<string> {
  const root = '/usr/lib/postgresql';
  const versions = await readdir(root).catch(() => []);
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
  if (newest === undefined) {
    throw new Error(
      'These tests need a PostgreSQL server: install the package "postgresql" (apt-get install postgresql).',
    );
  }
  return join(root, newest, 'bin');
}
