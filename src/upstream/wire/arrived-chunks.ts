/** Chunks that have arrived and wait to be read. */
export class ArrivedChunks {
  #chunks: Buffer[] = [];
  #bytes = 0;

  /** How many bytes wait. */
  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
  }

  /** Takes up to so many bytes from the front. */
  take(most: number): readonly Buffer[] {
    if (this.#bytes <= most) {
      const all = this.#chunks;
      this.#chunks = [];
      this.#bytes = 0;
      return all;
    }
    const taken: Buffer[] = [];
    for (let left = most; left > 0; ) {
      const first = this.#chunks.shift();
      if (first === undefined) break;
      if (first.length > left) this.#chunks.unshift(first.subarray(left));
      taken.push(first.subarray(0, left));
      left -= first.length;
    }
    this.#bytes -= most;
    return taken;
  }
}
