import type { JsonObject } from '../util/json.ts';
import type { Annotation, OutputLogprob, Phase, ReasoningFormat } from './delta.ts';
import type { efforts } from './efforts.ts';
import type { HostedItemType } from './hosted.ts';
import type { Tool, ToolChoice } from './tool.ts';

export type {
  CustomTool,
  FunctionTool,
  HostedTool,
  NamespaceTool,
  Tool,
  ToolChoice,
} from './tool.ts';

/**
 * The canonical request: what a client wants from a model, in the gateway's own vocabulary. It says
 * nothing of the public wire format, of routing or of money. Adapters translate it to a provider.
 */
export interface CanonicalRequest {
  /** Top system text, before all items. */
  readonly instructions?: string;
  readonly items: readonly Item[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  /** False asks for one call a turn at most; undefined leaves it to the provider. */
  readonly parallelToolCalls?: boolean;
  readonly maxOutputTokens?: number;
  readonly sampling: Sampling;
  readonly format: TextFormat;
  readonly verbosity?: Verbosity;
  readonly reasoning?: ReasoningControl;
  /** Whether the caller wants opaque reasoning blobs back (`include: reasoning.encrypted_content`). */
  readonly includeEncryptedReasoning: boolean;
  /** The other members of `include`: details of hosted items the caller wants to see. */
  readonly include?: readonly string[];
  readonly outputModalities: readonly ('text' | 'image')[];
  readonly serviceTier?: RequestedTier;
  readonly promptCacheKey?: string;
  readonly cacheControl?: CacheControl;
  /** Set when only explicit breakpoints count; `ttl` is the provider's own word, such as `30m`. */
  readonly promptCacheOptions?: { readonly mode: 'explicit'; readonly ttl?: string };
  readonly truncation: 'auto' | 'disabled';
  /** How many calls of hosted tools the model may make. */
  readonly maxToolCalls?: number;
  /** Provider-specific settings of pictures the model makes. */
  readonly imageConfig?: JsonObject;
  /** A template the provider keeps (responses.md 6.7). */
  readonly prompt?: JsonObject;
  /** Names of features a vendor has not released to everyone, by vendor, as headers of the caller's give them. */
  readonly betas?: Readonly<Record<string, readonly string[]>>;
  /** A stable pseudonym of the end user; the raw identifier never gets this far (responses.md 2). */
  readonly endUser?: string;
}

/** The service tier a caller asks for; `fast` is read as `priority`. */
export type RequestedTier = 'auto' | 'default' | 'flex' | 'priority' | 'scale';

/** Where a cacheable prefix ends, and for how long it should be kept. */
export interface CacheControl {
  readonly ttl: '5m' | '1h';
}

/** Sampler settings; undefined means the caller set none and nothing is sent (responses.md 1.5). */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** How many alternatives to return for each token; above zero turns log probabilities on. */
  readonly topLogprobs?: number;
  readonly minP?: number;
  readonly topA?: number;
  readonly repetitionPenalty?: number;
  readonly seed?: number;
  readonly logitBias?: Readonly<Record<string, number>>;
  readonly stop?: readonly string[];
}

