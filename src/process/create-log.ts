import pino, { type Logger } from 'pino';
import type { Config } from '../config/config.ts';
import { LogDestination } from './log-destination.ts';
import { terminalLine } from './terminal-line.ts';

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
