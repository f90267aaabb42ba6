const opening = /^\s*```[^\n`]*\n/;
const beginning = /^\s*(`{0,2}|```[^\n`]*)$/;

/** Limit of the buffer: longer runs are not fences. */
const bufferLimit = 256;

/**
 * Removes a Markdown code fence around JSON text while it arrives, and everything after the closing fence. Fragments
 * may be split anywhere; text that does not begin with a fence passes unchanged.
 */
export class FenceStripper {
  #stage: 'beginning' | 'inside' | 'closed' | 'plain' = 'beginning';
  #buffered = '';

  /** Returns the text that this fragment completes; may be empty. */
  push(fragment: string): string {
    if (this.#stage === 'plain') return fragment;
    if (this.#stage === 'closed') return '';
    const text = this.#buffered + fragment;
    this.#buffered = '';
    return this.#stage === 'beginning' ? this.#begin(text) : this.#readInside(text);
  }

  /** Returns the buffered text, which is not a fence. */
  end(): string {
    const buffered = this.#buffered;
    this.#buffered = '';
    return this.#stage === 'inside' && buffered.includes('```') ? '' : buffered;
  }

  #begin(text: string): string {
    const match = opening.exec(text);
    if (match !== null) {
      this.#stage = 'inside';
      return this.#readInside(text.slice(match[0].length));
    }
    if (text.length <= bufferLimit && beginning.test(text)) {
      this.#buffered = text;
      return '';
    }
    this.#stage = 'plain';
    return text;
  }

  /** No line of JSON begins with backticks; text that may become the closing fence is buffered. */
  #readInside(text: string): string {
    const fence = text.indexOf('\n```');
    if (fence !== -1) {
      this.#stage = 'closed';
      return text.slice(0, fence).trimEnd();
    }
    const place = Math.max(placeOfEnding(text), text.length - bufferLimit);
    this.#buffered = text.slice(place);
    return text.slice(0, place);
  }
}

/** The index where trailing white space begins, with up to three backticks in it. */
function placeOfEnding(text: string): number {
  const inner = text.trimEnd();
  const ticks = /`{1,3}$/.exec(inner)?.[0].length ?? 0;
  return inner.slice(0, inner.length - ticks).trimEnd().length;
}
