import type { Annotation, OutputLogprob, Phase, ReasoningFormat } from '../../../core/delta.ts';
import type { ErrorType } from '../../../core/errors.ts';
import type { FileAnnotation } from '../../../core/parsed-file.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { FusionEventBody } from './fusion-events.ts';
import type { HostedEventBody, OutputHostedItem } from './hosted-output.ts';
import type { ResponseErrorCode } from './response-error-code.ts';
import type { WorkerItem } from './worker-items.ts';

/**
 * The public answer (docs/spec/answers.md#response-object, docs/spec/answers.md#order-of-events): response object,
 * output items and stream events as they stand on the wire. Only the assembler makes them.
 */

/** How far an output item got. */
export type ItemStatus = 'in_progress' | 'completed' | 'incomplete';

/** A piece of an assistant message. */
export type OutputPart = OutputTextPart | { type: 'refusal'; refusal: string };

/** Text of an assistant message; both arrays are always there. */
export interface OutputTextPart {
  type: 'output_text';
  text: string;
  annotations: (Annotation | FileAnnotation)[];
  logprobs: OutputLogprob[];
}

/** A message of the model. */
export interface OutputMessage {
  type: 'message';
  id: string;
  role: 'assistant';
  status: ItemStatus;
  content: OutputPart[];
  phase?: Phase;
}

/** What the model thought. */
export interface OutputReasoning {
  type: 'reasoning';
  id: string;
  status: ItemStatus;
  summary: { type: 'summary_text'; text: string }[];
  content: { type: 'reasoning_text'; text: string }[];
  encrypted_content?: string;
  signature?: string;
  format?: ReasoningFormat;
}

/** A call of a function the client runs. */
export interface OutputFunctionCall {
  type: 'function_call';
  id: string;
  call_id: string;
  name: string;
  arguments: string;
  status: ItemStatus;
  namespace?: string;
  async?: boolean;
  /** The `call_id` of the worker that made it. */
  subagent_id?: string;
  /** What the worker wrote, on its first call of a round. */
  subagent_items?: readonly WorkerItem[];
}

/** A call of a custom tool the client runs. */
export interface OutputCustomCall {
  type: 'custom_tool_call';
  id: string;
  call_id: string;
  name: string;
  input: string;
  status: ItemStatus;
  namespace?: string;
  async?: boolean;
}

/** A call of a tool that the gateway ran, with its result. */
export interface OutputServiceItem {
  readonly type: `service:${string}`;
  readonly id: string;
  readonly status: ItemStatus | 'failed';
  readonly [member: string]: unknown;
}

/** One entry of `output`. */
export type OutputItem =
  | OutputMessage
  | OutputReasoning
  | OutputFunctionCall
  | OutputCustomCall
  | OutputHostedItem
  | OutputServiceItem;

/** The `usage` member (docs/spec/answers.md#usage); unknown counts show as 0 here and nowhere else. */
export interface ResponseUsage {
  input_tokens: number;
  input_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  output_tokens: number;
  output_tokens_details: { reasoning_tokens: number };
  total_tokens: number;
  /** USD. */
  /** Null where nobody stated a price. */
  cost?: number | null;
  is_byok: boolean;
  cost_details?: {
    upstream_inference_cost: number | null;
    upstream_inference_input_cost: number;
    upstream_inference_output_cost: number;
  };
  /** Where the provider searched the web, which it may bill by the piece. */
  server_tool_use_details?: {
    tool_calls_requested: number;
    tool_calls_executed: number;
    web_search_requests: number;
  };
}

/**
 * The settings a response repeats from its request; unset nullable ones are null
 * (docs/spec/answers.md#response-object).
 */
