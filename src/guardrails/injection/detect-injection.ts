import type { Span } from '../span.ts';
import { injectionPatterns } from './injection-patterns.ts';

/** A text as it is matched, and where its characters come from. */
interface FoldedText {
  readonly text: string;
  /** The place in the original text of a place in this one; also of the place behind the last character. */
  readonly origin: (at: number) => number;
}

/** Soft hyphens, joiners, marks of direction, selectors of variants, tags. */
const invisible = new RegExp(
  `[${[
    '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180e\\u200b-\\u200f\\u202a-\\u202e',
    '\\u2060-\\u206f\\ufe00-\\ufe0f\\ufeff\\u{e0000}-\\u{e007f}',
  ].join('')}]`,
  'u',
);
const plain = /^[\x20-\x7e\n]*$/;
const wideBlank = /\s\s/;
const blank = /\s/;
const fullWidthPipe = '｜';

/**
 * Folds a text for matching only: compatibility forms become plain ones, invisible characters vanish, and every run of
 * whitespace becomes one blank, or one line break where it has one. Full-width pipes stay, because control tokens have
 * them.
 */
function foldText(text: string): FoldedText {
  if (plain.test(text) && !wideBlank.test(text)) return { text, origin: (at) => at };
  const folding = new Folding(text.length);
  let at = 0;
  for (const character of text) {
    folding.add(character, at);
    at += character.length;
  }
  return folding.result(text.length);
}

class Folding {
  readonly #pieces: string[] = [];
  readonly #origins: Uint32Array;
  /** Of places beyond the capacity, which only compatibility forms of several characters reach. */
  readonly #further: number[] = [];
  #length = 0;

  constructor(capacity: number) {
    this.#origins = new Uint32Array(capacity);
  }

  add(character: string, at: number): void {
    if (character > '~' && invisible.test(character)) return;
    if (blank.test(character)) {
      const isBreak = character === '\n';
      const last = this.#pieces.at(-1);
      if (last === ' ' && isBreak) this.#pieces[this.#pieces.length - 1] = '\n';
      else if (last !== ' ' && last !== '\n') this.#push(isBreak ? '\n' : ' ', at);
      return;
    }
    const isPlain = character <= '~' || character === fullWidthPipe;
    this.#push(isPlain ? character : character.normalize('NFKC'), at);
  }

  result(end: number): FoldedText {
    const origins = this.#origins;
    const further = this.#further;
    const text = this.#pieces.join('');
    return {
      text,
      origin: (at) => (at >= text.length ? end : (origins[at] ?? further[at - origins.length] ?? end)),
    };
  }

  #push(piece: string, at: number): void {
    this.#pieces.push(piece);
    for (let unit = 0; unit < piece.length; unit += 1) {
      if (this.#length < this.#origins.length) this.#origins[this.#length] = at;
      else this.#further.push(at);
      this.#length += 1;
    }
  }
}

const commands = /ignore|bypass|override|reveal|system|prompt/i;
const base64 = /[A-Za-z0-9+/_-]{16,}={0,2}/g;
const hex = /(?<![0-9A-Za-z])(?:0x)?[0-9A-Fa-f]{12,}(?![0-9A-Za-z])/g;
const hexPairs = /(?<![0-9A-Za-z])[0-9A-Fa-f]{2}(?:[ \t]+[0-9A-Fa-f]{2}){5,}(?![0-9A-Za-z])/g;
/** Of the characters of decoded text, how many must be printable. */
const printableShare = 0.9;

/** The names of encodings in which a text hides a command: `base64_encoded_injection`, `hex_encoded_injection`. */
function findEncodedCommands(text: string): readonly string[] {
  const names: string[] = [];
  if (hides(text, base64, (run) => Buffer.from(run, 'base64'))) names.push('base64_encoded_injection');
  if (hides(text, hex, fromHex) || hides(text, hexPairs, fromHex)) names.push('hex_encoded_injection');
  return names;
}

function hides(text: string, runs: RegExp, decode: (run: string) => Buffer): boolean {
  for (const [run] of text.matchAll(runs)) {
    const decoded = decode(run).toString('utf8');
    if (commands.test(decoded) && isPrintable(decoded)) return true;
  }
  return false;
}

function fromHex(run: string): Buffer {
  return Buffer.from(run.replace(/^0x|\s/g, ''), 'hex');
}

function isPrintable(decoded: string): boolean {
  let printable = 0;
  for (const character of decoded) {
    if (character >= ' ' && character !== '\u007f' && character !== '\ufffd') printable += 1;
    else if (character === '\n' || character === '\t' || character === '\r') printable += 1;
  }
  return printable >= decoded.length * printableShare;
}

