import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readTaskTag, type TaskTag, taskTags } from '../../src/core/task-tags.ts';
import type { ReadTask } from '../../src/routers/auto/classify-by-rules.ts';
import { randomNumbers } from '../routing/random-numbers.ts';

/** A prompt with the kind of task that its author meant. */
export interface LabelledPrompt extends ReadTask {
  readonly tag: TaskTag;
  readonly part: PromptPart;
}

/**
 * Rules are tuned on the prompts of `tuning` only. `held_out` is a third of the same files, drawn by a seed; `later` was
 * written when the rules were finished.
 */
export type PromptPart = 'tuning' | 'held_out' | 'later';

const folder = join(import.meta.dirname, 'task-prompts');
/** Decides which third of each tag's prompts is held out. Never change it: rules are tuned on the other two thirds. */
const splitSeed = 24;

/**
 * All labelled prompts, in the order of the files. A file has a heading for each tag and then one prompt a line: `\n` is a
 * line break, `[tools 2]` before it says that tools are offered and were called twice, `[system: …]` gives instructions.
 */
export function labelledPrompts(): readonly LabelledPrompt[] {
  const first = readFolder(folder);
  const later = readFolder(join(folder, 'later'));
  return taskTags.flatMap((tag, index) => {
    const prompts = first.get(tag) ?? [];
    const heldOut = heldOutPlaces(prompts.length, splitSeed + index);
    return [
      ...prompts.map((prompt, place) => ({ ...prompt, tag, part: partOf(heldOut.has(place)) })),
      ...(later.get(tag) ?? []).map((prompt) => ({ ...prompt, tag, part: 'later' as const })),
    ];
  });
}

function partOf(isHeldOut: boolean): PromptPart {
  return isHeldOut ? 'held_out' : 'tuning';
}

function readFolder(path: string): ReadonlyMap<TaskTag, readonly ReadTask[]> {
  const byTag = new Map<TaskTag, ReadTask[]>();
  const files = readdirSync(path).filter((name) => name.endsWith('.txt'));
  for (const file of files.sort()) readFile(readFileSync(join(path, file), 'utf8'), byTag);
  return byTag;
}

function readFile(text: string, byTag: Map<TaskTag, ReadTask[]>): void {
  let into: ReadTask[] = [];
  for (const line of text.split('\n')) {
    if (line === '') continue;
    const heading = line.match(/^## (.+)$/)?.[1];
    if (heading === undefined) {
      into.push(readPrompt(line));
      continue;
    }
    const tag = readTaskTag(heading);
    if (tag === undefined) throw new Error(`"${heading}" is not a tag of src/core/task-tags.ts.`);
    into = byTag.get(tag) ?? [];
    byTag.set(tag, into);
  }
}

function readPrompt(line: string): ReadTask {
  const [, calls, withTools] = line.match(/^\[tools ?(\d+)?\] (.*)$/) ?? [];
  if (withTools !== undefined) return { text: broken(withTools), hasTools: true, calls: Number(calls ?? 0) };
  const [, instructions, withSystem] = line.match(/^\[system: ([^\]]*)\] (.*)$/) ?? [];
  if (withSystem !== undefined) return { text: broken(withSystem), instructions };
  return { text: broken(line) };
}

function broken(line: string): string {
  return line.replaceAll('\\n', '\n').replaceAll('\\\\', '\\');
}

/** A third of so many places, drawn by a seed. */
function heldOutPlaces(count: number, seed: number): ReadonlySet<number> {
  const random = randomNumbers(seed);
  const drawn = Array.from({ length: count }, (_, place) => ({ place, number: random() }));
  drawn.sort((one, other) => one.number - other.number);
  return new Set(drawn.slice(0, Math.round(count / 3)).map(({ place }) => place));
}
