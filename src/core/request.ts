import type { JsonObject } from '../util/json.ts';
import type { Modality } from './catalogue.ts';
import type { CacheControl, ContentPart, EncryptedPart, Placed } from './content.ts';
import type { Phase, ReasoningFormat } from './delta.ts';
import type { Effort } from './efforts.ts';
import type { HostedItemType } from './hosted.ts';
import type { StopCondition } from './stop-condition.ts';
import type { ServiceTool, Tool, ToolChoice } from './tool.ts';

export type {
  AudioPart,
  BlockPart,
  CacheControl,
  ContentPart,
  EncryptedPart,
  FilePart,
  ImagePart,
  RefusalPart,
  TextPart,
  VideoPart,
} from './content.ts';
export type {
  CustomTool,
  FunctionTool,
  HostedTool,
  NamespaceTool,
  ServiceTool,
  Tool,
  ToolChoice,
} from './tool.ts';

/**
 * The canonical request: what a client wants from a model, in the gateway's own vocabulary, by the kind of model that
 * can give it. It contains nothing of the public wire format, of routing or of money. Adapters translate it for a
 * provider.
 */
export type CanonicalRequest = CanonicalChat | CanonicalEmbedding;

/** What routing, limits and prices ask of a request of every kind. */
interface RequestBase {
  /** What the answer may consist of; never empty. */
  readonly outputModalities: readonly Modality[];
  /** Undefined where the caller set no limit, or the kind has none. */
  readonly maxOutputTokens?: number;
  readonly serviceTier?: RequestedTier;
  /** A stable pseudonym of the end user; the raw identifier never gets this far (docs/spec/requests.md#fields). */
  readonly endUser?: string;
}

/** A request for vectors, one for each input (docs/spec/embeddings.md#request). */
export interface CanonicalEmbedding extends RequestBase {
  readonly kind: 'embedding';
  /** At least one. */
  readonly inputs: readonly EmbeddingInput[];
  readonly dimensions?: number;
  /** What the vectors are for, in the provider's words. */
  readonly inputType?: string;
}

/** What becomes one vector: a text that is not empty, or at least one token. */
export type EmbeddingInput = string | readonly number[];

/** A request that continues a conversation: an answer in text, speech or pictures, or calls of tools. */
export interface CanonicalChat extends RequestBase {
  readonly kind: 'chat';
  /** Top system text, before all items. */
  readonly instructions?: string;
  readonly items: readonly Item[];
  readonly tools: readonly Tool[];
  /** Tools that the gateway runs itself; undefined without any. Their functions come after `tools`. */
  readonly serviceTools?: readonly ServiceTool[];
  readonly toolChoice: ToolChoice;
  /** False requests at most one call per turn; undefined leaves it to the provider. */
  readonly parallelToolCalls?: boolean;
  /** Set where no output is wanted at all, only a prefix in the provider's cache (`max_tokens: 0` of Messages). */
  readonly warmsCache?: true;
  readonly sampling: Sampling;
  readonly format: TextFormat;
  readonly verbosity?: Verbosity;
  readonly reasoning?: ReasoningControl;
  /** Whether the caller wants opaque reasoning blobs back (`include: reasoning.encrypted_content`). */
  readonly includeEncryptedReasoning: boolean;
  /** The other members of `include`: details of hosted items that the caller wants. */
  readonly include?: readonly string[];
  /** How speech in the answer sounds: `voice` and `format`, in the provider's words. Set where speech is wanted. */
  readonly speech?: JsonObject;
  /** Text that the answer is expected to repeat in large part, which some providers write faster then. */
  readonly prediction?: string;
  readonly promptCacheKey?: string;
  readonly cacheControl?: CacheControl;
  /** Set when only explicit breakpoints count; `ttl` is the provider's own term, such as `30m`. */
  readonly promptCacheOptions?: { readonly mode: 'explicit'; readonly ttl?: string };
  readonly truncation: 'auto' | 'disabled';
  /**
   * Whether the gateway leaves out the middle of a conversation that is too long, whatever the endpoint could do. Undefined
   * leaves it to the size of the endpoint's context.
   */
  readonly compression?: boolean;
  /** How many hosted calls the model may make. */
  readonly maxToolCalls?: number;
  /** What ends the loop of tools, in place of that number. */
  readonly stopWhen?: readonly StopCondition[];
  /** Provider-specific settings of pictures that the model makes. */
  readonly imageConfig?: JsonObject;
  /** A template stored at the provider (docs/spec/requests.md#prompt-templates). */
  readonly prompt?: JsonObject;
  /** Names of a vendor's beta features, by vendor, from the caller's headers. */
  readonly betas?: Readonly<Record<string, readonly string[]>>;
  /** Unknown members of a request in the Messages format, for providers of that format (docs/spec/messages.md#extras). */
  readonly extra?: MessagesExtra;
  /** What the caller's body calls settings that have another name in `input` bodies, by that other name. */
  readonly names?: Readonly<Record<string, string>>;
}

/** What only providers of the Messages format understand of a request. */
export interface MessagesExtra {
  /** Top-level members, unchanged. */
  readonly members: JsonObject;
  /** A first system block that names the request for billing and changes with each request. */
  readonly attribution?: string;
  /** `output_config.task_budget`. */
  readonly taskBudget?: JsonObject;
}

