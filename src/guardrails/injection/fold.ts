/** A text as it is matched, and where its characters come from. */
export interface FoldedText {
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
export function foldText(text: string): FoldedText {
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
