/**
 * UTF-16 units that the tail may have before it is copied into the rest, as long as it is more than a quarter of it.
 */
const minTail = 4 * 1024;

const nothing = /^$/;

/**
 * A text that grows by pieces, stored in about as many bytes as its length. Joined with `+` alone, the engine would
 * keep the pieces: fourteen bytes per character for words, and the whole read that a piece was cut from.
 */
export class GrowingText {
  #text = '';
  #copyAt = minTail;

  append(piece: string): void {
    this.#text += piece;
    if (this.#text.length < this.#copyAt) return;
    // The engine flattens a text before it matches a pattern in it.
    nothing.test(this.#text);
    this.#copyAt = this.#text.length + Math.max(minTail, this.#text.length >> 2);
  }

  /** The text so far. */
  get value(): string {
    return this.#text;
  }
}
