import type { Provider } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { FeatureSupport } from '../core/features.ts';
import type { CanonicalChat, CanonicalEmbedding, CanonicalRequest } from '../core/request.ts';
import type { AnyCall, UpstreamCall } from '../ports/upstream.ts';
import type { JsonObject } from '../util/json.ts';
import type { ResponseHeaders } from './wire/retry-hint.ts';

/** The JSON body of a provider call and its headers, without address and transport. Always a POST. */
export interface WireRequest {
  /** Appended to the base address, with a leading slash; may carry a query. */
  readonly path: string;
  /** The base address where the credential or the model decides it; the provider's own when absent. */
  readonly baseUrl?: string;
  /** Includes the authentication header; never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * Headers whose values are word lists, by lowercase name; values from the provider's configuration are appended.
   */
  readonly listHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: JsonObject;
  /** Whether the body asks for an event stream. The provider may still answer with plain JSON. */
  readonly streamed: boolean;
}

/** One event of a provider's event stream. */
export interface ServerSentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/**
 * Turns one provider answer into deltas: a stream through `decode` and `close`, a whole body through `decodeWhole`.
 * One instance serves one call and may keep state. Any exception other than a `HeadgateError` (a member of an
 * unexpected type, for example) counts as an unreadable answer.
 */
export interface Decoder {
  /**
   * Reads one event and appends its deltas to `into`; ignores unknown events and members.
   * @throws HeadgateError when the event reports a failure or cannot be read.
   */
  decode(event: ServerSentEvent, into: Delta[]): void;
  /** True once the provider has sent its whole answer; the sender does not wait for later bytes. */
  readonly finished: boolean;
  /**
   * True once the provider has given its finish reason. After that it may send usage but no content. Absent where the
   * dialect cannot know.
   */
  readonly ending?: boolean;
  /** True while every part of the answer that was begun is complete: the visible answer may be over. Absent where `ending` is enough. */
  readonly resting?: boolean;
  /**
   * Called once when the provider closed the stream; appends whatever is still buffered.
   * @throws HeadgateError `provider_failed` when the answer is incomplete.
   */
  close(into: Delta[]): void;
  /**
   * Reads an answer that came as one JSON body and appends all its deltas, including the finish, as if they had come
   * as events.
   * @throws HeadgateError when the answer reports a failure or cannot be read, `provider_failed` when it is not an
   * answer.
   */
  decodeWhole(answer: JsonObject, into: Delta[]): void;
  /** Reads an answer that came as one JSON array of events; absent where the dialect has no such form. */
  decodeSeries?(answers: readonly JsonObject[], into: Delta[]): void;
}

/** What a provider reported when it refused a call. */
export interface ReportedFailure {
  /** Set only where the body is clearer than the status, for example for a context that is too long. */
  readonly code?: ErrorCode;
  /** The provider's message for people. */
  readonly message?: string;
  /** The provider's own error code or type. */
  readonly providerCode?: string;
  /** Seconds, when the body reports them instead of a header. */
  readonly retryAfter?: number;
}

/** How a dialect makes calls of one kind: a canonical request becomes a wire body, an answer becomes deltas. */
export interface CallForm<Wanted extends CanonicalRequest> {
  encode(call: UpstreamCall<Wanted>): WireRequest;
  createDecoder(call: UpstreamCall<Wanted>): Decoder;
}

/** A dialect that has calls for vectors. */
export type VectorAdapter = Adapter & Required<Pick<Adapter, 'embedding'>>;

/** Calls for vectors, which are answered by one body. */
export interface EmbeddingCalls {
  encode(call: UpstreamCall<CanonicalEmbedding>): WireRequest;
  /** Reads the answer; what it throws counts as an unreadable answer. */
  read(answer: JsonObject): ReadVectors;
  /** Inputs that one call takes at most; absent where there is no limit. */
  mostInputs?(call: UpstreamCall<CanonicalEmbedding>): number;
}

/** What a provider's answer to a call for vectors holds. */
export interface ReadVectors {
  /** By input. */
  readonly vectors: readonly (Float32Array | undefined)[];
  /** Undefined where it was not reported. */
  readonly inputTokens?: number;
}

/** A request for the size of a call's input instead of an answer. */
export interface Counting {
  encode(call: UpstreamCall): WireRequest;
  /** The tokens in the answer; undefined when it says nothing of them. */
  read(answer: JsonObject): number | undefined;
}

/** A request about to be sent, in the form that a signature covers. */
export interface AddressedRequest {
  readonly url: URL;
  /** Lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * One upstream dialect, pure in both directions: canonical request to wire body, wire events to deltas. It does no
 * I/O. It is itself the form of its calls for chats.
 */
export interface Adapter extends CallForm<CanonicalChat> {
  /**
   * Reads the body of an answer that is not 2xx; the body may be anything, including empty or HTML.
   * @param headers of the answer, for dialects that name the failure in a header.
   */
  readFailure(status: number, body: string, provider: Provider, headers?: ResponseHeaders): ReportedFailure;
  /**
   * How this dialect handles each feature at a provider with its quirks. Pure; the caller caches the result.
   * @param upstreamModel The endpoint's own name for the model, for providers that speak several dialects.
   */
  support(provider: Provider, upstreamModel?: string): FeatureSupport;
  /** How to ask for the size of a call's input; absent where the dialect has no such request. */
  readonly counting?: Counting;
  /** Its calls for vectors; absent where it has none. */
  readonly embedding?: EmbeddingCalls;
  /** How an answer is split into events; server-sent events by default. */
  readonly framing?: 'aws-event-stream';
  /**
   * Returns headers that need a signature over the whole request or a token fetched first. Returns synchronously when
   * it has nothing to wait for.
   * @throws HeadgateError when the credential is unusable or the token service refuses it.
   */
  readonly authorize?: (
    request: AddressedRequest,
    call: AnyCall,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * Called when the provider answered 401 to the headers of `authorize`, so that nothing cached from it is used
   * again.
   */
  readonly onUnauthorized?: (call: AnyCall) => void;
}
