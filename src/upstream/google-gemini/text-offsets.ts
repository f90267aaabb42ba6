/** Converts offsets in UTF-8 bytes to offsets in UTF-16 units, for one text. */
export class TextOffsets {
  readonly #text: string;
  readonly #bytes: Buffer;
  /** The last converted position; citations mostly come in order. */
  #counted = { bytes: 0, length: 0 };

  constructor(text: string) {
    this.#text = text;
    this.#bytes = Buffer.from(text);
  }

  /**
   * The UTF-16 span of bytes, end exclusive. A span that begins or ends inside a character is widened to the whole
   * character. Undefined when it is not a span of this text.
   */
  span(startByte: number, endByte: number): readonly [number, number] | undefined {
    if (!Number.isInteger(startByte) || !Number.isInteger(endByte)) return undefined;
    if (startByte < 0 || endByte <= startByte || startByte >= this.#bytes.length) return undefined;
    const start = this.#length(this.#boundary(startByte, -1));
    const end = this.#length(this.#boundary(Math.min(endByte, this.#bytes.length), 1));
    return [start, end];
  }

  /** The span of a passage, found by its text. */
  find(piece: string): readonly [number, number] | undefined {
    const start = this.#text.indexOf(piece);
    return start === -1 ? undefined : [start, start + piece.length];
  }

  slice([start, end]: readonly [number, number]): string {
    return this.#text.slice(start, end);
  }

  #length(bytes: number): number {
    const from = bytes < this.#counted.bytes ? { bytes: 0, length: 0 } : this.#counted;
    const length = from.length + this.#bytes.toString('utf8', from.bytes, bytes).length;
    this.#counted = { bytes, length };
    return length;
  }

  #boundary(byte: number, step: 1 | -1): number {
    let at = byte;
    while (at > 0 && at < this.#bytes.length && ((this.#bytes[at] ?? 0) & 0xc0) === 0x80) at += step;
    return at;
  }
}
