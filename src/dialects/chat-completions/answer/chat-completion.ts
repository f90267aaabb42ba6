import type { OutputLogprob } from '../../../core/delta.ts';
import type { ErrorMetadata, ErrorType } from '../../../core/errors.ts';
import type { JsonObject } from '../../../util/json.ts';

/** Why the choice ended (docs/spec/chat.md#endings). */
export type ChatFinish = 'stop' | 'tool_calls' | 'length' | 'content_filter' | 'error';

/** A piece of reasoning (docs/spec/chat.md#reasoning). */
export interface ReasoningDetail {
  readonly type:
    | 'reasoning.text'
    | 'reasoning.summary'
    | 'reasoning.encrypted'
    | 'reasoning.server_tool_call';
  readonly index: number;
  id?: string;
  format?: string;
  text?: string;
  summary?: string;
  data?: string;
  signature?: string;
  readonly [member: string]: unknown;
}

/** A call, or a piece of one in a stream. */
export interface ChatCall {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function';
  readonly function: { readonly name?: string; arguments: string };
  readonly extra_content?: JsonObject;
}

/** What a chunk adds to the message. */
export interface ChatDelta {
  readonly role?: 'assistant';
  readonly content?: string;
  readonly refusal?: string;
  readonly reasoning?: string;
  readonly reasoning_details?: readonly ReasoningDetail[];
  readonly tool_calls?: readonly ChatCall[];
  readonly annotations?: readonly JsonObject[];
  readonly images?: readonly JsonObject[];
  readonly audio?: ChatAudio;
}

/** Speech of an answer, or a piece of it. */
export interface ChatAudio {
  readonly id?: string;
  readonly data?: string;
  readonly transcript?: string;
  readonly expires_at?: number;
}

/** A delta, with the log probabilities of its text. */
export interface WrittenDelta {
  readonly delta: ChatDelta;
  readonly logprobs?: readonly OutputLogprob[];
}

/** The `usage` of an answer (docs/spec/chat.md#usage). */
export interface ChatUsage {
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_tokens: number;
  readonly prompt_tokens_details?: Readonly<Record<string, number>>;
  readonly completion_tokens_details?: Readonly<Record<string, number>>;
  readonly cost?: number;
  readonly is_byok: boolean;
  readonly cost_details?: Readonly<Record<string, number | null>>;
  readonly server_tool_use_details?: Readonly<Record<string, number>>;
}

/** An error in an answer that had begun. */
export interface ChatError {
  readonly code: number;
  readonly message: string;
  readonly metadata: { readonly error_type: ErrorType } & ErrorMetadata;
}
