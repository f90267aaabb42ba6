import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
  readonly children?: readonly number[];
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const shownRows = 40;
const idle = '(idle)';

/** Summarizes every CPU profile in a directory: where the time itself went, by function and by file. */
export function summarizeProfiles(directory: string): string {
  return readdirSync(directory)
    .filter((name) => name.endsWith('.cpuprofile'))
    .map((name) => summarize(name, JSON.parse(readFileSync(join(directory, name), 'utf8'))))
    .join('\n');
}

function summarize(name: string, profile: Profile): string {
  const selfTimes = new Map<number, number>();
  profile.samples.forEach((id, index) => {
    add(selfTimes, id, profile.timeDeltas[index] ?? 0);
  });
  const busyNodes = profile.nodes.filter((node) => node.callFrame.functionName !== idle);
  const byFunction = new Map<string, number>();
  const byFile = new Map<string, number>();
  for (const node of busyNodes) {
    const selfTime = selfTimes.get(node.id) ?? 0;
    add(byFunction, place(node), selfTime);
    add(byFile, node.callFrame.url === '' ? node.callFrame.functionName : fileName(node), selfTime);
  }
  const busy = [...byFile.values()].reduce((sum, time) => sum + time, 0);
  return [
    `${name}, time in each file itself`,
    ...rows(byFile, busy),
    `\n${name}, time in each function itself`,
    ...rows(byFunction, busy),
    `\n${name}, time in each function and what it calls`,
    ...rows(totalTimes(profile, selfTimes), busy),
  ].join('\n');
}

/** Adds each node's time to every function above it once, however often it recurses. */
function totalTimes(profile: Profile, selfTimes: ReadonlyMap<number, number>): Map<string, number> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const totals = new Map<string, number>();
  const visit = (node: ProfileNode, above: ReadonlySet<string>): void => {
    const here = new Set(above);
    if (node.callFrame.url !== '') here.add(place(node));
    for (const key of here) add(totals, key, selfTimes.get(node.id) ?? 0);
    for (const child of node.children ?? []) {
      const below = nodes.get(child);
      if (below !== undefined) visit(below, here);
    }
  };
  const root = profile.nodes[0];
  if (root !== undefined) visit(root, new Set());
  return totals;
}

function add<Key>(times: Map<Key, number>, key: Key, time: number): void {
  times.set(key, (times.get(key) ?? 0) + time);
}

/** Shares of the time the process was not idle. */
function rows(times: ReadonlyMap<string, number>, busy: number): string[] {
  return [...times]
    .sort((left, right) => right[1] - left[1])
    .slice(0, shownRows)
    .map(([key, time]) => `${((time / busy) * 100).toFixed(1).padStart(6)} %  ${key}`);
}

function place(node: ProfileNode): string {
  const name = node.callFrame.functionName || '(anonymous)';
  return node.callFrame.url === '' ? name : `${name}  ${fileName(node)}:${node.callFrame.lineNumber + 1}`;
}

function fileName(node: ProfileNode): string {
  const { url } = node.callFrame;
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  const root = join(import.meta.dirname, '..');
  return path.startsWith(root) ? path.slice(root.length + 1) : path;
}
