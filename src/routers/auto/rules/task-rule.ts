import type { TaskTag } from '../../../core/task-tags.ts';

/** Signs of a task: expressions in a text, and how much the first one of them counts for the tag. */
export interface TaskRule {
  readonly tag: TaskTag;
  readonly weight: number;
  readonly sign: RegExp;
}

/** Scripts that put no blanks between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** What may not stand beside a whole word. Chinese and Japanese may. */
const letter = '[\\p{N}\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}]';

/**
 * A rule from expressions that are separated by `|`. Each stands for whole words in any case; `~` at its end stands for
 * any more letters. No expression repeats a repetition, so each is linear in the text.
 */
export function rule(tag: TaskTag, weight: number, expressions: string): TaskRule {
  return { tag, weight, sign: wordsOf(expressions) };
}

/** Finds any of the expressions, as `rule` reads them. */
export function wordsOf(expressions: string): RegExp {
  const spaced: string[] = [];
  const others: string[] = [];
  for (const one of splitOutside(expressions))
    (unspaced.test(one) ? others : spaced).push(one.replace(/~$/, '\\p{L}*'));
  const whole = spaced.length === 0 ? [] : [`(?<!${letter})(?:${spaced.join('|')})(?!${letter})`];
  return new RegExp([...whole, ...others].join('|'), 'giu');
}

/** Splits at every `|` that no bracket encloses. */
function splitOutside(text: string): readonly string[] {
  const found: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '(' || character === '[') depth += 1;
    else if (character === ')' || character === ']') depth -= 1;
    else if (character === '|' && depth === 0) {
      found.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...found, text.slice(from)];
}
