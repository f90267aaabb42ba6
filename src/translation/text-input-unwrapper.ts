import { JsonStringReader } from './json-string-reader.ts';

const opening = /^\s*\{\s*"input"\s*:\s*"/;
const compactOpening = '{"input":"';

/**
 * Extracts the free text from `{"input":"..."}` while the JSON arrives, where a function with one string property
 * `input` emulates a custom tool. Fragments may be split anywhere; the results of `push`, joined, are the decoded
 * string. Text of any other shape passes unchanged, so that a model that forgot the wrapping still reaches its tool;
 * `{}` means an empty input.
 */
export class TextInputUnwrapper {
  #stage: 'opening' | 'text' | 'closed' | 'raw' = 'opening';
  #buffered = '';
  readonly #reader = new JsonStringReader();

  /** Whether the free text is complete. */
  get closed(): boolean {
    return this.#stage === 'closed';
  }

  /** Returns the text that this fragment completes; may be empty. */
  push(fragment: string): string {
    if (this.#stage === 'closed') return '';
    if (this.#stage === 'raw') return fragment;
    if (this.#stage === 'text') return this.#read(fragment);
    const text = this.#buffered + fragment;
    this.#buffered = '';
    return this.#open(text);
  }

  #open(text: string): string {
    const match = opening.exec(text);
    if (match !== null) {
      this.#stage = 'text';
      return this.#read(text.slice(match[0].length));
    }
    const compact = text.replace(/\s+/g, '');
    if (compactOpening.startsWith(compact) && compact.length < compactOpening.length) {
      this.#buffered = text;
      return '';
    }
    this.#stage = compact === '{}' ? 'closed' : 'raw';
    return this.#stage === 'raw' ? text : '';
  }

  #read(text: string): string {
    const output = this.#reader.push(text);
    if (this.#reader.closed) this.#stage = 'closed';
    return output;
  }
}
