import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack, Counts } from './attack.ts';
import { auditBooks } from './books.ts';
import { Bystander, type Experience, percentile } from './bystander.ts';
import { endWithUs } from './end-with-us.ts';
import { childMemory, forgetPeak, packetsSentAgain, residentMemory } from './process-memory.ts';
import { startTarget, type TargetServer } from './target-server.ts';

/** How long a case takes, and against what. */
export interface CaseOptions {
  /** The checkout whose server is attacked. */
  readonly checkout: string;
  /** Seconds of the attack. */
  readonly seconds: number;
  readonly seed: number;
}

/** What came of an attack. Memory in MiB, times in milliseconds. */
export interface CaseResult {
  readonly attack: Attack;
  readonly survived: boolean;
  readonly before: number;
  readonly peak: number;
  /** The most that one child of the server had, and all of them together at one moment. */
  readonly child: number;
  readonly children: number;
  readonly quiet: Experience;
  readonly attacked: Experience;
  readonly counts: Counts;
  /** Packets that the kernel had to send again meanwhile, of whosever connections. */
  readonly sentAgain: number;
  /** What is wrong with the money. */
  readonly money: readonly string[];
  readonly log: string;
}

/** How often a bystander may wait longer than without the attack. */
const mostSlower = 10;
/** Milliseconds below which waiting counts as no waiting. */
const shortWait = 5;

/** MiB of resident memory that a child of the server may have; it is looked at every 25 ms, and a fast one grows in between. */
const largestChild = 600;

/** Seconds of requests before anything is measured, and without the attack. */
const warmUp = 1.5;
const quietTime = 2.5;

/** Starts a server, attacks it, and says what came of it. */
export async function runCase(attack: Attack, options: CaseOptions): Promise<CaseResult> {
  const providers = [startScript('provider.ts', 'hostile'), startScript('provider.ts', 'calm')] as const;
  try {
    const [hostile, calm] = (await Promise.all(providers.map(firstMessage))) as [number, number];
    await using target = await startTarget(options.checkout, { hostile, calm });
    return await attackTarget(attack, target, options);
  } finally {
    for (const child of providers) child.kill('SIGKILL');
  }
}

async function attackTarget(
  attack: Attack,
  target: TargetServer,
  { seconds, seed }: CaseOptions,
): Promise<CaseResult> {
  const { port, pid, keys } = target;
  const bystander = new Bystander({
    port,
    key: keys.bystander,
    from: attack.othersFrom,
    keepsConnections: attack.crowdsListener === true,
  });
  await attack.prepare?.({ port, keys });
  await bystander.warmUp();
  await bystander.observe(warmUp);
  const quiet = await bystander.observe(quietTime);
  forgetPeak(pid);
  const before = residentMemory(pid).now;
  const attacker = startScript('attacker.ts');
  const told = firstMessage(attacker);
  const addressee = { host: '127.0.0.1', port, key: keys.attacker, poorKey: keys.poor, seconds, seed };
  attacker.send({ name: attack.name, target: addressee });
  const sentBefore = packetsSentAgain();
  let [peak, child, children] = [before, 0, 0];
  const watch = setInterval(() => {
    if (!target.alive) return;
    peak = Math.max(peak, residentMemory(pid).peak);
    const sizes = childMemory(pid);
    child = Math.max(child, sizes[0] ?? 0);
    children = Math.max(
      children,
      sizes.reduce((sum, size) => sum + size, 0),
    );
  }, 100);
  const attacked = await bystander.observe(seconds);
  const sentAgain = packetsSentAgain() - sentBefore;
  const counts = (await told) as Counts;
  attacker.kill('SIGKILL');
  await sleep(attack.windDown ?? 200);
  clearInterval(watch);
  const survived = target.alive && (await isLive(port));
  bystander.close();
  await target.stop();
  const money = await auditBooks(target, bystander);
  return {
    attack,
    survived,
    before,
    peak,
    child,
    children,
    quiet,
    attacked,
    counts,
    sentAgain,
    money,
    log: target.log(),
  };
}

async function isLive(port: number): Promise<boolean> {
  const signal = AbortSignal.timeout(10_000);
  const answer = await fetch(`http://127.0.0.1:${port}/health/live`, { signal }).catch(() => undefined);
  return answer?.ok === true;
}

function startScript(name: string, ...args: string[]): ChildProcess {
  return endWithUs(
    fork(join(import.meta.dirname, name), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] }),
  );
}

async function firstMessage(child: ChildProcess): Promise<unknown> {
  const [message] = await once(child, 'message');
  return message;
}

/** Milliseconds that 99 of 100 requests of others took at most: without the attack, with it, and how much longer. */
export function waitsOf({ quiet, attacked }: Pick<CaseResult, 'quiet' | 'attacked'>) {
  const [without, during] = [percentile(quiet.latencies, 99), percentile(attacked.latencies, 99)];
  return { without, during, ratio: during / Math.max(without, shortWait) };
}

/** What an attack achieved that it must not; none when the server withstood it. */
export function faultsOf(result: CaseResult): readonly string[] {
  const { attack, survived, before, peak, child, attacked, counts, money } = result;
  const { during, without, ratio } = waitsOf(result);
  const reasons = [...attacked.reasons].slice(0, 3).join('; ');
  return [
    ...(survived ? [] : ['the server did not survive']),
    ...(peak - before <= attack.memory
      ? []
      : [`memory grew by ${Math.round(peak - before)} MiB, more than ${attack.memory}`]),
    ...(child <= largestChild ? [] : [`a child process took ${Math.round(child)} MiB`]),
    ...(attacked.errors === 0 ? [] : [`${attacked.errors} requests of others failed: ${reasons}`]),
    ...(attacked.shed === 0 || attack.sheds === true
      ? []
      : [`${attacked.shed} requests of others were turned away: ${reasons}`]),
    ...(attacked.unanswered === 0
      ? []
      : [`${attacked.unanswered} requests of others were not answered: ${reasons}`]),
    ...(ratio <= mostSlower
      ? []
      : [`others waited ${during.toFixed(0)} ms instead of ${without.toFixed(1)} ms (p99)`]),
    ...(attack.judge?.(counts) ?? []),
    ...money,
  ];
}

/** Whether the only fault is that others waited too long. */
export function onlySlow(result: CaseResult): boolean {
  return faultsOf(result).length === 1 && waitsOf(result).ratio > mostSlower;
}
