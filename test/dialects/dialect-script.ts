import type { Annotation, FinishReason } from '../../src/core/delta.ts';
import type { JsonObject } from '../../src/util/json.ts';

/** Something a scripted provider says; texts come as the fragments given. */
export type Utterance =
  | { readonly say: readonly string[]; readonly citations?: readonly Annotation[] }
  | { readonly think: readonly string[]; readonly signature?: string; readonly encrypted?: string }
  | { readonly summarize: readonly string[] }
  | { readonly refuse: readonly string[] }
  /** Calls of one list are made in parallel; a dialect that can interleave their fragments does so. */
  | { readonly call: readonly ScriptedToolCall[] }
  /** A picture the model made, in base64. */
  | { readonly picture: string };

/** A call of a client's function: its arguments as the fragments given. */
export interface ScriptedToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: readonly string[];
}

/** Token counts as a provider bills them; what is absent is not reported. */
export interface ScriptedUsage {
  /** The whole input. */
  readonly input?: number;
  /** The part of the input read from a cache. */
  readonly cacheRead?: number;
  /** The part of the input written to a cache. */
  readonly cacheWrite?: number;
  /** The whole output, reasoning included. */
  readonly output?: number;
  readonly reasoning?: number;
}

/** A whole answer of a provider, in nobody's dialect. */
export interface ScriptedAnswer {
  readonly utterances: readonly Utterance[];
  readonly finish: FinishReason;
  readonly usage?: ScriptedUsage;
}

/** An answer as bytes; the pieces of a streamed body are the dialect's events, one each. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Buffer[];
}

/** A failure a provider can report, before or within a stream. */
export type ScriptedFailure =
  | 'rate_limit'
  | 'overloaded'
  | 'server'
  | 'authentication'
  | 'context_length'
  | 'invalid_request';

/**
 * How one dialect says things: what a scripted provider sends so that one list of behaviours can be tried on every
 * dialect. Written from the dialect's documentation, independent of its adapter.
 */
export interface DialectScript {
  /** The adapter under test, as configuration names it. */
  readonly adapter: string;
  /** Quirks the provider's entry in the configuration needs; `{url}` stands for the scripted provider's address. */
  readonly provider?: JsonObject;
  /** A credential of the shape this dialect takes; `{url}` stands for the scripted provider's address. */
  readonly credential: string;
  /** What stands between the scripted provider's address and the dialect's paths, such as `/v1`. */
  readonly basePath?: string;
  /** The provider's name of the model, where it must look like one of its own. */
  readonly model?: string;
  /** Utterances this dialect has no way to make, by their first key. */
  readonly cannot: ReadonlySet<
    | 'think'
    | 'seal'
    | 'summarize'
    | 'refuse'
    | 'picture'
    | 'citations'
    | 'encrypted'
    | 'signature'
    /** A call whose arguments break off in the middle. */
    | 'cut call'
  >;
  /** Set where the dialect does not tell reasoning tokens apart from the rest of the output. */
  readonly hidesReasoningTokens?: boolean;
  answer(script: ScriptedAnswer, streamed: boolean): WireAnswer;
  /** An answer with a failing status, with the provider's retry hint in seconds where given. */
  failure(kind: ScriptedFailure, message: string, retryAfter?: number): WireAnswer;
  /** A failure as the event that breaks off a running stream, or undefined where the dialect has none. */
  failureEvent(kind: ScriptedFailure, message: string): Buffer | undefined;
  /** An event of the dialect's framing whose payload is cut off in the middle of its JSON. */
  malformedEvent(): Buffer;
  /**
   * Takes a request apart to what every dialect can say, so that behaviours can look at what arrived.
   * @param path With its query: some dialects ask for a stream there and name the model.
   */
  readRequest(body: JsonObject, path: string): SeenRequest;
}

/** A request as a scripted provider saw it. */
export interface SeenRequest {
  readonly streamed: boolean;
  readonly system: string;
  readonly turns: readonly SeenTurn[];
  readonly tools: readonly { readonly name: string; readonly parameters?: unknown }[];
  readonly maxOutputTokens?: number;
}

/** One message, call or call output, in order. */
export type SeenTurn =
  | { readonly role: 'user' | 'assistant'; readonly text: string; readonly media?: readonly string[] }
  | { readonly call: { readonly id?: string; readonly name: string; readonly arguments: unknown } }
  | { readonly output: { readonly id?: string; readonly text: string } }
  | {
      readonly thinking: { readonly text: string; readonly signature?: string; readonly encrypted?: string };
    };