/** The chat that a request of any kind wants; undefined where it is of another kind. */
export function chatOf(request: CanonicalRequest): CanonicalChat | undefined {
  return request.kind === 'chat' ? request : undefined;
}

/** A conversation and nothing else: no tools, no settings, an answer in text. @param more What it has beside that. */
export function plainChat(items: readonly Item[], more?: Partial<CanonicalChat>): CanonicalChat {
  return {
    kind: 'chat',
    items,
    tools: [],
    toolChoice: { kind: 'auto' },
    sampling: {},
    format: { kind: 'text' },
    includeEncryptedReasoning: false,
    outputModalities: ['text'],
    truncation: 'disabled',
    ...more,
  };
}

/** The service tier that a caller requests; `fast` is read as `priority`. */
export type RequestedTier = 'auto' | 'default' | 'flex' | 'priority' | 'scale';

/** Sampler settings; undefined means that the caller set none and nothing is sent (docs/spec/requests.md#sampling). */
export interface Sampling {
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly minP?: number;
  readonly topA?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly repetitionPenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly logitBias?: Readonly<Record<string, number>>;
  /** How many alternatives to return for each token; above zero turns log probabilities on. */
  readonly topLogprobs?: number;
}

/** The required format of the answer's text. */
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

/** How the model should reason (docs/spec/requests.md#reasoning). */
export interface ReasoningControl {
  readonly effort?: Effort;
  /** A direct budget in tokens; at providers with budgets it overrides `effort`. */
  readonly maxTokens?: number;
  readonly summary?: 'auto' | 'concise' | 'detailed';
  readonly context?: 'auto' | 'all_turns' | 'current_turn';
  readonly mode?: 'standard' | 'pro';
  /** Reason, but return no reasoning items. */
  readonly exclude?: boolean;
}

/** One item of the conversation, in order. */
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

/** The members of every item. */
interface ItemBase extends Placed {
  readonly id?: string;
  /** Unknown members, for a provider with the same item types (docs/spec/items.md#unknown-members). */
  readonly extra?: JsonObject;
}

/** A message of the system, the user or the model. */
export interface MessageItem extends ItemBase {
  readonly kind: 'message';
  readonly role: 'system' | 'developer' | 'user' | 'assistant';
  readonly content: readonly ContentPart[];
  readonly phase?: Phase;
}

/** Reasoning of an earlier turn, replayed completely so that the model can continue it. */
export interface ReasoningItem extends ItemBase {
  readonly kind: 'reasoning';
  readonly summary: readonly string[];
  readonly content: readonly string[];
  readonly encrypted?: string;
  readonly signature?: string;
  readonly format?: ReasoningFormat;
}

/** A model's call of a client tool. `input` is JSON text for a function, free text for a custom tool. */
export interface CallItem extends ItemBase {
  readonly kind: 'call';
  readonly form: 'function' | 'custom';
  readonly callId: string;
  readonly name: string;
  readonly input: string;
  readonly namespace?: string;
  /** Set where a cacheable prefix ends after it. */
  readonly cacheControl?: CacheControl;
}

/** The client's output for the call with the same `callId`. */
export interface CallOutputItem extends ItemBase {
  readonly kind: 'call_output';
  readonly form: 'function' | 'custom';
  readonly callId: string;
  readonly output: readonly ContentPart[];
  /** Whether the tool failed, where the client says so. */
  readonly isError?: boolean;
}

/**
 * A hosted call or its result, whether the provider or the client ran it. `fields` are the item's members other than
 * `type`, `id` and `status`, checked and unchanged.
 */
export interface HostedItem extends ItemBase {
  readonly kind: 'hosted';
  readonly type: HostedItemType;
  readonly status?: string;
  readonly fields: JsonObject;
}

/** A call of one of the gateway's own tools with its result (docs/spec/items.md#service-items), replayed. */
export interface ServiceItem extends ItemBase {
  readonly kind: 'service';
  /** With its prefix, such as `service:datetime`. */
  readonly type: `service:${string}`;
  readonly fields: JsonObject;
  /** Set where it is a worker that waits for functions of the client, or has waited. At least one. */
  readonly rounds?: readonly WorkerRound[];
}

/** What a worker wrote until it called functions of the client, and what these returned. */
export interface WorkerRound {
  /** What it wrote, its calls of functions included, and results of its own tools; empty where the client lost it. */
  readonly items: readonly Item[];
  readonly outputs: readonly CallOutputItem[];
}

/** Tools that are offered from this place of the conversation on. */
export interface AdditionalToolsItem extends ItemBase {
  readonly kind: 'additional_tools';
  readonly tools: readonly Tool[];
  /** Entries of unknown kinds, unchanged, for a provider with the same item types. */
  readonly others?: readonly JsonObject[];
  /** Tools of the gateway; they are among those of the request. */
  readonly services?: readonly ServiceTool[];
}

/** A message from one agent to another. */
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

/** An opaque replacement of earlier turns, which only its maker can read. */
export interface CompactionItem extends ItemBase {
  readonly kind: 'compaction';
  readonly type: 'compaction' | 'context_compaction';
  readonly encrypted?: string;
}

/** Whether an item is a system message. */
export function isSystem(item: Item): item is MessageItem {
  return item.kind === 'message' && (item.role === 'system' || item.role === 'developer');
}
