import type { Delta, OutputLogprob } from '../../core/delta.ts';
import { GrowingText } from '../../util/growing-text.ts';
import { pushAll } from '../../util/push-all.ts';
import { ThinkTags } from './think-tags.ts';

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