/** What looks like prompt injection in a text. */
export interface Injection {
  /** In the text as it was written. */
  readonly spans: readonly Span[];
  /** Whether something was found that no single piece of the text says. */
  readonly isWhole: boolean;
  /** What was found: pieces of the text, and names of what has no piece of its own. */
  readonly snippets: readonly string[];
  /** Names of the patterns that matched. */
  readonly names: readonly string[];
}

const longestSnippet = 200;

/**
 * Looks for prompt injection in a text (docs/spec/guardrails.md#prompt-injection): in the folded text, with letters joined that stand
 * apart, in scrambled words, and in Base64 and hexadecimal digits. Undefined when there is none. Takes time linear in the text.
 * @param allowed Phrases that do not count, whatever their case; they excuse neither scrambled nor encoded words.
 */
export function detectInjection(text: string, allowed: readonly string[] = []): Injection | undefined {
  const masked = allowed.length === 0 ? text : maskPhrases(text, allowed);
  const folded = foldText(masked);
  const spans: Span[] = [];
  const snippets: string[] = [];
  const names = new Set<string>();
  const plain: string[] = [];
  for (const { name, span } of matchesIn(folded.text)) {
    plain.push(name);
    const start = folded.origin(span.start);
    // Behind the last character rather than before the next one, which may stand after invisible ones.
    const last = folded.origin(span.end - 1);
    const end = last + ((text.codePointAt(last) ?? 0) > 0xffff ? 2 : 1);
    spans.push({ start, end });
    names.add(name);
    snippets.push(text.slice(start, end).slice(0, longestSnippet));
  }
  const hidden = hiddenNames(text, masked, plain);
  for (const name of hidden) names.add(name);
  if (names.size === 0) return undefined;
  return { spans, isWhole: hidden.length > 0, snippets: [...snippets, ...hidden], names: [...names] };
}

/** @param plain The names of all matches in the text as it stands. */
function hiddenNames(text: string, masked: string, plain: readonly string[]): readonly string[] {
  const names: string[] = [];
  const joined = joinSpacedLetters(masked);
  if (joined !== undefined) {
    const left = [...plain];
    for (const { name } of matchesIn(foldText(joined).text)) {
      const known = left.indexOf(name);
      if (known === -1) names.push(name);
      else left.splice(known, 1);
    }
  }
  if (hasScrambledWord(text)) names.push('scrambled_word_injection');
  return [...new Set([...names, ...findEncodedCommands(text)])];
}

function* matchesIn(text: string): Generator<{ readonly name: string; readonly span: Span }> {
  const small = text.toLowerCase();
  for (const { name, keywords, find } of injectionPatterns) {
    if (!keywords.some((word) => small.includes(word))) continue;
    for (const span of find(text)) yield { name, span };
  }
}

/** Replaces every occurrence of some phrases, whatever its case, by neutral text of the same length. */
function maskPhrases(text: string, phrases: readonly string[]): string {
  let masked = text;
  for (const phrase of phrases) {
    const pattern = new RegExp(phrase.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'), 'gi');
    masked = masked.replace(pattern, ({ length }) => '\u00b7'.repeat(length));
  }
  return masked;
}

const fewestLetters = 4;
/** Single letters with blanks between them. */
const run = /(?<![\p{L}\p{N}])\p{L}(?:[ \t]+\p{L}(?![\p{L}\p{N}])){3,}/gu;

/**
 * A text in which single letters that stand apart are joined to words, as in `r e v e a l  p r o m p t`: single blanks
 * vanish and wider gaps become one. Undefined where no four letters stand so.
 */
function joinSpacedLetters(text: string): string | undefined {
  let isChanged = false;
  const joined = text.replace(run, (letters) => {
    if (letters.replace(/\s/g, '').length < fewestLetters) return letters;
    isChanged = true;
    return letters.replace(/[ \t]+/g, (gap) => (gap.length > 1 ? ' ' : ''));
  });
  return isChanged ? joined : undefined;
}

const targets = ['ignore', 'bypass', 'override', 'reveal', 'delete', 'system', 'prompt', 'instructions'];

const byShape = Map.groupBy(targets, shapeOf);
const lengths = new Set(targets.map(({ length }) => length));

/**
 * Whether a text has a word that models read as one of a few commands although its inner letters stand in another
 * order, such as `ignroe`.
 */
function hasScrambledWord(text: string): boolean {
  for (const [word] of text.matchAll(/(?<![\p{L}\p{N}_-])[A-Za-z]{6,12}(?![\p{L}\p{N}_-])/gu)) {
    if (!lengths.has(word.length)) continue;
    const small = word.toLowerCase();
    if (byShape.get(shapeOf(small))?.includes(small) === false) return true;
  }
  return false;
}

/** First and last letter, and the inner ones in order. */
function shapeOf(word: string): string {
  return `${word.charAt(0)}${[...word.slice(1, -1)].sort().join('')}${word.at(-1) ?? ''}`;
}
