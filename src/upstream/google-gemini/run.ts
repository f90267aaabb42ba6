import type { Delta, OutputLogprob } from '../../core/delta.ts';
import type { Lenient } from '../lenient.ts';
import type { Part } from './wire.ts';

/** Passes one delta on. */
export type Push = (delta: Delta) => void;

/** A part as it came. */
export type AnswerPart = Lenient<Part>;

/** Parts that follow each other and are one thing: the pieces of a text, a thought, or code with what it wrote. */
export interface Run {
  /**
   * Takes a part that continues the run; false when it belongs to something else.
   * @param logprobs Of the part's text, and of that of the parts that came with it.
   */
  take(part: AnswerPart, logprobs?: readonly OutputLogprob[]): boolean;
  /** Says that the run is whole. */
  end(): void;
}
