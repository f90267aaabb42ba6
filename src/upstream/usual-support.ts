import type { FeatureSupport, Support } from '../core/features.ts';
import type { HostedItemType } from '../core/hosted.ts';
import { byRareSampler } from '../core/parameters.ts';

/** Support for a setting that is left out because the dialect has none. */
export const noSetting = { dropped: 'the provider has no such setting' } as const;

/** Items that only their maker's dialect can express: lists of tools, and requests for approval. */
export const inexpressibleItems: ReadonlySet<HostedItemType> = new Set([
  'mcp_list_tools',
  'mcp_approval_request',
  'mcp_approval_response',
]);

/** What requests of the Messages format have, at providers of other formats (docs/spec/messages.md#elsewhere). */
export const outsideMessages = {
  'output.none': 'refused',
  'input.file.context': { emulated: 'as-text' },
  'input.block': { emulated: 'as-text' },
  'input.block.unknown': 'refused',
  'tool_output.error': { emulated: 'as-text' },
  extra: { dropped: 'only the Messages format has it' },
} as const satisfies Partial<FeatureSupport>;

/** Vectors as OpenAI's interface makes them, and those that imitate it. */
export const embeddingSupport = {
  'modalities.embeddings': 'native',
  'embedding.dimensions': 'native',
  'embedding.input_type': 'native',
  'embedding.tokens': 'native',
} as const;

/** How dialects whose arguments are objects, or have to be, take others that a model wrote. */
export const argumentsWrapped: Support = { adapted: 'as text in `input` of an object' };

/** Thoughts are shown, but not in the summary form that the caller asked for. */
const oneFormOfThoughts: Support = {
  adapted: 'thoughts come in the one form the model shows',
  when: ({ reasoning }) => reasoning?.summary !== 'auto',
};

/**
 * How makers' own dialects handle features that none or all of them have. An adapter states only its differences and
 * the rest.
 */
export const usualSupport = {
  ...outsideMessages,
  'input.image.data': 'native',
  'input.file.data': 'native',
  'input.message.media': { emulated: 'moved' },
  'modalities.audio': 'refused',
  'modalities.embeddings': 'refused',
  'embedding.dimensions': 'refused',
  'embedding.input_type': noSetting,
  'embedding.tokens': 'refused',
  'item.system_later': { adapted: 'in the turn of the user at its place' },
  'item.user_after_tools': 'native',
  'item.call_arguments': argumentsWrapped,
  'item.phase': { dropped: 'the provider does not tell remarks from answers' },
  'item.reasoning.sealed': 'native',
  'item.reasoning.readable': { dropped: 'the provider takes back only thoughts that it sealed' },
  'item.additional_tools': { emulated: 'merged' },
  'item.agent_message': { emulated: 'as-message' },
  'item.configuration_update': { emulated: 'merged' },
  'item.compaction': 'refused',
  'item.service': { emulated: 'as-call-pair' },
  'tool.function': 'native',
  'tool.function.async': { dropped: 'the provider waits for every output' },
  'tool.namespace': { emulated: 'flattened' },
  'tool.custom': { emulated: 'as-function' },
  'tool.custom.grammar': { emulated: 'described' },
  'tool.file_search': 'refused',
  'tool.computer': 'refused',
  'tool.mcp': 'refused',
  'tool.image_generation': 'refused',
  'tool.local_shell': { emulated: 'as-function' },
  'tool.shell': { emulated: 'as-function' },
  'tool.apply_patch': { emulated: 'as-function' },
  'tool_choice.allowed': { emulated: 'filtered' },
  parallel_tool_calls: { emulated: 'filtered' },
  'text.json_object': { emulated: 'instructed' },
  'text.verbosity': noSetting,
  'reasoning.summary': oneFormOfThoughts,
  'reasoning.context': noSetting,
  'reasoning.mode': 'refused',
  ...byRareSampler(noSetting),
  image_config: noSetting,
  prediction: noSetting,
  prompt_cache_key: { dropped: 'the provider finds prefixes by what they say' },
  'truncation.auto': { emulated: 'shortened' },
  prompt: 'refused',
  end_user: noSetting,
} as const satisfies Partial<FeatureSupport>;
