import type { Annotation, OutputLogprob } from '../../core/delta.ts';
import { textOf } from '../lenient.ts';
import type { AnswerPart, Push, Run } from './run.ts';

/** A text in any number of pieces. Its signature comes with the last piece or with an empty one. */
export class TextRun implements Run {
  readonly #block: number;
  readonly #push: Push;
  #text = '';
  #signature: string | undefined;

  constructor(block: number, push: Push) {
    this.#block = block;
    this.#push = push;
  }

  /** The text so far. */
  get text(): string {
    return this.#text;
  }

  get signature(): string | undefined {
    return this.#signature;
  }

  take(part: AnswerPart, logprobs?: readonly OutputLogprob[]): boolean {
    if (part.thought === true || typeof part.text !== 'string') return false;
    const signature = textOf(part.thoughtSignature);
    // A second signature belongs to a separate text.
    if (signature !== undefined && this.#signature !== undefined) return false;
    this.#signature = signature ?? this.#signature;
    if (part.text === '') return true;
    this.#text += part.text;
    this.#push({ kind: 'text', block: this.#block, text: part.text, ...(logprobs && { logprobs }) });
    return true;
  }

  cite(annotation: Annotation): void {
    this.#push({ kind: 'annotation', block: this.#block, annotation });
  }

  end(): void {
    this.#push({ kind: 'end', block: this.#block });
  }
}
