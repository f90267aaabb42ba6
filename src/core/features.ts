import type { JsonObject } from '../util/json.ts';
import type { Endpoint, Model } from './catalogue.ts';
import type { ReasoningFormat } from './delta.ts';
import type { HostedItemType, HostedKind } from './hosted.ts';
import { bySamplerFeature } from './parameters.ts';
import type { CanonicalChat } from './request.ts';

/**
 * The features of requests that some dialects lack. The rows of docs/translation.md, in order; the texts are its
 * first column.
 */
export const features = {
  'input.image.url': 'Pictures by https URL',
  'input.image.data': 'Pictures by data URL',
  'input.image.file': 'Pictures by file id',
  'input.file.data': 'Files (PDF) in the request',
  'input.file.url': 'Files by URL',
  'input.file.id': 'Files by file id',
  'input.audio': 'Audio',
  'input.video.data': 'Video in the request',
  'input.video.url': 'Video by URL',
  'input.message.media': 'Pictures and files in messages of the model or the system',
  'input.tool_output.media': 'Pictures and files in tool outputs',
  'input.file.context': '`context` of documents',
  'input.block': 'Search results, documents of text and tool references (Messages)',
  'input.block.unknown': 'Blocks of kinds that only the Messages format has',
  'tool_output.error': '`is_error` of tool results',
  'item.system_later': 'System and developer messages after the conversation has begun',
  'item.user_after_tools': 'A user message right after tool outputs',
  'item.call_arguments': 'Replayed calls whose arguments are no JSON object',
  'item.phase': '`phase` of assistant messages',
  'item.reasoning.sealed': 'Replay of sealed reasoning (encrypted content, signatures)',
  'item.reasoning.readable': 'Replay of readable reasoning without a seal',
  'item.additional_tools': '`additional_tools` items',
  'item.agent_message': '`agent_message` items',
  'item.configuration_update': '`configuration_update` items',
  'item.compaction': 'Compaction items',
  'item.hosted': 'Replay of hosted tool calls',
  'item.service': 'Replay of `service:*` items',
  'tool.function': 'Functions of the client',
  'tool.function.strict': '`strict` functions',
  'tool.function.async': '`async` functions',
  'tool.namespace': '`namespace` tools',
  'tool.custom': 'Custom tools',
  'tool.custom.grammar': 'Custom tools with a grammar',
  'tool.web_search': 'Hosted web search',
  'tool.file_search': 'Hosted file search',
  'tool.computer': 'Computer use',
  'tool.code_interpreter': 'Hosted code interpreter',
  'tool.mcp': 'Hosted MCP',
  'tool.image_generation': 'Hosted image generation',
  'tool.local_shell': '`local_shell`',
  'tool.shell': '`shell`',
  'tool.apply_patch': '`apply_patch`',
  'tool_choice.none': '`tool_choice` none with tools',
  'tool_choice.required': '`tool_choice` required',
  'tool_choice.named': '`tool_choice` of one tool',
  'tool_choice.allowed': '`tool_choice` allowed_tools',
  parallel_tool_calls: '`parallel_tool_calls` off',
  'text.json_object': 'JSON mode',
  'text.json_schema': 'Structured output',
  'text.verbosity': '`text.verbosity`',
  'reasoning.effort': '`reasoning.effort`',
  'reasoning.max_tokens': '`reasoning.max_tokens`',
  'reasoning.summary': '`reasoning.summary`',
  'reasoning.context': '`reasoning.context`',
  'reasoning.mode': '`reasoning.mode` pro',
  ...bySamplerFeature((names) => names.map((name) => `\`${name}\``).join(', ')),
  'modalities.image': 'Pictures in the answer',
  'modalities.audio': 'Speech in the answer',
  'modalities.embeddings': 'Embeddings',
  'embedding.dimensions': '`dimensions` of embeddings',
  'embedding.input_type': '`input_type` of embeddings',
  'embedding.tokens': 'Embeddings of token arrays',
  image_config: '`image_config`',
  'output.none': '`max_tokens: 0` (Messages), which warms a cache',
  prediction: '`prediction`',
  service_tier: '`service_tier`',
  prompt_cache_key: '`prompt_cache_key`',
  cache_control: '`cache_control` and breakpoints',
  prompt_cache_options: '`prompt_cache_options`',
  'truncation.auto': '`truncation` auto',
  prompt: '`prompt` templates',
  extra: 'Members that only the Messages format has',
  end_user: '`user` and `safety_identifier` (as a pseudonym)',
} as const;

