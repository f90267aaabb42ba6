import { readProfiles, type Span, type ThreadProfile } from './cpu-profile.ts';
import type { ProfileWindow } from './workbench.ts';

/** A gateway in a part of the benchmark, while it was warm and under load. */
export interface ProfiledPart {
  readonly gateway: string;
  readonly part: string;
  /** When it was under load, and how many answers it gave in that time. */
  readonly spans: readonly Span[];
  readonly answers: number;
  /** The main thread first. */
  readonly threads: readonly ThreadProfile[];
}

/** The profiles of a directory within these windows. */
export function profiledParts(directory: string, windows: readonly ProfileWindow[]): readonly ProfiledPart[] {
  const profiles = readProfiles(directory).toSorted((one, other) => one.thread - other.thread);
  return [...Map.groupBy(windows, ({ pid, part }) => `${pid} ${part}`).values()].flatMap((spans) => {
    const [first] = spans;
    const threads = profiles.filter(({ pid }) => pid === first?.pid);
    if (first === undefined || threads.length === 0) return [];
    const answers = spans.reduce((sum, window) => sum + window.answers, 0);
    return [{ gateway: first.gateway, part: first.part, spans, answers, threads }];
  });
}
