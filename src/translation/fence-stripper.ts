const opening = /^\s*```[^\n`]*\n/;
const beginning = /^\s*(`{0,2}|```[^\n`]*)$/;

/** How much may be held back: longer runs are no fences. */
const longestHeld = 256;

/**
 * Takes a Markdown code fence off JSON text while it arrives, when the text begins with one, with all that follows
 * the closing fence. Fragments may be cut anywhere; other text passes unchanged.
 */
export class FenceStripper {
  #stage: 'beginning' | 'inside' | 'closed' | 'plain' = 'beginning';
  #held = '';

  /** Returns the text this fragment completes, perhaps none. */
  push(fragment: string): string {
    if (this.#stage === 'plain') return fragment;
    if (this.#stage === 'closed') return '';
    const text = this.#held + fragment;
    this.#held = '';
    return this.#stage === 'beginning' ? this.#begin(text) : this.#readInside(text);
  }

  /** Returns what was held back and is no fence. */
  end(): string {
    const held = this.#held;
    this.#held = '';
    return this.#stage === 'inside' && held.includes('```') ? '' : held;
  }

  #begin(text: string): string {
    const match = opening.exec(text);
    if (match !== null) {
      this.#stage = 'inside';
      return this.#readInside(text.slice(match[0].length));
    }
    if (text.length <= longestHeld && beginning.test(text)) {
      this.#held = text;
      return '';
    }
    this.#stage = 'plain';
    return text;
  }

  /** JSON has no line that begins with backticks; what may become the closing fence is held back. */
  #readInside(text: string): string {
    const fence = text.indexOf('\n```');
    if (fence !== -1) {
      this.#stage = 'closed';
      return text.slice(0, fence).trimEnd();
    }
    const place = Math.max(placeOfEnding(text), text.length - longestHeld);
    this.#held = text.slice(place);
    return text.slice(0, place);
  }
}

/** Where blanks begin that end the text, together with up to three backticks among them. */
function placeOfEnding(text: string): number {
  const inner = text.trimEnd();
  const ticks = /`{1,3}$/.exec(inner)?.[0].length ?? 0;
  return inner.slice(0, inner.length - ticks).trimEnd().length;
}
