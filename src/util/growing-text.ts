/** UTF-16 units that may come before what there is is copied together, as long as they are more than a quarter of it. */
const leastTail = 4 * 1024;

const nothing = /^$/;

/**
 * A text that grows by pieces, kept in about as many bytes as it has. Joined with `+` alone it would be kept as the pieces
 * it was joined from: fourteen bytes a character where they are words, and all that arrived with a piece that was cut out of more.
 */
export class GrowingText {
  #text = '';
  #copyAt = leastTail;

  append(piece: string): void {
    this.#text += piece;
    if (this.#text.length < this.#copyAt) return;
    // The runtime makes one piece of a text before it looks for a pattern in it.
    nothing.test(this.#text);
    this.#copyAt = this.#text.length + Math.max(leastTail, this.#text.length >> 2);
  }

  /** All of it so far. */
  get value(): string {
    return this.#text;
  }
}
