import type { AnswerParts } from '../core/answer-part.ts';
import type { ErrorMetadata, ErrorType } from '../core/errors.ts';
import type { AnyRequest } from '../core/inference-request.ts';
import type { ReadModelName } from '../core/model-names.ts';
import type { DefaultPlugin } from '../core/plugin-defaults.ts';
import type { JsonObject } from '../util/json.ts';

/**
 * How clients speak to the gateway: reads a request of theirs and writes its answer. The pipeline between the two
 * knows no dialect.
 */
export interface PublicDialect {
  readonly name: string;
  /** Where clients send requests of this dialect, below the base path of the interface, such as `/responses`. */
  readonly path: string;
  /**
   * Checks the parsed JSON body of a request and takes it apart.
   * @throws HeadgateError `invalid_request` (400) or `unprocessable` (422); no message repeats a prompt.
   */
  read(body: unknown, context: ReadContext): ReadRequest;
  /** The JSON body of a request that is refused; without it, the body that all other routes answer with. */
  describeError?(error: PublicError): JsonObject;
  /** A header beside those of all routes in which this dialect's clients look for the request's id. */
  readonly idHeader?: string;
  /** A header that its clients send with every request, so that they get its errors on every path. */
  readonly clientHeader?: string;
  /** Whether its clients ask every model for as much output as their own can write. */
  readonly asksForMost?: boolean;
  /** Reads model names of its clients that are no slugs (docs/spec/messages.md#models). */
  readonly readModelName?: ReadModelName;
  /** Whether an unstreamed answer that failed is an HTTP error, because the format has no failed answer. */
  readonly failsWhole?: boolean;
}

/** An error as a client may see it. Status and headers are the same in every dialect. */
export interface PublicError {
  readonly status: number;
  readonly type: ErrorType;
  readonly message: string;
  readonly metadata: ErrorMetadata;
  /** How the request was routed, where the client asked for it and it helps. */
  readonly serviceMetadata?: JsonObject;
  /** The account of the caller, once it is known. */
  readonly userId?: string;
  /** The request's id, where it has one. */
  readonly requestId?: string;
}

/** A request as a dialect has read it. */
export interface ReadRequest {
  readonly request: AnyRequest;
  /** Makes a writer for the answer, which may repeat what the request said. Each writer writes one answer. */
  readonly createWriter: () => AnswerWriter;
}

/** What a silent stream says that has nothing else to say. */
export const keepAliveComment = ': SERVICE PROCESSING\n\n';

/** Text to send, or its pieces, each made when it is asked for. */
export type AnswerText = string | Iterable<string>;

/** Text in one piece. */
export function wholeText(text: AnswerText): string {
  return typeof text === 'string' ? text : [...text].join('');
}

/** Writes one canonical answer in a public dialect, as a stream or as one body as the request asks. */
export interface AnswerWriter {
  /**
   * Takes the next parts and returns the text that a streamed answer goes on with, its framing included: whole events, or
   * nothing yet. Always empty for an unstreamed answer. Text of megabytes comes in pieces, which have to be taken before
   * the next parts.
   * @throws HeadgateError when the parts contradict each other; throw it back into the answer, which then fails.
   */
  write(parts: AnswerParts): AnswerText;
  /** The JSON of an unstreamed answer, once its last part was written. */
  body(): AnswerText;
  /**
   * What a stream that is silent says now; without it, or undefined: a comment.
   * @param asked The model that is being asked, once one is.
   * @param at Unix milliseconds.
   */
  keepAlive?(asked: string | undefined, at: number): string | undefined;
}

/** What a dialect must know besides the body. */
export interface ReadContext {
  /** The id of the request, which its generation gets as well. */
  readonly generationId: string;
  readonly headers: RequestHeaders;
  /** Extra words for the `service` prefix (docs/spec/requests.md#prefix-aliases). */
  readonly aliases: readonly string[];
  /** The model of a request that names none. */
  readonly defaultModel?: string;
  /** The plugins that are on by default; undefined without any. */
  readonly pluginDefaults?: readonly DefaultPlugin[];
  /** Seals what clients give back unseen, for the caller's account alone (docs/spec/messages.md#thoughts). */
  readonly carriers?: CarrierSeal;
  /** Whether unset sampler settings are repeated as the open standard's defaults (docs/spec/answers.md#unset-settings). */
  readonly echoDefaults?: boolean;
  /** What a silent stream says; undefined means events (docs/spec/answers.md#framing). */
  readonly keepAlive?: 'events' | 'comments';
  /** Whether answers name the model as the request does (`compat.echo_model`). */
  readonly echoModel?: boolean;
  /** Turns an end-user identifier into a pseudonym that may leave the gateway. */
  readonly hashEndUser: (raw: string) => string;
}

/** Seals texts so that nobody but the same account of the same installation can give them back. */
export interface CarrierSeal {
  /** Base64url, for a text. */
  seal(text: string): string;
  /** The text again; undefined when it was altered, or sealed for another account. */
  open(sealed: string): string | undefined;
}

/** The headers that say something about the request itself, in every dialect (docs/spec/requests.md#headers). */
export interface RequestHeaders {
  /** `x-session-id`; the body's `session_id` wins over it. */
  readonly sessionId?: string;
  /** `x-service-metadata`, or its legacy name where that is absent. */
  readonly metadata?: string;
  /** `x-service-strict`. */
  readonly strict?: string;
  /** `x-claude-code-session-id` and others that name a session without saying so officially. */
  readonly clientSession?: string;
  readonly userAgent?: string;
  /** By vendor: `<vendor>-beta`, or `x-<vendor>-beta`. */
  readonly betas?: Readonly<Record<string, string>>;
}
