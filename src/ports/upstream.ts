import type { Endpoint, Model, Provider } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import type { FeatureSupport } from '../core/features.ts';
import type { CanonicalChat, CanonicalRequest } from '../core/request.ts';
import type { AnswerRoom } from './answer-room.ts';

/** One call of one endpoint: for a chat, unless another kind is named. */
export interface UpstreamCall<Wanted extends CanonicalRequest = CanonicalChat> {
  readonly request: Wanted;
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** Whether to stream; false lets the provider answer with one body. */
  readonly streamed: boolean;
  /** Aborts the call: the client has gone, or a time limit of the whole request has passed. */
  readonly signal: AbortSignal;
  /** The memory its answer may take. */
  readonly room: AnswerRoom;
  /** Sent as `traceparent`; undefined where the provider learns of no trace. */
  readonly traceparent?: string | undefined;
  /** Called with the body as sent to the provider, without secrets, when someone asked to see it. */
  readonly onBody?: (body: unknown) => void;
  /** Called when the request is written to a connection: from then on the provider may have read it. */
  readonly onSent?: () => void;
  /** Called when back-pressure from the reader pauses the provider, and when it resumes. */
  readonly onPaused?: (isPaused: boolean) => void;
  /** Called when the complete answer has arrived, which may be long before its reader has taken it. */
  readonly onWhole?: () => void;
}

/** A call for anything. */
export type AnyCall = UpstreamCall<CanonicalRequest>;

/** An answer batch by batch. */
export interface AnswerBatches extends AsyncIterator<readonly Delta[], unknown> {
  /** Whether the visible answer has ended, as far as is known: only its usage may still come. */
  readonly isOver?: boolean;
}

/**
 * One upstream dialect.
 *
 * `stream` sends the call and yields the answer as batches of deltas, one batch for what arrived together, so that a
 * thousand small deltas do not cost a thousand turns of the event loop. It ends only after a `finish` delta; a
 * connection that closes before is an error. It throws HeadgateError: before the first batch for a refused or failed
 * call, after it for one that broke off. Leaving the iteration early closes the connection. The consumer's pace is
 * the provider's pace: what is not read is not fetched.
 */
export interface Upstream {
  stream(call: AnyCall): { [Symbol.asyncIterator](): AnswerBatches };
  /**
   * Asks the provider how many tokens a call's input has: yields one `usage` delta whose `uncachedInput` is all of it.
   * Absent where the dialect cannot count. Fails like `stream`.
   */
  count?(call: UpstreamCall): AsyncIterable<readonly Delta[]>;
  /**
   * How calls of this provider handle each feature; the same object for the same provider and model.
   * @param upstreamModel The endpoint's own name for the model, for providers that speak several dialects.
   */
  support(provider: Provider, upstreamModel?: string): FeatureSupport;
}

/** The upstreams by adapter name. */
export type UpstreamRegistry = ReadonlyMap<string, Upstream>;
