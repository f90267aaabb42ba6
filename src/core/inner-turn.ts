import type { AnswerBill } from './answer-part.ts';
import type { FinishReason } from './delta.ts';
import type { CanonicalRequest } from './request.ts';

/** What a tool, a router or a plugin asks a model for the request it works for. */
export interface InnerRequest {
  /** Slugs in the order to try them; at least one. */
  readonly models: readonly string[];
  readonly canonical: CanonicalRequest;
}

/** The answer to an inner request. */
export interface InnerAnswer {
  /** The record of the inner turn. */
  readonly generationId: string;
  /** The model that answered. */
  readonly model: string;
  readonly text: string;
  readonly finish: FinishReason;
  readonly bill: AnswerBill;
}

/**
 * Takes a turn for the running request: under the same key and its limits, with a record and a reservation of its own. What
 * it uses and costs counts in the request. The client's departure aborts it.
 * @throws HeadgateError when it is refused or fails.
 */
export type TakeInnerTurn = (request: InnerRequest) => Promise<InnerAnswer>;
