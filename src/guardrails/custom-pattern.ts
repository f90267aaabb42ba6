import { RE2JS } from 're2js';
import type { Span } from './span.ts';

/** The longest pattern, in characters. */
const longestPattern = 100_000;

interface Group {
  /** Whether something in it may repeat without a bound. */
  repeats: boolean;
}

/** What reading a pattern once says about it. */
interface PatternFacts {
  /** Why the pattern is not accepted; undefined when its shape is fine. */
  readonly problem: string | undefined;
  /** Text that every match contains, lowest common knowledge: empty where none is known. */
  readonly literal: string;
}

const quantifier = /[*+?]|\{\d+(?:,\d*)?\}/y;
const escapedLiteral = /[^A-Za-z0-9]/;

/**
 * Reads the shape of a pattern: what no linear-time engine can match or what is catastrophic on others, and a text that
 * every match contains (docs/spec/guardrails.md#custom-patterns).
 */
export function readPattern(pattern: string): PatternFacts {
  const reader = new PatternReader(pattern);
  return { problem: reader.read(), literal: reader.literal };
}

/** Walks over a pattern without building a tree. */
class PatternReader {
  readonly #pattern: string;
  readonly #groups: Group[] = [{ repeats: false }];
  #at = 0;
  #run = '';
  #longest = '';
  #isAlternative = false;

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  get literal(): string {
    return this.#isAlternative ? '' : this.#longest;
  }

  /** Why the pattern is not accepted. */
  read(): string | undefined {
    while (this.#at < this.#pattern.length) {
      const problem = this.#step(this.#pattern.charAt(this.#at));
      if (problem !== undefined) return problem;
    }
    this.#endRun();
    return undefined;
  }

  #step(character: string): string | undefined {
    switch (character) {
      case '\\':
        return this.#escape();
      case '[':
        this.#endRun();
        return this.#class();
      case '(':
        this.#endRun();
        return this.#open();
      case ')':
        this.#endRun();
        return this.#close();
      case '|':
        if (this.#groups.length === 1) this.#isAlternative = true;
        this.#at += 1;
        this.#endRun();
        return undefined;
      case '^':
      case '$':
        this.#at += 1;
        this.#endRun();
        return undefined;
      case '.':
        this.#at += 1;
        this.#endRun();
        this.#quantify(false);
        return undefined;
      default:
        return this.#take(character);
    }
  }

  #escape(): string | undefined {
    const next = this.#pattern.charAt(this.#at + 1);
    if (/[1-9]/.test(next)) return 'back-references are not supported';
    if (next === 'k' && this.#pattern.charAt(this.#at + 2) === '<')
      return 'back-references are not supported';
    this.#at += 2;
    if (escapedLiteral.test(next)) return this.#taken(next);
    this.#endRun();
    // What follows \u, \x, \p or \c belongs to the escape.
    const rest = /(?:(?<=[pPu])\{[^}]{0,64}\}|(?<=u)[0-9a-fA-F]{4}|(?<=x)[0-9a-fA-F]{2}|(?<=c)[A-Za-z])/y;
    rest.lastIndex = this.#at;
    this.#at += rest.exec(this.#pattern)?.[0].length ?? 0;
    this.#quantify(false);
    return undefined;
  }

  #class(): undefined {
    let end = this.#at + 1;
    while (end < this.#pattern.length && this.#pattern.charAt(end) !== ']') {
      end += this.#pattern.charAt(end) === '\\' ? 2 : 1;
    }
    this.#at = end + 1;
    this.#quantify(false);
  }

  #open(): string | undefined {
    const rest = this.#pattern.slice(this.#at + 1, this.#at + 4);
    if (/^\?<?[=!]/.test(rest)) return 'look-ahead and look-behind are not supported';
    if (rest.startsWith('?') && !/^\?(?::|<[A-Za-z_$])/.test(rest))
      return 'only (...), (?:...) and (?<name>...) are supported as groups';
    this.#groups.push({ repeats: false });
    this.#at += 1;
    if (rest.startsWith('?:')) this.#at += 2;
    else if (rest.startsWith('?<'))
      this.#at = this.#pattern.indexOf('>', this.#at) + 1 || this.#pattern.length;
    return undefined;
  }

  #close(): string | undefined {
    const group = this.#groups.length > 1 ? this.#groups.pop() : undefined;
    if (group === undefined) return 'a bracket is closed that was not opened';
    this.#at += 1;
    const isRepeated = this.#quantify(group.repeats);
    return group.repeats && isRepeated
      ? 'a repeated group must not contain an unbounded repetition'
      : undefined;
  }

  #take(character: string): undefined {
    const point = this.#pattern.codePointAt(this.#at) ?? 0;
    const whole = point > 0xffff ? String.fromCodePoint(point) : character;
    this.#at += whole.length;
    this.#taken(whole);
  }

  #taken(text: string): undefined {
    quantifier.lastIndex = this.#at;
    if (quantifier.test(this.#pattern)) {
      this.#endRun();
      this.#quantify(false);
    } else if (this.#groups.length === 1) this.#run += text;
  }

  /** Reads the quantifier that follows, if any. Returns whether it is unbounded or repeats many times. */
  #quantify(inner: boolean): boolean {
    quantifier.lastIndex = this.#at;
    const found = quantifier.exec(this.#pattern)?.[0];
    const group = this.#groups.at(-1);
    if (inner && group !== undefined) group.repeats = true;
    if (found === undefined) return false;
    this.#at += found.length;
    if (this.#pattern.charAt(this.#at) === '?') this.#at += 1;
    const isUnbounded = found === '*' || found === '+' || found.endsWith(',}');
    if (isUnbounded && group !== undefined) group.repeats = true;
    return isUnbounded || (found.startsWith('{') && Number(/\d+(?=\})/.exec(found)?.[0] ?? 0) > 1);
  }

  #endRun(): void {
    if (this.#run.length > this.#longest.length) this.#longest = this.#run;
    this.#run = '';
  }
}

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
