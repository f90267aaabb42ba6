import { type ChildProcess, type StdioOptions, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The core of the gateway under test, alone. */
export const gatewayCore = '0';
/** The core of everything else: upstream, load generator, databases. */
export const loadCore = '1';
/** For a gateway of two processes; one of them shares its core with the load. */
export const bothCores = `${gatewayCore},${loadCore}`;

/** Whether processes can be bound to cores here. */
export const canPin: boolean = spawnSync('taskset', ['--version']).status === 0;

/** How to start a Node process. */
export interface NodeProcessOptions {
  readonly name: string;
  /** A list of cores in the form of `taskset`. */
  readonly cores: string;
  /** Node's own options, the script, its arguments. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** The directory of its output; without it an IPC channel is opened instead and the output is shown. */
  readonly logDirectory?: string;
}

/** A process that this run started. */
export interface NodeProcess {
  readonly name: string;
  readonly pid: number;
  readonly child: ChildProcess;
  /** The end of its output, for a failure's message. */
  log(): string;
  /** Asks it to end, and kills it after ten seconds. */
  stop(): Promise<void>;
}

const running = new Set<ChildProcess>();
const farewells: (() => Promise<void>)[] = [];
const killAll = (): void => {
  for (const child of running) child.kill('SIGKILL');
};
process.on('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    killAll();
    Promise.allSettled(farewells.map((end) => end())).then(() => process.exit(1));
  });
}

/** Registers work to do once processes are stopped, also when a signal ends the run. */
export function beforeExit(end: () => Promise<void>): void {
  farewells.push(end);
}

/** Moves this process, and by default its children, to the core of the load. */
export function leaveGatewayCore(): void {
  if (canPin) spawnSync('taskset', ['--cpu-list', '--pid', loadCore, String(process.pid)]);
}

/** Starts a script with this run's Node, bound to a core where that is possible. */
export function startNode(options: NodeProcessOptions): NodeProcess {
  const logFile =
    options.logDirectory === undefined ? undefined : join(options.logDirectory, `${options.name}.log`);
  const logDescriptor = logFile === undefined ? undefined : openSync(logFile, 'a');
  const stdio: StdioOptions =
    logDescriptor === undefined ? ['ignore', 2, 2, 'ipc'] : ['ignore', logDescriptor, logDescriptor];
  const command = [process.execPath, ...options.args];
  const pinned = canPin ? ['taskset', '--cpu-list', options.cores, ...command] : command;
  const [program = process.execPath, ...args] = pinned;
  const child = spawn(program, args, { stdio, env: { ...process.env, ...options.env } });
  if (logDescriptor !== undefined) closeSync(logDescriptor);
  if (child.pid === undefined) throw new Error(`${options.name} could not be started`);
  running.add(child);
  child.once('exit', () => running.delete(child));
  return {
    name: options.name,
    pid: child.pid,
    child,
    log: () => (logFile === undefined ? '' : readFileSync(logFile, 'utf8').slice(-4000)),
    stop: () => stop(child),
  };
}

/** Ends all running processes, after a failure as well as after success. */
export async function stopAll(): Promise<void> {
  await Promise.all([...running].map(stop));
  await Promise.allSettled(farewells.splice(0).map((end) => end()));
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  if (child.connected) child.disconnect();
  else child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(impatience);
}

/** Waits until a started gateway is ready; rejects with the end of its log after `limit` ms. */
export async function waitUntilReady(started: NodeProcess, url: string, limit = 15_000): Promise<void> {
  const deadline = performance.now() + limit;
  while (performance.now() < deadline && started.child.exitCode === null) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${started.name} was not ready at ${url}; it wrote:\n${started.log()}`);
}

/** Sends one message and waits for its answer. */
export async function ask<Order extends object, Result>(started: NodeProcess, order: Order): Promise<Result> {
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  const onExit = (): void => reject(new Error(`${started.name} ended`));
  started.child.once('message', resolve);
  started.child.once('exit', onExit);
  started.child.send(order);
  try {
    return await promise;
  } finally {
    started.child.off('message', resolve);
    started.child.off('exit', onExit);
  }
}
