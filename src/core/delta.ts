import type { JsonObject } from '../util/json.ts';
import { pushAll } from '../util/push-all.ts';
import type { HostedItemType } from './hosted.ts';
import type { reasoningFormats } from './reasoning-formats.ts';
import type { Usage } from './usage.ts';

/** Why a model stopped, in the gateway's terms (docs/spec/answers.md#status). */
export type FinishReason = 'stop' | 'tool_calls' | 'length' | 'content_filter';

/** One token's log probability (docs/spec/requests.md#content-parts). `bytes` is the token in UTF-8. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes: readonly number[];
}

/** A token's log probability with the model's alternatives. */
export interface OutputLogprob extends TokenLogprob {
  readonly top_logprobs: readonly TokenLogprob[];
}

/**
 * A citation on a text part; offsets are UTF-16 units of that part's final text, end exclusive. `citation` is the same
 * in the Messages format, where its provider speaks that: only so can that provider read it again.
 */
export type Annotation =
  | {
      readonly type: 'url_citation';
      readonly url: string;
      readonly title: string;
      readonly start_index: number;
      readonly end_index: number;
      readonly content?: string;
      readonly citation?: JsonObject;
    }
  | {
      readonly type: 'file_citation';
      readonly file_id: string;
      readonly filename: string;
      readonly index: number;
      /** Where the cited words begin, beside `citation`. */
      readonly start_index?: number;
      readonly citation?: JsonObject;
    }
  | { readonly type: 'file_path'; readonly file_id: string; readonly index: number };

/** The maker of an opaque reasoning blob, who can read it again (docs/spec/items.md#reasoning-formats). */
export type ReasoningFormat = (typeof reasoningFormats)[number];

/** Whether a message is interim commentary or the final answer. */
export type Phase = 'commentary' | 'final_answer';

/**
 * The canonical stream: everything that a provider can send in an answer, in small pieces.
 *
 * `block` is an adapter's own number for the thing that a fragment belongs to (one message, one reasoning passage,
 * one call). Adapters never open, number or close public items: the assembler does. `part` counts text parts or
 * summary parts inside a block and is 0 when absent. `end` marks a block as complete; it may be missing where a
 * provider does not report it. Failures are thrown, never deltas.
 */
export type Delta =
  | { readonly kind: 'start'; readonly upstreamId?: string }
  | {
      readonly kind: 'text';
      readonly block: number;
      readonly text: string;
      readonly part?: number;
      readonly logprobs?: readonly OutputLogprob[];
      readonly phase?: Phase;
      /** Set where the provider began another block of the same text. */
      readonly newBlock?: true;
    }
  | { readonly kind: 'refusal'; readonly block: number; readonly text: string; readonly part?: number }
  | {
      readonly kind: 'annotation';
      readonly block: number;
      readonly annotation: Annotation;
    }
  | { readonly kind: 'thinking'; readonly block: number; readonly text: string; readonly part?: number }
  | { readonly kind: 'summary'; readonly block: number; readonly text: string; readonly part?: number }
  | {
      /** An opaque blob that must be returned unchanged so that the model can continue its reasoning. */
      readonly kind: 'seal';
      readonly block: number;
      readonly format: ReasoningFormat;
      readonly encrypted?: string;
      readonly signature?: string;
    }
  | {
      readonly kind: 'call';
      readonly block: number;
      readonly form: 'function' | 'custom';
      readonly name: string;
      /** The model's own id of the call; absent when it gave none. */
      readonly callId?: string;
      readonly namespace?: string;
    }
  | { readonly kind: 'arguments'; readonly block: number; readonly text: string }
  | {
      /** A hosted item begins; `fields` are its members known so far. */
      readonly kind: 'hosted';
      readonly block: number;
      readonly type: HostedItemType;
      /** The provider's own id, kept because later items may refer to it. */
      readonly id?: string;
      readonly fields?: JsonObject;
    }
  | {
      /** The progress of a hosted tool. */
      readonly kind: 'stage';
      readonly block: number;
      readonly stage: 'searching' | 'generating' | 'interpreting';
    }
  /** A piece of a hosted item's text: the code, the diff or the MCP arguments. */
  | { readonly kind: 'fragment'; readonly block: number; readonly text: string }
  | {
      readonly kind: 'partial_image';
      readonly block: number;
      readonly index: number;
      /** The picture in base64. */
      readonly image: string;
    }
  | {
      /** The result of a hosted item: its members other than `type`, `id` and `status`. */
      readonly kind: 'result';
      readonly block: number;
      readonly fields: JsonObject;
      readonly failed?: boolean;
    }
  | {
      /** A piece of the answer as speech. */
      readonly kind: 'audio';
      /** The provider's own id of the recording. */
      readonly id?: string;
      /** In base64, in the format that the request names. */
      readonly data?: string;
      /** What is said. */
      readonly transcript?: string;
      /** Unix seconds. */
      readonly expiresAt?: number;
    }
  /** The vector of one input. */
  | { readonly kind: 'embedding'; readonly index: number; readonly vector: Float32Array }
  | { readonly kind: 'end'; readonly block: number }
  /** The usage so far; a later report replaces all earlier ones. */
  | { readonly kind: 'usage'; readonly usage: Usage }
  | {
      readonly kind: 'finish';
      readonly reason: FinishReason;
      /** The provider's own reason. */
      readonly native?: string;
      /** The stop sequence that ended the answer, where the provider names it. */
      readonly sequence?: string;
    }
  | { readonly kind: 'tier'; readonly tier: ServedTier };

/** The service tier that served a call, by its name in responses. */
export type ServedTier = 'default' | 'flex' | 'priority';

/** Bytes that one alternative of a token counts. */
const sizeOfAlternative = 64;

/** About how many bytes the texts of a delta are: its UTF-16 units, and what log probabilities take. */
export function textSize(delta: Delta): number {
  switch (delta.kind) {
    case 'text':
      return delta.text.length + (delta.logprobs === undefined ? 0 : sizeOfLogprobs(delta.logprobs));
    case 'annotation':
      return lengthOf(delta.annotation);
    case 'seal':
      return (delta.encrypted?.length ?? 0) + (delta.signature?.length ?? 0);
    case 'audio':
      return (delta.data?.length ?? 0) + (delta.transcript?.length ?? 0);
    case 'embedding':
      return delta.vector.byteLength;
    case 'partial_image':
      return delta.image.length;
    case 'hosted':
    case 'result':
      return lengthOf(delta.fields);
    default:
      return 'text' in delta ? delta.text.length : 0;
  }
}

function sizeOfLogprobs(logprobs: readonly OutputLogprob[]): number {
  const alternatives = logprobs.reduce((sum, { top_logprobs: top }) => sum + 1 + top.length, 0);
  return alternatives * sizeOfAlternative;
}

/** UTF-16 units of all texts in a value, however deep it is nested. */
function lengthOf(value: unknown): number {
  let length = 0;
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next === 'string') length += next.length;
    else if (typeof next === 'object' && next !== null) pushAll(left, Object.values(next));
  }
  return length;
}
