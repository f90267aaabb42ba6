import { type Profile, placeOf, type Span, selfTimes } from './cpu-profile.ts';
import { add, stageTable, timesByStage } from './profile-stages.ts';
import type { ProfiledPart } from './profiled-parts.ts';

const shownRows = 40;

/**
 * Describes where the time of each profiled gateway went in each part: by stage, and the most expensive functions
 * of its main thread. Compilers and collectors run in threads that no profile shows.
 */
export function summarizeProfiles(parts: readonly ProfiledPart[]): string {
  return parts.flatMap(summarize).join('\n');
}

function summarize({ gateway, part, spans, answers, threads }: ProfiledPart): readonly string[] {
  return threads.flatMap(({ thread, profile }) => [
    '',
    `${gateway}, ${part}, ${answers} requests: ${thread === 0 ? 'main thread' : `thread ${thread}`}`,
    ...stageTable(timesByStage(profile, spans), answers),
    ...(thread === 0
      ? ['', 'in each function itself, µs a request', ...mostExpensive(profile, spans, answers)]
      : []),
  ]);
}

function mostExpensive(profile: Profile, spans: readonly Span[], answers: number): readonly string[] {
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
