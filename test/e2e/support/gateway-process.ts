import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { freePort } from '../../support/free-port.ts';
import {
  type Finished,
  folderEnvironment,
  headgateCommand,
  type Program,
  startProgram,
  untilFinished,
} from './programs.ts';

/** What a test may say about the gateway it starts. */
export interface GatewayOptions {
  /** Where it runs; default: a new folder, removed with the gateway. */
  readonly directory?: string;
  /** Text of `headgate.yaml` there; default: no such file, or the one that is there. */
  readonly config?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A line of the log. */
export type LogLine = { readonly msg: string; readonly [key: string]: unknown };

/** A new empty folder, to be removed by whoever made it. */
export function newDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'headgate-e2e-'));
}

/** Starts the installed `headgate serve` and waits until it is ready. */
export async function startGateway(options: GatewayOptions = {}): Promise<GatewayProcess> {
  const directory = options.directory ?? newDirectory();
  if (options.config !== undefined) writeFileSync(join(directory, 'headgate.yaml'), options.config);
  const env = await folderEnvironment(directory, options.env);
  // Last, so that it is still free.
  const port = await freePort();
  const program = startProgram(headgateCommand(), ['serve', '--port', String(port)], { cwd: directory, env });
  const gateway = new GatewayProcess(program, port, directory, options.directory === undefined);
  await gateway.untilReady();
  return gateway;
}

/** A running gateway as its operator and its clients see it. */
export class GatewayProcess {
  readonly program: Program;
  readonly url: string;
  readonly directory: string;
  readonly dataDirectory: string;
  readonly #ownsDirectory: boolean;

  constructor(program: Program, port: number, directory: string, ownsDirectory: boolean) {
    this.program = program;
    this.url = `http://127.0.0.1:${port}`;
    this.directory = directory;
    this.dataDirectory = join(directory, '.headgate');
    this.#ownsDirectory = ownsDirectory;
  }

  /** The base URL clients are given. */
  get baseUrl(): string {
    return `${this.url}/api/v1`;
  }

  /** What the first start told where nobody watches a terminal. */
  get firstStart(): string {
    return readFileSync(join(this.dataDirectory, 'first-start.txt'), 'utf8');
  }

  /** The inference key of the first start. */
  get key(): string {
    return keyIn(this.firstStart, 'API key');
  }

  get managementKey(): string {
    return keyIn(this.firstStart, 'Management key');
  }

  get log(): readonly LogLine[] {
    const lines = this.program.stdout.split('\n').filter((line) => line !== '');
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** The first line of the log with this message, as soon as it is there. */
  logged(message: string): Promise<LogLine> {
    return eventually(`"${message}" in the log`, () => this.log.find((line) => line.msg === message));
  }

  post(
    body: unknown,
    options: {
      readonly key?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly signal?: AbortSignal;
    } = {},
  ) {
    const authorization = `Bearer ${options.key ?? this.key}`;
    return fetch(`${this.baseUrl}/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization, ...options.headers },
      body: JSON.stringify(body),
      signal: options.signal ?? null,
    });
  }

  /** Waits until it says that it is ready and, at a first start, has told its keys. */
  async untilReady(): Promise<void> {
    await eventually('readiness', async () => {
      if (this.program.child.exitCode !== null) {
        const { code, stdout, stderr } = await this.program.finished;
        throw new Error(`headgate ended with ${code}:\n${stdout}${stderr}`);
      }
      const answer = await fetch(`${this.url}/health/ready`).catch(() => undefined);
      return answer?.ok === true;
    });
    await eventually('the first start', () => existsSync(join(this.dataDirectory, 'first-start.txt')));
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals = 'SIGTERM'): Promise<Finished> {
    this.program.child.kill(signal);
    return untilFinished(this.program);
  }

  /** Ends it, whatever it is doing, and removes its folder if that was made for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.program.child.exitCode === null && this.program.child.signalCode === null) {
      this.program.child.kill('SIGKILL');
    }
    await this.program.finished;
    if (this.#ownsDirectory) await rm(this.directory, { recursive: true, force: true });
  }
}

function keyIn(text: string, name: string): string {
  const key = new RegExp(`${name} +(\\S+)`).exec(text)?.[1];
  if (key === undefined) throw new Error(`no ${name} in the text of the first start`);
  return key;
}
