import type { Annotation } from '../../../core/delta.ts';

type Cited = Extract<Annotation, { readonly type: 'url_citation' }>;

/** Beyond this many UTF-16 units nobody looks for an address in cited words. */
const longestCited = 10_000;

/**
 * Brings the places of citations into what the public interface counts: UTF-16 units within the text. Some providers
 * count whole characters, which differs behind each one that takes two units. They do not say so; where their places
 * miss the link a citation stands for, and the same places counted in characters hit it, that is what they meant.
 */
export class CitationPlaces {
  /** Where the characters of two units begin, as far as it was looked. */
  readonly #pairs: number[] = [];
  #seen = 0;

  /** Whether a citation ends within the text that is known so far. */
  isReached(annotation: Annotation, text: string): boolean {
    return annotation.type !== 'url_citation' || !(annotation.end_index > text.length);
  }

  /** The citation at a place that is one of this text. */
  place(annotation: Annotation, text: string): Annotation {
    if (annotation.type !== 'url_citation') return annotation;
    const start = within(annotation.start_index, 0, text.length);
    const end = within(annotation.end_index, start, text.length);
    const [start_index, end_index] = this.#meant(annotation, start, end, text);
    if (start_index === annotation.start_index && end_index === annotation.end_index) return annotation;
    return { ...annotation, start_index, end_index };
  }

  #meant({ url }: Cited, start: number, end: number, text: string): readonly [number, number] {
    const names = (from: number, to: number) =>
      to - from <= longestCited && text.slice(from, to).includes(url);
    if (end === start || names(start, end)) return [start, end];
    this.#look(text);
    const [from, to] = [this.#unitsBefore(start), this.#unitsBefore(end)];
    return from <= text.length && names(from, to) ? [from, Math.min(to, text.length)] : [start, end];
  }

  #look(text: string): void {
    const pair = /[\ud800-\udbff][\udc00-\udfff]/g;
    pair.lastIndex = this.#seen;
    for (let found = pair.exec(text); found !== null; found = pair.exec(text)) this.#pairs.push(found.index);
    this.#seen = Math.max(this.#seen, text.length);
  }

  /** How many units the first so many characters take. */
  #unitsBefore(characters: number): number {
    let [low, high] = [0, this.#pairs.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#pairs[middle] ?? 0) - middle < characters) low = middle + 1;
      else high = middle;
    }
    return characters + low;
  }
}

function within(index: number, least: number, most: number): number {
  return Number.isInteger(index) ? Math.min(Math.max(index, least), most) : least;
}