export interface ResponseEcho {
  readonly instructions: string | null;
  readonly metadata: Readonly<Record<string, string>> | null;
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly presence_penalty: number | null;
  readonly frequency_penalty: number | null;
  readonly tools: readonly JsonObject[];
  readonly tool_choice: string | JsonObject;
  readonly parallel_tool_calls: boolean;
  readonly max_output_tokens: number | null;
  readonly max_tool_calls: number | null;
  readonly previous_response_id: null;
  readonly safety_identifier: string | null;
  readonly prompt_cache_key: string | null;
  readonly user: string | null;
  readonly reasoning: JsonObject | null;
  readonly text: JsonObject;
  readonly truncation: 'auto' | 'disabled';
  readonly store: false;
  readonly background: false;
  readonly top_logprobs: number;
  /** The value as long as the provider has not reported the tier that served. */
  readonly service_tier: string | null;
  readonly prompt?: JsonObject;
  readonly prompt_cache_options?: JsonObject;
}

/** The `error` member of a failed response; `type` repeats the code for one client (docs/spec/errors.md#placement). */
export interface ResponseError {
  code: ResponseErrorCode;
  message: string;
  type?: string;
  metadata?: JsonObject;
}

/** The response object: every snapshot of a stream, and the whole body of an unstreamed answer. */
export interface ResponseObject extends ResponseEcho {
  readonly id: string;
  readonly object: 'response';
  /** Unix seconds. */
  readonly created_at: number;
  readonly completed_at: number | null;
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed';
  readonly error: ResponseError | null;
  readonly error_type?: ErrorType;
  readonly incomplete_details: { readonly reason: 'max_output_tokens' | 'content_filter' } | null;
  readonly model: string;
  readonly output: readonly OutputItem[];
  readonly usage: ResponseUsage | null;
  readonly service_metadata?: JsonObject;
}

/** The snapshot every stream ends with. */
export type TerminalType = 'response.completed' | 'response.incomplete' | 'response.failed';

type ItemPlace = { item_id: string; output_index: number };
type ContentPlace = ItemPlace & { content_index: number };
type SummaryPlace = ItemPlace & { summary_index: number };
type ReasoningPart = { type: 'reasoning_text'; text: string };
type SummaryPart = { type: 'summary_text'; text: string };

/** An event before it has its number. */
export type StreamEventBody =
  | FusionEventBody
  | { type: 'response.created' | 'response.in_progress' | TerminalType; response: ResponseObject }
  | { type: 'error'; code: string | null; message: string; param: string | null }
  | { type: 'response.debug'; debug: { echo_upstream_body?: unknown } }
  | {
      type: 'response.output_item.added' | 'response.output_item.done';
      output_index: number;
      item: OutputItem;
    }
  | ({
      type: 'response.content_part.added' | 'response.content_part.done';
      part: OutputPart | ReasoningPart;
    } & ContentPlace)
  | ({ type: 'response.output_text.delta'; delta: string; logprobs: OutputLogprob[] } & ContentPlace)
  | ({ type: 'response.output_text.done'; text: string; logprobs: OutputLogprob[] } & ContentPlace)
  | ({
      type: 'response.output_text.annotation.added';
      annotation_index: number;
      annotation: Annotation | FileAnnotation;
    } & ContentPlace)
  | ({ type: 'response.refusal.delta'; delta: string } & ContentPlace)
  | ({ type: 'response.refusal.done'; refusal: string } & ContentPlace)
  | ({ type: 'response.reasoning_text.delta'; delta: string } & ContentPlace)
  | ({ type: 'response.reasoning_text.done'; text: string } & ContentPlace)
  | ({
      type: 'response.reasoning_summary_part.added' | 'response.reasoning_summary_part.done';
      part: SummaryPart;
    } & SummaryPlace)
  | ({ type: 'response.reasoning_summary_text.delta'; delta: string } & SummaryPlace)
  | ({ type: 'response.reasoning_summary_text.done'; text: string } & SummaryPlace)
  | ({ type: 'response.function_call_arguments.delta'; delta: string } & ItemPlace)
  | ({ type: 'response.function_call_arguments.done'; name: string; arguments: string } & ItemPlace)
  | ({ type: 'response.custom_tool_call_input.delta'; delta: string } & ItemPlace)
  | ({ type: 'response.custom_tool_call_input.done'; input: string } & ItemPlace)
  | HostedEventBody;

/** An event as it stands in the stream; numbers run from 0 without gaps. */
export type StreamEvent = StreamEventBody & { sequence_number: number };
