import { type TaskTag, taskTags } from '../../src/core/task-tags.ts';
import type { LabelledPrompt, PromptPart } from './labelled-prompts.ts';

/** A labelled prompt and what a classifier said of it; undefined where it recognised nothing. */
export interface JudgedPrompt {
  readonly prompt: LabelledPrompt;
  readonly found: TaskTag | undefined;
}

/** The parts of the prompts, with the words for them. */
export const promptParts: Readonly<Record<PromptPart, string>> = {
  tuning: 'tuned on',
  held_out: 'held out',
  later: 'written afterwards',
};

/** How many prompts of a part were recognised. */
export function accuracyOf(
  judged: readonly JudgedPrompt[],
  part: PromptPart,
): { readonly right: number; readonly all: number; readonly share: number } {
  const ofPart = judged.filter(({ prompt }) => prompt.part === part);
  const right = ofPart.filter(({ prompt, found }) => found === prompt.tag).length;
  return { right, all: ofPart.length, share: right / ofPart.length };
}

/** One line for each part: how many prompts it has, and how many were recognised. */
export function accuracyLines(judged: readonly JudgedPrompt[]): readonly string[] {
  return Object.entries(promptParts).map(([part, words]) => {
    const { right, all, share } = accuracyOf(judged, part as PromptPart);
    return `| ${words} | ${all} | ${right} | ${share.toFixed(3)} |`;
  });
}

/** The confusion table as Markdown: a row for each tag, with what its prompts were taken for. */
export function confusionLines(judged: readonly JudgedPrompt[]): readonly string[] {
  const rows = taskTags.map((tag) => {
    const own = judged.filter(({ prompt }) => prompt.tag === tag);
    const taken = new Map<string, number>();
    for (const { found = 'none' } of own) taken.set(found, (taken.get(found) ?? 0) + 1);
    const right = taken.get(tag) ?? 0;
    taken.delete(tag);
    const wrong = [...taken].sort((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
    const words = wrong.map(([found, count]) => `${found} ${count}`).join(', ');
    return `| ${tag} | ${own.length} | ${right} | ${words} |`;
  });
  return ['| task | prompts | right | taken for |', '|---|--:|--:|---|', ...rows];
}
