import type { Span } from '../span.ts';
import { findEncodedCommands } from './encoded-commands.ts';
import { foldText } from './fold.ts';
import { injectionPatterns } from './injection-patterns.ts';
import { joinSpacedLetters } from './join-spaced-letters.ts';
import { maskPhrases } from './mask-phrases.ts';
import { hasScrambledWord } from './scrambled-words.ts';

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
