import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import type { Secret } from '../../util/secret.ts';
import { request } from '../../util/undici.ts';
import { probeLimits } from '../probe-limits.ts';
import type {
  CommandBounds,
  CommandOutcome,
  SandboxContainer,
  SandboxDriver,
  SandboxLimits,
  SandboxReport,
} from '../sandbox-driver.ts';

/** Where containers of another machine are asked for. */
export interface HttpDriverSettings {
  readonly url: string;
  readonly apiKey?: Secret | undefined;
  readonly limits: SandboxLimits;
}

/** Milliseconds. */
const patience = 30_000;
const mostBytes = 16 * 1024 * 1024;

/** Containers that a service on another machine makes, by the protocol of docs/spec/sandbox.md#http. */
export class HttpDriver implements SandboxDriver {
  readonly name = 'http';
  readonly #settings: HttpDriverSettings;

  constructor(settings: HttpDriverSettings) {
    this.#settings = settings;
  }

  async create(): Promise<SandboxContainer> {
    const { memory, disk, processes } = this.#settings.limits;
    const { id } = await this.#ask('POST', '/containers', { limits: { memory, disk, processes } });
    if (typeof id !== 'string' || !/^[\w-]{1,100}$/.test(id))
      throw new Error('the service gave a container no id');
    return new RemoteContainer(`/containers/${id}`, (method, path, body, signal, timeout) =>
      this.#ask(method, path, body, signal, timeout),
    );
  }

  probe(): Promise<SandboxReport> {
    return probeLimits(
      () => this.create(),
      this.#settings.limits,
      () => [],
    );
  }

  async #ask(
    method: 'POST' | 'DELETE',
    path: string,
    body?: JsonObject,
    signal?: AbortSignal,
    timeout = patience,
  ): Promise<JsonObject> {
    const { url, apiKey } = this.#settings;
    const total = AbortSignal.timeout(timeout);
    const answer = await request(url + path, {
      method,
      headers: {
        'content-type': 'application/json',
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey.reveal()}` }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      headersTimeout: timeout,
      bodyTimeout: timeout,
      signal: signal === undefined ? total : AbortSignal.any([signal, total]),
    });
    const read = parseJson(await readText(answer.body));
    if (answer.statusCode === 404) throw new Error('the container is gone');
    if (answer.statusCode >= 300) throw new Error(`the sandbox service answered ${answer.statusCode}`);
    return isObject(read) ? read : {};
  }
}

async function readText(body: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > mostBytes) throw new Error('the sandbox service answered too much');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

type Ask = (
  method: 'POST' | 'DELETE',
  path: string,
  body?: JsonObject,
  signal?: AbortSignal,
  timeout?: number,
) => Promise<JsonObject>;

/** A container of the service. */
class RemoteContainer implements SandboxContainer {
  readonly #path: string;
  readonly #ask: Ask;
  #isAlive = true;

  constructor(path: string, ask: Ask) {
    this.#path = path;
    this.#ask = ask;
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  async exec(command: string, { timeout, maxOutput, signal }: CommandBounds): Promise<CommandOutcome> {
    const body = { command, timeout_ms: timeout, max_output_bytes: maxOutput };
    try {
      const outcome = await this.#ask('POST', `${this.#path}/exec`, body, signal, timeout + patience);
      const { stdout, stderr, exit_code: code } = outcome;
      return { stdout: cut(stdout, maxOutput), stderr: cut(stderr, maxOutput), exitCode: exitCodeOf(code) };
    } catch (thrown) {
      // What it does now is not known, so nothing else is run there.
      this.#isAlive = false;
      void this.destroy();
      throw thrown;
    }
  }

  async destroy(): Promise<void> {
    this.#isAlive = false;
    await this.#ask('DELETE', this.#path).catch(() => undefined);
  }
}

function cut(text: unknown, most: number): string {
  return typeof text === 'string' ? text.slice(0, most) : '';
}

/** Null where its time was up. */
function exitCodeOf(code: unknown): number | undefined {
  return typeof code === 'number' ? code : undefined;
}
