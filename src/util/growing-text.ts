/** UTF-16 units that may come before what there is is copied together. */
const minTail = 4 * 1024;
/** UTF-16 units of a piece that may wait longer: it takes little more than its characters. */
const largePiece = 512;
/** UTF-16 units of a part that is copied no more until the whole text is wanted. */
const maxPart = 64 * 1024;

const nothing = /^$/;

/**
 * A text that grows by pieces, kept in about as many bytes as it has. Joined with `+` alone it would be kept as the pieces
 * it was joined from: fourteen bytes a character where they are words, and all that arrived with a piece that was cut out of
 * more. A long text is kept in parts: copied again and again as a whole, it would leave several times its size to collect.
 */
export class GrowingText {
  #parts: string[] | undefined;
  #tail = '';
  #copyAt = minTail;

  append(piece: string): void {
    this.#tail += piece;
    const { length } = this.#tail;
    if (length < this.#copyAt || (piece.length >= largePiece && length < maxPart)) return;
    // The runtime makes one piece of a text before it looks for a pattern in it.
    nothing.test(this.#tail);
    if (length < maxPart) {
      this.#copyAt = length + Math.max(minTail, length >> 2);
      return;
    }
    this.#parts ??= [];
    this.#parts.push(this.#tail);
    this.#tail = '';
    this.#copyAt = minTail;
  }

  /** The text so far. */
  get value(): string {
    if (this.#parts === undefined) return this.#tail;
    if (this.#parts.length > 1) this.#parts = [this.#parts.join('')];
    return `${this.#parts[0]}${this.#tail}`;
  }
}

/** The most of a text that is stored where a client chooses it and nothing depends on the rest. */
const longestStored = 512;

/** The beginning of a text, of whole characters: half of one cannot be stored everywhere. */
export function cutText(text: string, most = longestStored): string {
  if (text.length <= most) return text;
  const last = text.charCodeAt(most - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? most - 1 : most);
}
