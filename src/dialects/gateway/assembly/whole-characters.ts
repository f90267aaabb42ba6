import type { Delta } from '../../../core/delta.ts';

type TextDelta = Extract<Delta, { block: number; text: string }>;

const endsInHalf = /[\ud800-\udbff]$/;

/**
 * Keeps characters whole. Some providers cut texts between the two halves of a character, which JSON can write and UTF-8
 * cannot: clients in most languages fail on a delta with one half.
 */
export class WholeCharacters {
  /** First halves, by what they are of; hardly any stream has one. */
  #held: Map<string, string> | undefined;

  /** The delta with the half that came before, and without one at its end; what has no other half is replaced. */
  complete<Some extends TextDelta>(delta: Some): Some {
    if (this.#held === undefined && delta.text.isWellFormed()) return delta;
    this.#held ??= new Map();
    const place = `${delta.kind} ${delta.block}`;
    const text = (this.#held.get(place) ?? '') + delta.text;
    const half = endsInHalf.exec(text)?.[0] ?? '';
    if (half === '') this.#held.delete(place);
    else this.#held.set(place, half);
    return { ...delta, text: text.slice(0, text.length - half.length).toWellFormed() };
  }
}
