import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** One node of the call tree. */
export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

/** The profile that `--cpu-prof` writes for a thread; times are microseconds. */
export interface Profile {
  /** The root first. */
  readonly nodes: readonly ProfileNode[];
  readonly startTime: number;
  readonly samples: readonly number[];
  /** Since the previous sample, or since the start. */
  readonly timeDeltas: readonly number[];
}

/** A thread's profile, with its process and thread. */
export interface ThreadProfile {
  readonly pid: number;
  /** 0 is the main thread. */
  readonly thread: number;
  readonly profile: Profile;
}

/** A time span in microseconds of the profiles' clock. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Reads every profile in a directory. */
export function readProfiles(directory: string): readonly ThreadProfile[] {
  return readdirSync(directory).flatMap((name) => {
    // CPU.date.time.process.thread.number.cpuprofile
    const found = /^CPU\.\d+\.\d+\.(\d+)\.(\d+)\.\d+\.cpuprofile$/.exec(name);
    if (found === null) return [];
    const profile: Profile = JSON.parse(readFileSync(join(directory, name), 'utf8'));
    return [{ pid: Number(found[1]), thread: Number(found[2]), profile }];
  });
}

/** Microseconds for which each node itself was busy during the spans; idle time is left out. */
export function selfTimes(profile: Profile, spans: readonly Span[]): ReadonlyMap<number, number> {
  const idle = new Set(profile.nodes.filter(isIdle).map(({ id }) => id));
  const times = new Map<number, number>();
  let at = profile.startTime;
  profile.samples.forEach((id, index) => {
    const passed = profile.timeDeltas[index] ?? 0;
    at += passed;
    if (idle.has(id) || !spans.some(({ from, to }) => from <= at && at <= to)) return;
    times.set(id, (times.get(id) ?? 0) + passed);
  });
  return times;
}

function isIdle({ callFrame }: ProfileNode): boolean {
  return callFrame.functionName === '(idle)';
}

const root = join(import.meta.dirname, '..');

/** The file of a function: relative for our own, `node:...` for Node's, empty for native code. */
export function fileOf({ callFrame: { url } }: ProfileNode): string {
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  return path.startsWith(root) ? path.slice(root.length + 1) : path;
}

/** The label of a function: its name, file and line. */
export function placeOf(node: ProfileNode): string {
  const name = node.callFrame.functionName || '(anonymous)';
  const file = fileOf(node);
  return file === '' ? name : `${name}  ${file}:${node.callFrame.lineNumber + 1}`;
}

/**
 * The stage of a function: a folder of the sources, or `libraries`, `node`, `garbage collector`, `native` for what
 * several of them use.
 */
export function stageOf(node: ProfileNode): string {
  const file = fileOf(node);
  // A library's HTTP parser.
  if (file.includes('node_modules/') || file.startsWith('wasm:')) return 'libraries';
  const [, top, folder] = /^(src|bench)\/(?:([^/]+)\/)?/.exec(file) ?? [];
  if (top !== undefined) return folder ?? (top === 'src' ? 'composition' : top);
  if (file !== '') return 'node';
  return node.callFrame.functionName === '(garbage collector)' ? 'garbage collector' : 'native';
}

/** Whether a stage is one of our own folders. */
export function isOwnStage(stage: string): boolean {
  return !sharedStages.has(stage);
}

const sharedStages: ReadonlySet<string> = new Set(['libraries', 'node', 'garbage collector', 'native']);
