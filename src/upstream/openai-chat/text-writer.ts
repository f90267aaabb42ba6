import type { Delta, OutputLogprob } from '../../core/delta.ts';
import { GrowingText } from '../../util/growing-text.ts';
import { pushAll } from '../../util/push-all.ts';

/** Blocks of thoughts and text; everything else in an answer is numbered from `firstFree`. */
export const blocks = { thinking: 0, text: 1, firstFree: 2 } as const;

/** Writes the text of one answer with its log probabilities, and separates thoughts that leak into it. */
export class TextWriter {
  readonly #tags: ThinkTags | undefined;
  #logprobs: OutputLogprob[] = [];
  readonly #text = new GrowingText();

  /** @param thinkTags Whether the text may begin with reasoning between tags. */
  constructor(thinkTags: boolean) {
    this.#tags = thinkTags ? new ThinkTags() : undefined;
  }

  /** The text so far. */
  get text(): string {
    return this.#text.value;
  }

  /** Whether the next text needs no other work: no log probabilities are waiting for it. */
  get isPlain(): boolean {
    return this.#logprobs.length === 0;
  }

  write(text: string, logprobs: readonly OutputLogprob[] | undefined, into: Delta[]): void {
    // Some providers send log probabilities before the text of their tokens.
    if (logprobs) pushAll(this.#logprobs, logprobs);
    if (text === '') return;
    if (this.#tags === undefined) this.#writeText(text, into);
    else {
      for (const stretch of this.#tags.push(text)) this.#emit(stretch.thought, stretch.text, into);
      if (this.#tags.thinking) this.#logprobs = [];
    }
  }

  /** Writes what is still buffered. */
  end(into: Delta[]): void {
    for (const stretch of this.#tags?.end() ?? []) this.#emit(stretch.thought, stretch.text, into);
  }

  #emit(thought: boolean, text: string, into: Delta[]): void {
    if (thought) into.push({ kind: 'thinking', block: blocks.thinking, text });
    else this.#writeText(text, into);
  }

  #writeText(text: string, into: Delta[]): void {
    this.#text.append(text);
    if (this.isPlain) {
      into.push({ kind: 'text', block: blocks.text, text });
      return;
    }
    into.push({ kind: 'text', block: blocks.text, text, logprobs: tokensOf(text, this.#logprobs) });
    this.#logprobs = [];
  }
}

/**
 * The log probabilities from the beginning of a text: in an unstreamed answer those of its thoughts come first.
 */
function tokensOf(text: string, logprobs: readonly OutputLogprob[]): readonly OutputLogprob[] {
  const joined = logprobs.map(({ token }) => token).join('');
  const start = joined.lastIndexOf(text);
  if (start <= 0) return logprobs;
  let end = 0;
  const first = logprobs.findIndex(({ token }) => {
    end += token.length;
    return end > start;
  });
  return logprobs.slice(first);
}

/** A piece of a model's output, thought or answer. */
interface Stretch {
  readonly thought: boolean;
  readonly text: string;
}

const opening = '<think>';
const closing = '</think>';

/**
 * Separates reasoning that leaks into the text: what is between `<think>` and `</think>` at the very beginning. Tags
 * may come in pieces, so text that could still become a tag is buffered. Later tags are ordinary text.
 */
export class ThinkTags {
  #place: 'before' | 'entering' | 'inside' | 'behind' | 'after' = 'before';
  #buffered = '';
  /** Whether only white space has come so far. */
  #blank = true;

  /** Whether the last piece was a thought or a tag. */
  get thinking(): boolean {
    return this.#place !== 'before' && this.#place !== 'after';
  }

  /**
   * Reads the next piece. The stretches joined equal the pieces joined, without tags and the white space around them.
   */
  push(piece: string): Stretch[] {
    const stretches: Stretch[] = [];
    this.#blank &&= piece.trim() === '';
    if (this.#blank) {
      // Does not scan the whole buffer, because some models write endless white space.
      this.#buffered += piece;
      return stretches;
    }
    let rest = this.#buffered + piece;
    this.#buffered = '';
    if (this.#place === 'before') rest = this.#begin(rest);
    if (this.#place === 'entering') rest = this.#skipBlanks(rest, 'inside');
    if (this.#place === 'inside') rest = this.#think(rest, stretches);
    if (this.#place === 'behind') rest = this.#skipBlanks(rest, 'after');
    if (this.#place === 'after' && rest !== '') stretches.push({ thought: false, text: rest });
    return stretches;
  }

  /** Returns what was buffered when the answer ended, because it was not a tag. */
  end(): Stretch[] {
    const text = this.#buffered;
    this.#buffered = '';
    return text === '' ? [] : [{ thought: this.#place !== 'before', text }];
  }

  #begin(text: string): string {
    const words = text.trimStart();
    if (words.startsWith(opening)) {
      this.#place = 'entering';
      return words.slice(opening.length);
    }
    if (opening.startsWith(words)) {
      this.#buffered = text;
      return '';
    }
    this.#place = 'after';
    return text;
  }

  #skipBlanks(text: string, next: 'inside' | 'after'): string {
    const rest = text.trimStart();
    if (rest !== '') this.#place = next;
    return rest;
  }

  #think(text: string, into: Stretch[]): string {
    const end = text.indexOf(closing);
    const thought = end === -1 ? text.slice(0, text.length - possibleTagLength(text)) : text.slice(0, end);
    if (thought !== '') into.push({ thought: true, text: thought });
    if (end === -1) {
      this.#buffered = text.slice(thought.length);
      return '';
    }
    this.#place = 'behind';
    return text.slice(end + closing.length);
  }
}

/** How many characters at the end could begin the closing tag. */
function possibleTagLength(text: string): number {
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length--) {
    if (closing.startsWith(text.slice(-length))) return length;
  }
  return 0;
}
