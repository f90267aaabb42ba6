import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number };
}

interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

const shownRows = 40;

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
    selfTimes.set(id, (selfTimes.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0));
  });
  const byFunction = new Map<string, number>();
  const byFile = new Map<string, number>();
  for (const node of profile.nodes) {
    const { functionName, url, lineNumber } = node.callFrame;
    if (functionName === '(idle)') continue;
    const selfTime = selfTimes.get(node.id) ?? 0;
    const file = fileName(url);
    const place = url === '' ? '' : `  ${file}:${lineNumber + 1}`;
    add(byFunction, `${functionName || '(anonymous)'}${place}`, selfTime);
    add(byFile, url === '' ? functionName : file, selfTime);
  }
  return [`${name}, by file`, ...rows(byFile), '', `${name}, by function`, ...rows(byFunction), ''].join(
    '\n',
  );
}

function add(times: Map<string, number>, key: string, time: number): void {
  times.set(key, (times.get(key) ?? 0) + time);
}

/** Shares of the time the process was not idle. */
function rows(times: ReadonlyMap<string, number>): string[] {
  const all = [...times.values()].reduce((sum, time) => sum + time, 0);
  return [...times]
    .sort((left, right) => right[1] - left[1])
    .slice(0, shownRows)
    .map(([key, time]) => `${((time / all) * 100).toFixed(1).padStart(6)} %  ${key}`);
}

function fileName(url: string): string {
  if (!url.startsWith('file:')) return url;
  const path = fileURLToPath(url);
  const root = join(import.meta.dirname, '..');
  return path.startsWith(root) ? path.slice(root.length + 1) : path;
}
