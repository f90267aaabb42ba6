import type { Provider } from '../core/catalogue.ts';
import type { Delta } from '../core/delta.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { FeatureSupport } from '../core/features.ts';
import type { UpstreamCall } from '../ports/upstream.ts';
import type { JsonObject } from '../util/json.ts';
import type { ResponseHeaders } from './wire/retry-hint.ts';

/** A provider call as bytes will carry it, without address and credentials' transport. Always a POST of JSON. */
export interface WireRequest {
  /** Appended to the base address, with a leading slash; may carry a query. */
  readonly path: string;
  /** The base address where the credential or the model decides it; the provider's own when absent. */
  readonly baseUrl?: string;
  /** Includes the authentication header; never logged. */
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that are lists of words, by their lowercase names: those the provider's configuration has are added to. */
  readonly listHeaders?: Readonly<Record<string, readonly string[]>>;
  readonly body: JsonObject;
  /** Whether the body asks for an event stream; the answer may be of the other kind all the same. */
  readonly streamed: boolean;
}

/** One event of a provider's event stream. */
export interface ServerSentEvent {
  readonly event: string | undefined;
  readonly data: string;
}

/**
 * Turns one provider answer into deltas: a stream by `decode` and `close`, or a whole body by `decodeWhole`. One
 * instance serves one call and may keep state for it. Whatever it throws besides a `HeadgateError`, over members of
 * types nobody foresees, counts as an answer that cannot be read.
 */
export interface Decoder {
  /**
   * Reads one event and appends what it says to `into`; unknown events and members are ignored.
   * @throws HeadgateError when the event reports a failure or cannot be read.
   */
  decode(event: ServerSentEvent, into: Delta[]): void;
  /** True once the provider has said everything; later bytes are not waited for. */
  readonly finished: boolean;
  /**
   * True once the provider has given the reason of its end, after which it may count but says no more; absent where it
   * cannot be told.
   */
  readonly ending?: boolean;
  /**
   * Called once when the provider closed the stream; appends what was held back.
   * @throws HeadgateError `provider_failed` when the answer is not whole.
   */
  close(into: Delta[]): void;
  /**
   * Reads an answer that came as one JSON body and appends all it says, up to the finish: the same as if its
   * pieces had come as events.
   * @throws HeadgateError when the answer reports a failure or cannot be read, `provider_failed` when it is none.
   */
  decodeWhole(answer: JsonObject, into: Delta[]): void;
  /** Reads an answer that came as one JSON list of what would have been its events; absent where there is no such. */
  decodeSeries?(answers: readonly JsonObject[], into: Delta[]): void;
}

/** What a provider said when it refused a call. */
export interface ReportedFailure {
  /** Set only where the provider's own words are clearer than its status, such as a too long context. */
  readonly code?: ErrorCode;
  /** The provider's message for people. */
  readonly message?: string;
  /** The provider's own error code or type. */
  readonly providerCode?: string;
  /** Seconds, when the body rather than a header tells them. */
  readonly retryAfter?: number;
}

/** A request about to be sent, as a signature has to cover it. */
export interface AddressedRequest {
  readonly url: URL;
  /** Lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One dialect, pure both ways: canonical request to wire body, wire events to deltas. It does no input or output. */
export interface Adapter {
  encode(call: UpstreamCall): WireRequest;
  createDecoder(call: UpstreamCall): Decoder;
  /**
   * Reads the body of an answer that is not 2xx; the body may be anything, also empty or HTML.
   * @param headers those of the answer, for dialects that name a failure there.
   */
  readFailure(status: number, body: string, provider: Provider, headers?: ResponseHeaders): ReportedFailure;
  /**
   * How this dialect deals with what requests may ask for, at a provider with its quirks. Pure; the caller keeps
   * the result.
   * @param upstreamModel The endpoint's own name for the model, for providers that speak several dialects.
   */
  support(provider: Provider, upstreamModel?: string): FeatureSupport;
  /** How an answer is cut into events: server-sent events unless stated. */
  readonly framing?: 'aws-event-stream';
  /**
   * Headers that take a signature over the whole request or a token fetched first. What it does not need to
   * wait for it returns at once.
   * @throws HeadgateError when the credential is unusable or the token service refuses it.
   */
  readonly authorize?: (
    request: AddressedRequest,
    call: UpstreamCall,
  ) => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** Told that the provider did not accept what `authorize` gave (401), so that nothing kept of it is used again. */
  readonly onUnauthorized?: (call: UpstreamCall) => void;
}