/** The shape the answer's text must have. */
export type TextFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json_object' }
  | {
      readonly kind: 'json_schema';
      readonly name: string;
      readonly schema: JsonObject;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** How wordy the answer should be. */
export type Verbosity = 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** How hard a model should think. */
export type Effort = (typeof efforts)[number];

/** How the model should reason (responses.md 6.4). */
export interface ReasoningControl {
  readonly effort?: Effort;
  /** A direct budget in tokens; where a provider takes budgets it wins over `effort`. */
  readonly maxTokens?: number;
  readonly summary?: 'auto' | 'concise' | 'detailed';
  readonly context?: 'auto' | 'all_turns' | 'current_turn';
  readonly mode?: 'standard' | 'pro';
  /** Reason, but return no reasoning items. */
  readonly exclude?: boolean;
}

/** One entry of the conversation, in order. */
export type Item =
  | MessageItem
  | ReasoningItem
  | CallItem
  | CallOutputItem
  | HostedItem
  | ServiceItem
  | AdditionalToolsItem
  | AgentMessageItem
  | ConfigurationUpdateItem
  | CompactionItem;

/** An item or part of a list of which some say nothing and were left out. */
interface Placed {
  /** Where it stands in the caller's list; set where that is another place than here. */
  readonly place?: number;
}

/** What every item may carry. */
interface ItemBase extends Placed {
  readonly id?: string;
  /** Members this gateway gives no meaning to, for a provider that speaks the same items (responses.md 3.1.10). */
  readonly extra?: JsonObject;
}

/** Something said by the system, the user or the model. */
export interface MessageItem extends ItemBase {
  readonly kind: 'message';
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly content: readonly ContentPart[];
  readonly phase?: Phase;
}

/** Reasoning of an earlier turn, replayed whole so that the model can go on from it. */
export interface ReasoningItem extends ItemBase {
  readonly kind: 'reasoning';
  readonly summary: readonly string[];
  readonly content: readonly string[];
  readonly encrypted?: string;
  readonly signature?: string;
  readonly format?: ReasoningFormat;
}

/** A call the model made of a tool the client runs. `input` is JSON text of a function, free text of a custom tool. */
export interface CallItem extends ItemBase {
  readonly kind: 'call';
  readonly form: 'function' | 'custom';
  readonly callId: string;
  readonly name: string;
  readonly input: string;
  readonly namespace?: string;
}

/** What the client's tool answered to the call with the same `callId`. */
export interface CallOutputItem extends ItemBase {
  readonly kind: 'call_output';
  readonly form: 'function' | 'custom';
  readonly callId: string;
  readonly output: readonly ContentPart[];
}

/**
 * A call of a tool with item kinds of its own, or what came of it: whatever the provider or the client ran.
 * `fields` are the item's members other than `type`, `id` and `status`, checked and unchanged.
 */
export interface HostedItem extends ItemBase {
  readonly kind: 'hosted';
  readonly type: HostedItemType;
  readonly status?: string;
  readonly fields: JsonObject;
}

/** A call of one of the gateway's own tools with its result (responses.md 3.3), replayed. */
export interface ServiceItem extends ItemBase {
  readonly kind: 'service';
  /** With its prefix, such as `service:datetime`. */
  readonly type: `service:${string}`;
  readonly fields: JsonObject;
}

/** Tools that are offered from this place of the conversation on. */
export interface AdditionalToolsItem extends ItemBase {
  readonly kind: 'additional_tools';
  readonly tools: readonly Tool[];
  /** Entries of kinds nobody here knows, as sent: for a provider that speaks the same items. */
  readonly others?: readonly JsonObject[];
}

/** What one agent said to another. */
export interface AgentMessageItem extends ItemBase {
  readonly kind: 'agent_message';
  readonly author: string;
  readonly recipient: string;
  readonly content: readonly (ContentPart | EncryptedPart)[];
}

/** Changes the reasoning effort from the next user message on. */
export interface ConfigurationUpdateItem extends ItemBase {
  readonly kind: 'configuration_update';
  readonly effort: Effort;
}

/** An opaque stand-in for earlier turns; only who made it can read it. */
export interface CompactionItem extends ItemBase {
  readonly kind: 'compaction';
  readonly type: 'compaction' | 'context_compaction';
  readonly encrypted?: string;
}

/** Text only its maker can read. */
export interface EncryptedPart extends Placed {
  readonly kind: 'encrypted';
  readonly encrypted: string;
}

/** A piece of a message or of a tool's answer. */
export type ContentPart = TextPart | ImagePart | FilePart | AudioPart | VideoPart | RefusalPart;

/** A model's refusal, in its words. */
export interface RefusalPart extends Placed {
  readonly kind: 'refusal';
  readonly text: string;
}

/** Text, with the citations and log probabilities it carried when a model wrote it. */
export interface TextPart extends Placed {
  readonly kind: 'text';
  readonly text: string;
  readonly annotations?: readonly Annotation[];
  /** For a provider that speaks the same parts. */
  readonly logprobs?: readonly OutputLogprob[];
  /** Set where a cacheable prefix ends with this part. */
  readonly cacheControl?: CacheControl;
}

/** A picture by https or data URL, or by a provider's file id; exactly one of them is set. */
export interface ImagePart extends Placed {
  readonly kind: 'image';
  readonly url?: string;
  readonly fileId?: string;
  readonly detail: 'auto' | 'high' | 'low' | 'original';
  readonly cacheControl?: CacheControl;
}

/** A document, by data URL or base64 (`data`), by URL or by file id; exactly one of them is set. */
export interface FilePart extends Placed {
  readonly kind: 'file';
  readonly data?: string;
  readonly url?: string;
  readonly fileId?: string;
  readonly filename?: string;
  readonly cacheControl?: CacheControl;
}

/** Sound in base64. */
export interface AudioPart extends Placed {
  readonly kind: 'audio';
  readonly data: string;
  readonly format: 'mp3' | 'wav';
}

/** Moving pictures by data URL or URL. */
export interface VideoPart extends Placed {
  readonly kind: 'video';
  readonly url: string;
  readonly processing?: 'agentic' | 'static';
}
