import { compiledPattern, findPattern, forgetPatterns } from './custom-pattern.ts';
import { type TextWindow, windowsOf } from './text-windows.ts';

/** Patterns to find in texts. Plain data, for a child process. */
export interface PatternJob {
  readonly texts: readonly string[];
  readonly patterns: readonly PatternToFind[];
  /** How many steps were done before, by an earlier job for the same texts and patterns. */
  readonly from: number;
  /** Bytes of memory of this process above which it forgets what compiled patterns remember. */
  readonly memory: number;
}

/** A pattern, and what is to be known of its matches. */
export interface PatternToFind {
  readonly pattern: string;
  /** The index of its filter. */
  readonly filter: number;
  /** Whether every match is reported, because it is replaced; otherwise one of each window. */
  readonly reportsAll: boolean;
}

/** What was found so far. */
export interface FoundPatterns {
  /** Four numbers a match: the indexes of its text and its filter, where it starts and ends. */
  readonly found: Uint32Array;
  /** Where the next job goes on; undefined at the end. */
  readonly next: number | undefined;
  /** Milliseconds. */
  readonly took: number;
}

/** What was found so far, or the product of states and characters where that is more than may be scanned. */
export type PatternReport = FoundPatterns | { readonly tooMuch: number };

/** States times characters that one request may need. */
export const mostPatternWork = 500_000_000;
/** Milliseconds after which a job ends between two steps, so that others have their turn. */
const turn = 100;
/** Characters of a window are this number by the states of its pattern, so that no step takes long. */
const stepWork = 8_000_000;
const shortestWindow = 32_768;

/**
 * Finds the matches of patterns in texts, step by step (one pattern in one window of one text), for the time of one turn. The
 * first job counts the whole work before it begins.
 */
export function findPatterns({ texts, patterns, from, memory }: PatternJob): PatternReport {
  const began = performance.now();
  const work = from === 0 ? workOf(texts, patterns) : 0;
  if (work > mostPatternWork) return { tooMuch: work };
  const found: number[] = [];
  let done = 0;
  for (const { pattern, filter, reportsAll, text, window } of steps(texts, patterns)) {
    done += 1;
    if (done <= from) continue;
    const spans = findPattern(pattern, window.text).filter(window.owns);
    for (const { start, end } of reportsAll ? spans : spans.slice(0, 1))
      found.push(text, filter, start + window.at, end + window.at);
    const took = performance.now() - began;
    if (took > turn) return { found: Uint32Array.from(found), next: done, took };
    if (process.memoryUsage.rss() > memory) forgetPatterns();
  }
  return { found: Uint32Array.from(found), next: undefined, took: performance.now() - began };
}

/** One pattern in one window of one text. */
interface Step extends PatternToFind {
  /** The index of the text. */
  readonly text: number;
  readonly window: TextWindow;
}

function* steps(texts: readonly string[], patterns: readonly PatternToFind[]): Generator<Step> {
  for (const pattern of patterns) {
    const { states } = compiledPattern(pattern.pattern);
    const length = Math.max(shortestWindow, Math.floor(stepWork / states));
    for (const [index, text] of texts.entries()) {
      for (const window of windowsOf(text, length)) yield { ...pattern, text: index, window };
    }
  }
}

function workOf(texts: readonly string[], patterns: readonly PatternToFind[]): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return patterns.reduce((sum, { pattern }) => sum + compiledPattern(pattern).states * characters, 0);
}
