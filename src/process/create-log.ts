import { write, writeSync } from 'node:fs';
import pino, { type Logger } from 'pino';
import { visible } from '../cli/format-table.ts';
import type { Config } from '../config/config.ts';
import { isObject, parseJson } from '../util/json.ts';

/** Bytes in the buffer that trigger a write before the timer does. */
const gathered = 8192;

/** Limit of buffered UTF-16 units while nothing can be written; further lines are lost. */
const maxWaiting = 1024 * 1024;

/**
 * A file, pipe or device for log lines, which are written together in the background, so that no request waits. A
 * destination that accepts nothing, such as a full disk or a stopped reader, blocks nobody: lines are buffered, then
 * lost, and complete lines follow once it accepts them again.
 */
export class LogDestination {
  readonly #descriptor: number;
  /** The data of the current write, or of one that failed. */
  #unwritten: Buffer = Buffer.alloc(0);
  #writing = false;
  #waiting = '';
  #whenWritten: (() => void)[] = [];

  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  /** Takes a line, including its line break. */
  write(line: string): void {
    if (this.#waiting.length + line.length > maxWaiting) return;
    this.#waiting += line;
    // After a failed write only the timer tries again.
    if (this.#waiting.length >= gathered && this.#unwritten.length === 0) this.flush();
  }

  /** Writes the buffer as far as possible, then calls back. */
  flush(done?: () => void): void {
    if (done !== undefined) this.#whenWritten.push(done);
    if (this.#writing) return;
    if (this.#unwritten.length === 0) this.#takeWaiting();
    this.#writeOn();
  }

  /** Writes the buffer synchronously, for a process that ends; the rest is lost. */
  flushSync(): void {
    // The current write may still succeed, so its lines are not written twice.
    const rest = this.#writing
      ? Buffer.from(this.#waiting)
      : Buffer.concat([this.#unwritten, Buffer.from(this.#waiting)]);
    this.#waiting = '';
    try {
      for (let done = 0; done < rest.length; ) done += writeSync(this.#descriptor, rest, done);
    } catch {
      // There is nowhere left to report it.
    }
  }

  #takeWaiting(): void {
    this.#unwritten = Buffer.from(this.#waiting);
    this.#waiting = '';
  }

  #writeOn(): void {
    if (this.#unwritten.length === 0) {
      this.#notifyWriters();
      return;
    }
    this.#writing = true;
    write(this.#descriptor, this.#unwritten, (error, written) => {
      this.#writing = false;
      if (error !== null) {
        this.#notifyWriters();
        return;
      }
      this.#unwritten = this.#unwritten.subarray(written);
      const more = this.#waiting.length >= gathered || this.#whenWritten.length > 0;
      if (this.#unwritten.length === 0 && more) this.#takeWaiting();
      this.#writeOn();
    });
  }

  #notifyWriters(): void {
    const callbacks = this.#whenWritten;
    this.#whenWritten = [];
    for (const done of callbacks) done();
  }
}

/** Milliseconds after which log lines are written, however few there are. */
const logDelay = 200;
const standardOutput = 1;

/** The log of this process. */
export interface ProcessLog {
  readonly log: Logger;
  /**
   * Takes complete lines from another process; undefined where the log is a terminal with formatted lines.
   */
  readonly write?: (lines: string) => void;
}

/** Opens the log on standard output (docs/spec/operations.md#logs). Every line contains `base`. */
export async function createLog(
  config: Config,
  isTerminal: boolean,
  base: Readonly<Record<string, unknown>> | null = null,
): Promise<ProcessLog> {
  const options = { level: config.logLevel, base };
  if (isTerminal) {
    const { default: pretty } = await import('pino-pretty');
    const people = pretty({ singleLine: true });
    return { log: pino(options, { write: (line: string) => people.write(terminalLine(line)) }) };
  }
  const destination = new LogDestination(standardOutput);
  process.once('exit', () => destination.flushSync());
  // A busy server writes when the buffer is full, a quiet one after a delay.
  setInterval(() => destination.flush(), logDelay).unref();
  return { log: pino(options, destination), write: (lines) => destination.write(lines) };
}

/** Resolves when everything logged has been written. */
export function written(log: Logger): Promise<void> {
  return new Promise((resolve) => log.flush(() => resolve()));
}

/**
 * Formats a log line for a terminal: a request becomes one sentence instead of a list of members. Other lines, and
 * those with an error, stay unchanged.
 */
export function terminalLine(line: string): string {
  const record = parseJson(line);
  if (!isObject(record) || 'err' in record) return line;
  const msg = sentences.get(String(record.msg))?.(record);
  if (msg === undefined) return line;
  const { level, time } = record;
  return `${JSON.stringify({ level, time, msg: visible(msg) })}\n`;
}

type LogRecord = Readonly<Record<string, unknown>>;

const sentences = new Map<string, (record: LogRecord) => string>([
  ['served', (record) => callSentence('served', record)],
  ['failed', (record) => callSentence('failed', record)],
  [
    'request refused',
    ({ method, path, status, reason, ...rest }) =>
      `refused ${method} ${path}: ${status} ${reason}${origin(rest, [rest.key ?? rest.client])}`,
  ],
]);

function callSentence(verb: string, record: LogRecord): string {
  const { model, provider, finish, error, failures, input, output, duration, cost, key } = record;
  const facts = [
    finish === 'cancelled' && 'the client left',
    typeof error === 'string' && error,
    ...(Array.isArray(failures) ? failures.filter(isObject).map(failureOf) : []),
    typeof input === 'number' && `tokens ${input} in`,
    typeof output === 'number' && `${output} out`,
    `${duration} ms`,
    costOf(cost),
  ];
  const by = provider === undefined ? '' : ` by ${provider}`;
  return `${verb} ${model}${by}: ${facts.filter((fact) => fact !== false).join(', ')}${origin(record, [key])}`;
}

function failureOf({ tag, reason, code }: LogRecord): string {
  return `${tag} failed (${code === undefined ? reason : `${reason} ${code}`})`;
}

function costOf(cost: unknown): string {
  if (typeof cost !== 'number') return 'no price';
  return `${cost.toFixed(9).replace(/\.?0+$/, '')} USD`;
}

/** The parts that lead from the terminal to the record, the key and the process. */
function origin({ id, worker }: LogRecord, more: readonly unknown[]): string {
  const words = [id, ...more, worker === undefined ? undefined : `worker ${worker}`];
  return ` (${words.filter((word) => word !== undefined).join(', ')})`;
}
