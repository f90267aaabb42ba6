import { RE2JS } from 're2js';
import { LinkedMap } from '../util/linked-map.ts';
import { longestPattern, readPattern } from './pattern-syntax.ts';
import type { Span } from './span.ts';

/** A customer's pattern, ready to search. */
interface CompiledPattern {
  readonly engine: RE2JS;
  /** Every match contains it; a text without it is not searched. */
  readonly literal: string;
}

const mostKept = 1_000;
const kept = new LinkedMap<string, CompiledPattern>();

/**
 * Why a pattern is not accepted as a content filter; undefined when it is (docs/spec/guardrails.md#custom-patterns).
 * Never repeats the pattern.
 */
export function problemOfPattern(pattern: string): string | undefined {
  if (pattern === '') return 'must not be empty';
  if (pattern.length > longestPattern)
    return `must be at most ${longestPattern} characters, got ${pattern.length}`;
  const { problem } = readPattern(pattern);
  if (problem !== undefined) return problem;
  try {
    new RegExp(pattern);
    compile(pattern);
    return undefined;
  } catch {
    return 'is no regular expression in the JavaScript flavour that a linear-time engine can match';
  }
}

/**
 * Every match of a customer's pattern, found in time linear in the text. Matches that touch count as one, and empty ones
 * do not count.
 */
export function findPattern(pattern: string, text: string): readonly Span[] {
  const { engine, literal } = compiled(pattern);
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

function compiled(pattern: string): CompiledPattern {
  const known = kept.get(pattern);
  if (known !== undefined) return known;
  const made = compile(pattern);
  kept.set(pattern, made);
  const { oldest } = kept;
  if (kept.size > mostKept && oldest !== undefined) kept.delete(oldest[0]);
  return made;
}

function compile(pattern: string): CompiledPattern {
  return {
    engine: RE2JS.compile(RE2JS.translateRegExp(pattern)),
    literal: readPattern(pattern).literal,
  };
}
