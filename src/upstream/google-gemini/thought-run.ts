import { textOf } from '../lenient.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { AnswerPart, Push, Run } from './run.ts';

/** Thoughts; this dialect documents them as summaries, never as the raw reasoning. */
export class ThoughtRun implements Run {
  readonly #block: number;
  readonly #push: Push;
  #own: string | undefined;
  #next: string | undefined;

  constructor(block: number, push: Push) {
    this.#block = block;
    this.#push = push;
  }

  take(part: AnswerPart): boolean {
    if (part.thought !== true || part.inlineData) return false;
    const text = textOf(part.text);
    if (text !== undefined) this.#push({ kind: 'summary', block: this.#block, text });
    this.#own = textOf(part.thoughtSignature) ?? this.#own;
    return true;
  }

  /** Takes the signature of the call that follows these thoughts. */
  signNext(signature: string): void {
    this.#next = signature;
  }

  end(): void {
    const block = this.#block;
    if (this.#own !== undefined || this.#next !== undefined) {
      this.#push({ kind: 'seal', block, format: geminiFormat, encrypted: this.#own, signature: this.#next });
    }
    this.#push({ kind: 'end', block });
  }
}
