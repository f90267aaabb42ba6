import type { AnswerBill, OpenedPart } from './answer-part.ts';
import type { FinishReason } from './delta.ts';
import type { CanonicalRequest, Item } from './request.ts';

/** What a tool, a router or a plugin asks a model for the request it works for. */
export interface InnerRequest {
  /** Slugs in the order to try them; at least one. */
  readonly models: readonly string[];
  readonly canonical: CanonicalRequest;
  /** Reads along: gets each piece of text and of thought as it comes, and may make the answer wait. */
  readonly hear?: (piece: HeardPiece) => Promise<void> | undefined;
  /**
   * Looks at the pictures of an answer before it is charged. What it throws fails the answer, which then costs nothing.
   */
  readonly checkImages?: (images: readonly string[]) => void;
  /** Milliseconds after which it is aborted. */
  readonly within?: number;
  /** The span of the tool that takes it, where spans are made. */
  readonly traceSpan?: string | undefined;
  /** Whether the answer shall have its items. */
  readonly keepsItems?: true;
  /** Set where it is taken before the first turn of the request: whether it has the request's own id, and who waits for it. */
  readonly leading?: {
    readonly isFirst: boolean;
    readonly onOpened: (opened: OpenedPart) => void;
  };
}

/** A piece of an inner answer. */
export type HeardPiece =
  | { readonly kind: 'text' | 'thinking'; readonly text: string }
  /** A picture that is not finished, in base64. */
  | { readonly kind: 'partial_image'; readonly index: number; readonly image: string };

/** A page that an inner answer rests on. */
export interface InnerSource {
  readonly url: string;
  readonly title: string;
}

/** The answer to an inner request. */
export interface InnerAnswer {
  /** The record of the inner turn. */
  readonly generationId: string;
  /** The model that answered. */
  readonly model: string;
  readonly text: string;
  /** In the order of the inputs, where vectors were asked for. */
  readonly vectors: readonly Float32Array[];
  /** Pictures that it made: base64, data URLs or addresses. */
  readonly images: readonly string[];
  /** Pages that were searched, fetched or cited for it, each address once. */
  readonly sources: readonly InnerSource[];
  /** What the model wrote, and the calls and results of tools of the gateway; empty unless asked for. */
  readonly items: readonly Item[];
  readonly finish: FinishReason;
  readonly bill: AnswerBill;
}

/**
 * Takes a turn for the running request: under the same key and its limits, with a record and a reservation of its own. What
 * it uses and costs counts in the request. The client's departure aborts it.
 * @throws HeadgateError when it is refused or fails.
 */
export type TakeInnerTurn = (request: InnerRequest) => Promise<InnerAnswer>;
