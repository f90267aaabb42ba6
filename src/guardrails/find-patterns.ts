import { compiledPattern, findPattern, forgetPatterns } from './custom-pattern.ts';
import { windowsOf } from './text-windows.ts';

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
export type PatternReport =
  /** The product of states and characters, which is more than may be scanned. */
  | { readonly tooMuch: number }
  | {
      /** Four numbers a match: the indexes of its text and its filter, where it starts and ends. */
      readonly found: Uint32Array;
      /** Where the next job goes on; undefined at the end. */
      readonly next: number | undefined;
      /** Milliseconds. */
      readonly took: number;
    };

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
  if (from === 0) {
    const work = workOf(texts, patterns);
    if (work > mostPatternWork) return { tooMuch: work };
  }
  const found: number[] = [];
  let step = 0;
  for (const { pattern, filter, reportsAll } of patterns) {
    const { states } = compiledPattern(pattern);
    for (const [index, text] of texts.entries()) {
      for (const { text: part, at, owns } of windowsOf(text, windowFor(states))) {
        step += 1;
        if (step <= from) continue;
        const spans = findPattern(pattern, part).filter(owns);
        for (const { start, end } of reportsAll ? spans : spans.slice(0, 1))
          found.push(index, filter, start + at, end + at);
        const took = performance.now() - began;
        if (took > turn) return { found: Uint32Array.from(found), next: step, took };
      }
    }
    if (process.memoryUsage.rss() > memory) forgetPatterns();
  }
  return { found: Uint32Array.from(found), next: undefined, took: performance.now() - began };
}

function workOf(texts: readonly string[], patterns: readonly PatternToFind[]): number {
  const characters = texts.reduce((sum, { length }) => sum + length, 0);
  return patterns.reduce((sum, { pattern }) => sum + compiledPattern(pattern).states * characters, 0);
}

function windowFor(states: number): number {
  return Math.max(shortestWindow, Math.floor(stepWork / states));
}
