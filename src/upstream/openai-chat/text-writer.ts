import type { Delta, OutputLogprob } from '../../core/delta.ts';
import { GrowingText } from '../../util/growing-text.ts';
import { pushAll } from '../../util/push-all.ts';
import { ThinkTags } from './think-tags.ts';

/** Blocks of what is thought and said; everything else an answer holds is counted from `firstFree` on. */
export const blocks = { thinking: 0, text: 1, firstFree: 2 } as const;

/** Writes the text of one answer: with its log probabilities, and parted from thoughts that leak into it. */
export class TextWriter {
  readonly #tags: ThinkTags | undefined;
  #logprobs: OutputLogprob[] = [];
  readonly #text = new GrowingText();

  /** @param thinkTags Whether the text may begin with reasoning between tags. */
  constructor(thinkTags: boolean) {
    this.#tags = thinkTags ? new ThinkTags() : undefined;
  }

  /** All text so far. */
  get text(): string {
    return this.#text.value;
  }

  /** Whether the next text is only itself: no log probabilities wait for it. */
  get isPlain(): boolean {
    return this.#logprobs.length === 0;
  }

  write(text: string, logprobs: readonly OutputLogprob[] | undefined, into: Delta[]): void {
    // Some tell log probabilities of tokens that are no text yet: they go with the text they become.
    if (logprobs) pushAll(this.#logprobs, logprobs);
    if (text === '') return;
    if (this.#tags === undefined) this.#say(text, into);
    else {
      for (const stretch of this.#tags.push(text)) this.#tell(stretch.thought, stretch.text, into);
      if (this.#tags.thinking) this.#logprobs = [];
    }
  }

  /** Writes what was held back. */
  end(into: Delta[]): void {
    for (const stretch of this.#tags?.end() ?? []) this.#tell(stretch.thought, stretch.text, into);
  }

  #tell(thought: boolean, text: string, into: Delta[]): void {
    if (thought) into.push({ kind: 'thinking', block: blocks.thinking, text });
    else this.#say(text, into);
  }

  #say(text: string, into: Delta[]): void {
    this.#text.append(text);
    if (this.isPlain) {
      into.push({ kind: 'text', block: blocks.text, text });
      return;
    }
    into.push({ kind: 'text', block: blocks.text, text, logprobs: tokensOf(text, this.#logprobs) });
    this.#logprobs = [];
  }
}

/** The tokens from where a text begins among them: in a whole answer those of its thoughts stand before it. */
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
