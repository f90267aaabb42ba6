import {
  type Profile,
  placeOf,
  readProfiles,
  type Span,
  selfTimes,
  type ThreadProfile,
} from './cpu-profile.ts';
import { flameText } from './profile-flame.ts';
import { add, stageTable, timesByStage } from './profile-stages.ts';
import type { ProfileWindow } from './workbench.ts';

const shownRows = 40;

/**
 * Tells where the time of each profiled gateway went in each part, while it was warm and driven: by stage, as a
 * flame graph of its main thread, and the dearest functions. Compilers and collectors run in threads that no
 * profile shows.
 */
export function summarizeProfiles(directory: string, windows: readonly ProfileWindow[]): string {
  const profiles = readProfiles(directory);
  const groups = Map.groupBy(windows, ({ pid, part }) => `${pid} ${part}`);
  return [...groups.values()]
    .flatMap((group) => {
      const [first] = group;
      const threads = profiles.filter(({ pid }) => pid === first?.pid);
      if (first === undefined || threads.length === 0) return [];
      const answers = group.reduce((sum, window) => sum + window.answers, 0);
      return summarize(`${first.gateway}, ${first.part}, ${answers} requests`, threads, group, answers);
    })
    .join('\n');
}

function summarize(
  title: string,
  threads: readonly ThreadProfile[],
  spans: readonly Span[],
  answers: number,
): readonly string[] {
  return threads
    .toSorted((one, other) => one.thread - other.thread)
    .flatMap(({ thread, profile }) => [
      '',
      `${title}: ${thread === 0 ? 'main thread' : `thread ${thread}`}`,
      ...stageTable(timesByStage(profile, spans), answers),
      ...(thread === 0
        ? [
            '',
            ...flameText(profile, spans, answers),
            '',
            'in each function itself, µs a request',
            ...dearest(profile, spans, answers),
          ]
        : []),
    ]);
}

function dearest(profile: Profile, spans: readonly Span[], answers: number): readonly string[] {
  const times = selfTimes(profile, spans);
  const functions = new Map<string, number>();
  for (const node of profile.nodes) {
    const time = times.get(node.id);
    if (time !== undefined) add(functions, placeOf(node), time);
  }
  return [...functions]
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, shownRows)
    .map(([place, time]) => `${(time / answers).toFixed(1).padStart(8)}  ${place}`);
}
