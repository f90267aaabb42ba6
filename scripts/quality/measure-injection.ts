import { detectInjection } from '../../src/guardrails/injection/detect-injection.ts';
import { injectionPatterns } from '../../src/guardrails/injection/injection-patterns.ts';
import { disguises } from './disguises.ts';
import type { InstalledTexts } from './installed-texts.ts';

/** Of so many texts, how many were found. */
export interface Found {
  readonly name: string;
  readonly texts: number;
  readonly found: number;
}

/** How well prompt injection is detected. */
export interface InjectionQuality {
  readonly kinds: readonly Found[];
  /** Of the attacks, how many each pattern found. */
  readonly patterns: readonly Found[];
  /** Attack sentences in disguise: with everything, and with the patterns alone on the text as it is. */
  readonly disguised: readonly (Found & { readonly plainly: number })[];
}

const longestSentence = 300;

/** Counts what is found in attacks, harmless texts, and disguised sentences of the attacks. */
export function measureInjection({ attacks, harmless, hard }: InstalledTexts): InjectionQuality {
  const names = attacks.map((text) => detectInjection(text)?.names ?? []);
  const counts = new Map<string, number>();
  for (const name of names.flatMap((found) => [...new Set(found)]))
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const sentences = attackSentences(attacks);
  return {
    kinds: [
      { name: 'attacks', texts: attacks.length, found: names.filter(({ length }) => length > 0).length },
      countFound('harmless', harmless),
      countFound('hard harmless', hard),
    ],
    patterns: [...counts]
      .map(([name, found]) => ({ name, texts: attacks.length, found }))
      .sort((one, other) => other.found - one.found || one.name.localeCompare(other.name)),
    disguised: Object.entries(disguises).map(([name, disguise]) => {
      const written = sentences.map((sentence) => `Please help me. ${disguise(sentence)} Thank you.`);
      return { ...countFound(name, written), plainly: written.filter(isFoundPlainly).length };
    }),
  };
}

function countFound(name: string, texts: readonly string[]): Found {
  return {
    name,
    texts: texts.length,
    found: texts.filter((text) => detectInjection(text) !== undefined).length,
  };
}

/** Sentences of attacks in which a pattern finds something: what a disguise could hide. */
function attackSentences(attacks: readonly string[]): readonly string[] {
  const sentences = attacks.flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/));
  return [...new Set(sentences)].filter((text) => text.length <= longestSentence && isFoundPlainly(text));
}

function isFoundPlainly(text: string): boolean {
  return injectionPatterns.some(({ find }) => !find(text)[Symbol.iterator]().next().done);
}
