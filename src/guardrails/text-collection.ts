import type { TextPlace, TextVisitor } from './free-objects.ts';
import { applyRedactions, type JoinedText, joinTexts, redactJoined } from './joined-texts.ts';
import type { Redaction, ScannedText, ScanResult, ScanRules } from './scan-rules.ts';

/** What stands between texts that become one, here and there. */
const separators = ['', '\n'];

/** The texts of a request for a scan, each once, and those that may become one also joined. */
export class TextCollection implements TextVisitor {
  readonly texts: ScannedText[] = [];
  /** The index of each text: of those that the user wrote, of names, of what no model reads, and of all others. */
  readonly #known = {
    user: new Map<string, number>(),
    name: new Map<string, number>(),
    unseen: new Map<string, number>(),
    other: new Map<string, number>(),
  };

  text(text: string, place: TextPlace): string {
    if (text === '') return text;
    const known = this.#knownIn(place);
    if (!known.has(text)) {
      known.set(text, this.texts.length);
      const { isUser, isName = false, isUnseen = false } = place;
      this.texts.push({ text, isUser, isName, isUnseen });
    }
    return text;
  }

  joined(texts: readonly string[], place: TextPlace): readonly string[] {
    for (const text of texts) this.text(text, place);
    for (const { text } of joinedWays(texts)) this.text(text, place);
    return texts;
  }

  /** Filters that would redact something which must stay as it is. */
  unredactable({ redacted }: ScanResult): ReadonlySet<number> {
    const inNames = redacted.filter(([index]) => this.texts[index]?.isName === true);
    return new Set(inNames.flatMap(([, , redactions]) => redactions.map(({ filter }) => filter)));
  }

  /** Replaces what a scan of these texts redacts. @param rules Of the scan. */
  redacting({ redacted }: ScanResult, { filters }: ScanRules): TextVisitor {
    const byIndex = new Map(redacted.map(([index, , redactions]) => [index, redactions]));
    const none: readonly Redaction[] = [];
    const redactionsIn = (text: string, place: TextPlace) =>
      byIndex.get(this.#knownIn(place).get(text) ?? -1) ?? none;
    return {
      text(text, place) {
        const redactions = redactionsIn(text, place);
        return redactions.length === 0 ? text : applyRedactions(text, redactions);
      },
      joined: (texts, place) =>
        redactJoined(
          texts,
          (text) => redactionsIn(text, place),
          joinedWays(texts).map((joined) => ({ joined, redactions: redactionsIn(joined.text, place) })),
          // A pattern may end where its text does.
          (filter) => filters[filter]?.what.kind !== 'pattern',
        ),
    };
  }

  #knownIn({ isUser, isName, isUnseen }: TextPlace): Map<string, number> {
    if (isUnseen === true) return this.#known.unseen;
    if (isName === true) return this.#known.name;
    return isUser ? this.#known.user : this.#known.other;
  }
}

function joinedWays(texts: readonly string[]): readonly JoinedText[] {
  return separators.flatMap((separator) => joinTexts(texts, separator));
}