/** A feature that a request may use. */
export type Feature = keyof typeof features;

/** The feature of a hosted tool. */
export function featureOfTool(kind: HostedKind): Feature {
  return `tool.${kind}`;
}

/** The emulations that translation implements, by name. */
export type Emulation =
  /** A tool of another kind becomes a client function, and its calls become items of that kind again. */
  | 'as-function'
  /** A grammar is described in the tool's description and not enforced. */
  | 'described'
  /** Tools of a namespace become functions with prefixed names. */
  | 'flattened'
  /** Calls that the request does not allow are removed from the answer. */
  | 'filtered'
  /** The schema becomes a function that the model must call; its arguments become the text. */
  | 'forced-tool'
  /** The format is requested in the instructions. */
  | 'instructed'
  /** An item of a tool becomes a function call and its output. */
  | 'as-call-pair'
  /** An item becomes a message. */
  | 'as-message'
  /** A setting that an item makes for a part of the conversation applies to the whole request. */
  | 'merged'
  /** Pictures, files, audio and video of others move into user messages. */
  | 'moved'
  /** A block, or a mark on an item, becomes text that says the same. */
  | 'as-text'
  /** Middle turns are dropped when the conversation is too long. */
  | 'shortened';

/** Checks how a request uses a feature, at the endpoint that is to serve it. */
export type RequestTest = (request: CanonicalChat, at: ServedBy) => boolean;

/** A model at an endpoint. */
export interface ServedBy {
  readonly model: Model;
  readonly endpoint: Endpoint;
}

/**
 * How a dialect handles a feature.
 *
 * - `native`: it has exactly this feature.
 * - `adapted`: its adapter uses a nearly equivalent form; the text names the form and what is lost.
 * - `emulated`: translation rewrites the request before the adapter sees it, and restores the answer.
 * - `dropped`: it is left out, because the answer is correct without it; the text gives the reason.
 * - `refused`: the endpoint cannot serve the request, so routing passes it over.
 */
export type Support =
  | 'native'
  | {
      readonly adapted: string;
      /** Selects the requests to which this support applies; the others are native. Absent means all. */
      readonly when?: RequestTest;
      /** Selects the requests that the dialect cannot express; for those the feature is refused. */
      readonly refuses?: RequestTest;
    }
  | { readonly emulated: Emulation }
  | { readonly dropped: string }
  | 'refused';

/** Names of tools that a dialect takes. */
export interface NameRule {
  /** Matches a name that begins as it may; unset where its first character is like the others. */
  readonly begins?: RegExp;
  /** Matches a character that is refused. */
  readonly refused: RegExp;
  /** Characters. */
  readonly longest: number;
}

/** How one dialect handles each feature, at one provider. */
export type FeatureSupport = Readonly<Record<Feature, Support>> & {
  /**
   * Formats of sealed reasoning that this provider reads; other seals are removed. Unset leaves that to the adapter.
   */
  readonly seals?: readonly ReasoningFormat[];
  /**
   * Kinds of hosted items that the adapter cannot express, although it can others: they become call pairs.
   */
  readonly inexpressible?: ReadonlySet<HostedItemType>;
  /** Whether it can hold the model to a schema as it is meant; unset means any. */
  readonly enforces?: (schema: JsonObject) => boolean;
  /** Names of functions and custom tools that it takes; unset means any. */
  readonly toolNames?: NameRule;
  /** Whether parameters of functions must be one object, without alternatives at the root. */
  readonly rootObjects?: boolean;
  /** Whether it refuses reasoning that nothing of the model follows. */
  readonly pairsReasoning?: boolean;
  /** Messages of a conversation that it takes; unset means any number. */
  readonly mostMessages?: number;
  /** Whether `none` turns reasoning off without being one of the model's efforts. */
  readonly stopsReasoning?: boolean;
};
