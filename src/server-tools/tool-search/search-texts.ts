import { RE2JS } from 're2js';

/** A search of texts by a regular expression. Plain data, for a child process. */
export interface TextSearch {
  readonly texts: readonly string[];
  readonly query: string;
  /** How many texts to find at most. */
  readonly most: number;
}

/** The indexes of the texts that were found, or what is wrong with the query. */
export type TextsFound = { readonly found: readonly number[] } | { readonly problem: string };

/** States of the compiled query, and states times characters. */
const [mostStates, mostWork] = [4_000, 500_000_000];

/** The first texts that a query fits, in any case of letters and in the order of the texts. */
export function searchTexts({ texts, query, most }: TextSearch): TextsFound {
  let pattern: RE2JS;
  try {
    pattern = RE2JS.compile(query, RE2JS.CASE_INSENSITIVE);
  } catch {
    return { problem: 'is not a regular expression in RE2 syntax' };
  }
  const states = pattern.programSize();
  if (states > mostStates)
    return {
      problem: `compiles to ${states} states, at most ${mostStates} are searched; use smaller counts`,
    };
  const work = states * texts.reduce((sum, { length }) => sum + length, 0);
  if (work > mostWork)
    return { problem: `takes too long for so many functions; use words instead of counts such as .{0,900}` };
  const found: number[] = [];
  for (const [index, text] of texts.entries()) {
    if (found.length >= most) break;
    if (pattern.matcher(text).find()) found.push(index);
  }
  return { found };
}
