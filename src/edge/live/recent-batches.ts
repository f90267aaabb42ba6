/** Milliseconds for which a viewer may come back, and characters that are kept for it. */
export const keptFor = 60_000;
const mostKept = 250_000;

interface Kept {
  /** The number of its last event. */
  readonly last: number;
  readonly at: number;
  readonly text: string;
}

/** The batches of a feed of the last minute, for viewers that come back. */
export class RecentBatches {
  readonly #kept: Kept[] = [];
  #size = 0;
  /** Everything after the event of this number is here. */
  #complete: number;

  /** @param number Of the last event before. */
  constructor(number = 0) {
    this.#complete = number;
  }

  add(batch: Kept): void {
    if (batch.text === '') return;
    this.#kept.push(batch);
    this.#size += batch.text.length;
    for (
      let [oldest] = this.#kept;
      oldest !== undefined && this.#isOver(oldest, batch.at);
      [oldest] = this.#kept
    ) {
      this.#kept.shift();
      this.#size -= oldest.text.length;
      this.#complete = oldest.last;
    }
  }

  /** The events after one, and perhaps some before it; undefined where not all of them are here any more. */
  after(number: number): string | undefined {
    if (number < this.#complete) return undefined;
    return this.#kept
      .filter(({ last }) => last > number)
      .map(({ text }) => text)
      .join('');
  }

  #isOver({ at }: Kept, now: number): boolean {
    return this.#size > mostKept || now - at > keptFor;
  }
}
