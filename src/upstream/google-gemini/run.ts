import type { Delta, OutputLogprob } from '../../core/delta.ts';
import type { Lenient } from '../lenient.ts';
import type { Part } from './wire.ts';

/** Passes one delta on. */
export type Push = (delta: Delta) => void;

/** A part in the provider's form. */
export type AnswerPart = Lenient<Part>;

/** Consecutive parts that form one thing: the pieces of a text, a thought, or code with its output. */
export interface Run {
  /**
   * Takes a part that continues the run; returns false when it belongs to something else.
   * @param logprobs of the text of this part and of those that came with it.
   */
  take(part: AnswerPart, logprobs?: readonly OutputLogprob[]): boolean;
  /** Ends the run. */
  end(): void;
}
