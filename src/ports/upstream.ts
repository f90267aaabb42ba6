import type { Endpoint, Model, Provider } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import type { FeatureSupport } from '../core/features.ts';
import type { CanonicalRequest } from '../core/request.ts';
import type { AnswerRoom } from './answer-room.ts';

/** One call of one endpoint. */
export interface UpstreamCall {
  readonly request: CanonicalRequest;
  readonly model: Model;
  readonly endpoint: Endpoint;
  /** Whether fragments are wanted as they come; false lets the provider answer with one whole body. */
  readonly streamed: boolean;
  /** Aborts the call: the client has gone, or a time limit of the whole request has passed. */
  readonly signal: AbortSignal;
  /** The memory its answer may take. */
  readonly room: AnswerRoom;
  /** Told the body as sent to the provider, without secrets, when someone asked to see it. */
  readonly onBody?: (body: unknown) => void;
  /** Told when the request goes out on a connection: from then on the provider may have read it. */
  readonly onSent?: () => void;
  /** Told when the provider is made to wait for the reader, and when it need not any more. */
  readonly onHeld?: (isHeld: boolean) => void;
  /** Told when the answer has arrived whole, which may be long before its reader has taken it. */
  readonly onWhole?: () => void;
}

/**
 * A provider's dialect behind one face.
 *
 * `stream` sends the call and yields the answer as batches of deltas, one batch for what arrived together,
 * so that a thousand small deltas do not cost a thousand turns of the event loop. It ends only after a
 * `finish` delta; a connection that closes before is an error. It throws HeadgateError: before the first
 * batch for a refused or failed call, after it for one that broke off. Leaving the iteration early closes
 * the connection. The consumer's pace is the provider's pace: what is not read is not fetched.
 */
export interface Upstream {
  stream(call: UpstreamCall): AsyncIterable<readonly Delta[]>;
  /**
   * How calls of this provider deal with what requests may ask for; the same object for the same provider and model.
   * @param upstreamModel The endpoint's own name for the model, for providers that speak several dialects.
   */
  support(provider: Provider, upstreamModel?: string): FeatureSupport;
}

/** Finds the upstream of an adapter name. */
export type UpstreamRegistry = ReadonlyMap<string, Upstream>;
