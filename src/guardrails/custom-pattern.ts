import { RE2JS } from 're2js';
import { longestPattern, readPattern } from './pattern-syntax.ts';
import type { Span } from './span.ts';

/** States of the compiled program, once counted repetitions are unrolled: of one pattern, and of all of a guardrail. */
export const mostStates = { pattern: 4_000, guardrail: 40_000 };

/** A customer's pattern, ready to search. */
export interface CompiledPattern {
  readonly engine: RE2JS;
  /** Of the compiled program: time and memory of a search grow with them. */
  readonly states: number;
  /** Every match contains it; a text without it is not searched. */
  readonly literal: string;
}

/** States of all compiled patterns that are kept for the next search. */
const mostKeptStates = 100_000;
const mostKept = 1_000;
const kept = new Map<string, CompiledPattern>();
let keptStates = 0;

/**
 * Why a pattern cannot be a content filter, as far as its text shows it in no time; undefined otherwise
 * (docs/spec/guardrails.md#custom-patterns). Never repeats the pattern.
 */
export function syntaxProblemOf(pattern: string): string | undefined {
  if (pattern === '') return 'must not be empty';
  if (pattern.length > longestPattern)
    return `must be at most ${longestPattern} characters, got ${pattern.length}`;
  const { problem } = readPattern(pattern);
  if (problem !== undefined) return problem;
  try {
    new RegExp(pattern);
    return undefined;
  } catch {
    return notLinear;
  }
}

const notLinear = 'is no regular expression in the JavaScript flavour that a linear-time engine can match';

/** Why a pattern of a list is refused. */
export interface PatternProblem {
  readonly index: number;
  readonly problem: string;
}

/**
 * Compiles the patterns of a guardrail, one after the other, until one is refused. Takes time and memory with what they unroll
 * to, so patterns of strangers belong into a child process.
 */
export function compileProblemOf(patterns: readonly string[]): PatternProblem | undefined {
  let sum = 0;
  for (const [index, pattern] of patterns.entries()) {
    let states: number;
    try {
      ({ states } = compile(pattern));
    } catch {
      return { index, problem: notLinear };
    }
    if (states > mostStates.pattern) return { index, problem: tooManyStates(states, mostStates.pattern) };
    sum += states;
    if (sum <= mostStates.guardrail) continue;
    return { index, problem: `with the patterns before it, ${tooManyStates(sum, mostStates.guardrail)}` };
  }
  return undefined;
}

function tooManyStates(states: number, most: number): string {
  return `compiles to ${states} states, at most ${most} are allowed; use fewer or smaller counts such as {0,1000}`;
}

/** Compiles a pattern, or finds it among those used lately. @throws when the engine does not take it. */
export function compiledPattern(pattern: string): CompiledPattern {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  kept.set(pattern, made);
  keptStates += made.states;
  for (const [oldest, { states }] of kept) {
    if (kept.size === 1 || (keptStates <= mostKeptStates && kept.size <= mostKept)) break;
    kept.delete(oldest);
    keptStates -= states;
  }
  return made;
}

/** Forgets all compiled patterns, with what their engines remember of texts. */
export function forgetPatterns(): void {
  kept.clear();
  keptStates = 0;
}

/**
 * Every match of a customer's pattern, found in time linear in the text. Matches that touch count as one, and empty ones
 * do not count.
 */
export function findPattern(pattern: string, text: string): readonly Span[] {
  const { engine, literal } = compiledPattern(pattern);
  if (!text.includes(literal)) return [];
  const spans: { start: number; end: number }[] = [];
  const matcher = engine.matcher(text);
  while (matcher.find()) {
    const start = matcher.start();
    const end = matcher.end();
    if (end === start) continue;
    const last = spans.at(-1);
    if (last?.end === start) last.end = end;
    else spans.push({ start, end });
  }
  return spans;
}

function compile(pattern: string): CompiledPattern {
  const engine = RE2JS.compile(RE2JS.translateRegExp(pattern));
  return { engine, states: engine.programSize(), literal: readPattern(pattern).literal };
}
