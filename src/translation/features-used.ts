import { type Feature, featureOfTool } from '../core/features.ts';
import { type HostedKind, hostedKindOf } from '../core/hosted.ts';
import { samplers } from '../core/parameters.ts';
import {
  type CanonicalChat,
  type CanonicalEmbedding,
  type CanonicalRequest,
  type ContentPart,
  type EncryptedPart,
  type Item,
  isSystem,
  type ReasoningControl,
  type Sampling,
  type Tool,
  type ToolChoice,
} from '../core/request.ts';
import { isObjectText } from '../util/json.ts';

/** The features that a request uses, each with its first place in the public request. */
export type FeaturesUsed = ReadonlyMap<Feature, string>;

type Found = Map<Feature, string>;

/**
 * Finds the features that a request uses beyond text. Reads the request once; a plain one costs only a look at each
 * of its parts.
 */
export function featuresUsed(request: CanonicalRequest): FeaturesUsed {
  const found: Found = new Map();
  if (request.kind === 'chat') findInChat(request, found);
  else findInEmbedding(request, found);
  return found;
}

function findInChat(request: CanonicalChat, found: Found): void {
  findInSettings(request, found);
  findInSampling(request.sampling, found);
  if (request.reasoning !== undefined) findInReasoning(request.reasoning, found);
  for (const [index, tool] of request.tools.entries()) {
    if (!isPlainFunction(tool) || !found.has('tool.function')) findInTool(tool, `tools[${index}]`, found);
  }
  let hasBegun = false;
  for (const [index, item] of request.items.entries()) {
    findInItem(item, item.place ?? index, found);
    if (speaksAfterTools(item, request.items[index - 1])) {
      note(found, 'item.user_after_tools', placeOf(item, item.place ?? index));
    }
    if (!isSystem(item)) hasBegun = true;
    else if (hasBegun) note(found, 'item.system_later', placeOf(item, item.place ?? index));
  }
  findInChoice(request, found);
  if (request.names !== undefined) rename(found, request.names);
}

function speaksAfterTools(item: Item, before: Item | undefined): boolean {
  return item.kind === 'message' && item.role === 'user' && before?.kind === 'call_output';
}

/** Gives settings the names they have in the caller's body. */
function rename(found: Found, names: NonNullable<CanonicalChat['names']>): void {
  for (const [feature, path] of found) found.set(feature, names[path] ?? path);
}

/** Where the caller wrote an item. */
function placeOf(item: Item, index: number): string {
  return item.path ?? `input[${index}]`;
}

/** Kinds whose calls the client answers, so that a function can replace the tool. */
export const clientRunKinds: ReadonlySet<HostedKind> = new Set(['shell', 'local_shell', 'apply_patch']);

/** The feature that a replayed hosted item needs: the tool's own where the client runs it. */
export function featureOfHostedItem(type: keyof typeof hostedKindOf): Feature {
  const kind = hostedKindOf[type];
  return clientRunKinds.has(kind) ? featureOfTool(kind) : 'item.hosted';
}

function note(found: Found, feature: Feature, path: string): void {
  if (!found.has(feature)) found.set(feature, path);
}

function findInSettings(request: CanonicalChat, found: Found): void {
  if (request.format.kind !== 'text') note(found, `text.${request.format.kind}`, 'text.format');
  if (request.verbosity !== undefined) note(found, 'text.verbosity', 'text.verbosity');
  if (request.outputModalities.includes('image')) note(found, 'modalities.image', 'modalities');
  if (request.outputModalities.includes('audio')) note(found, 'modalities.audio', 'modalities');
  if (request.warmsCache === true) note(found, 'output.none', 'max_tokens');
  if (request.prediction !== undefined) note(found, 'prediction', 'prediction');
  if (request.imageConfig !== undefined) note(found, 'image_config', 'image_config');
  if (request.serviceTier !== undefined) note(found, 'service_tier', 'service_tier');
  if (request.promptCacheKey !== undefined) note(found, 'prompt_cache_key', 'prompt_cache_key');
  if (request.cacheControl !== undefined) note(found, 'cache_control', 'cache_control');
  if (request.promptCacheOptions !== undefined) note(found, 'prompt_cache_options', 'prompt_cache_options');
  if (request.truncation === 'auto') note(found, 'truncation.auto', 'truncation');
  if (request.prompt !== undefined) note(found, 'prompt', 'prompt');
  if (request.extra !== undefined) note(found, 'extra', nameOfExtra(request.extra));
  if (request.endUser !== undefined) note(found, 'end_user', 'user');
}

function nameOfExtra({ members, taskBudget }: NonNullable<CanonicalChat['extra']>): string {
  const names = Object.keys(members);
  if (taskBudget !== undefined) names.push('output_config.task_budget');
  return names.length === 0 ? 'system[0]' : names.join(', ');
}

function findInEmbedding(request: CanonicalEmbedding, found: Found): void {
  const { inputs, dimensions, inputType, endUser } = request;
  note(found, 'modalities.embeddings', 'model');
  if (dimensions !== undefined) note(found, 'embedding.dimensions', 'dimensions');
  if (inputType !== undefined) note(found, 'embedding.input_type', 'input_type');
  if (inputs.some((input) => typeof input !== 'string')) note(found, 'embedding.tokens', 'input');
  if (endUser !== undefined) note(found, 'end_user', 'user');
}

function findInSampling(sampling: Sampling, found: Found): void {
  for (const { member, feature, name } of samplers) {
    if (sampling[member] !== undefined) note(found, feature, name);
  }
}

function findInReasoning(control: ReasoningControl, found: Found): void {
  if (control.effort !== undefined) note(found, 'reasoning.effort', 'reasoning.effort');
  if (control.maxTokens !== undefined) note(found, 'reasoning.max_tokens', 'reasoning.max_tokens');
  if (control.summary !== undefined) note(found, 'reasoning.summary', 'reasoning.summary');
  if (control.context !== undefined) note(found, 'reasoning.context', 'reasoning.context');
  if (control.mode === 'pro') note(found, 'reasoning.mode', 'reasoning.mode');
}

function isPlainFunction(tool: Tool): boolean {
  return tool.kind === 'function' && tool.strict !== true && tool.async !== true && tool.extra === undefined;
}

function findInTool(tool: Tool, path: string, found: Found): void {
  switch (tool.kind) {
    case 'hosted':
      note(found, featureOfTool(tool.tool), path);
      return;
    case 'namespace':
      note(found, 'tool.namespace', path);
      for (const [index, member] of tool.tools.entries())
        findInTool(member, `${path}.tools[${index}]`, found);
      return;
    case 'custom':
      note(found, 'tool.custom', path);
      if (tool.grammar !== undefined) note(found, 'tool.custom.grammar', `${path}.format`);
      break;
    case 'function':
      note(found, 'tool.function', path);
      if (tool.strict === true) note(found, 'tool.function.strict', `${path}.strict`);
      if (tool.cacheControl !== undefined) note(found, 'cache_control', `${path}.cache_control`);
      for (const name in tool.extra) {
        note(found, name === 'cache_control' ? 'cache_control' : 'extra', `${path}.${name}`);
      }
  }
  if (tool.async === true) note(found, 'tool.function.async', `${path}.async`);
}

function findInChoice(request: CanonicalChat, found: Found): void {
  const offered = request.tools.length > 0 || found.has('item.additional_tools');
  if (!offered) return;
  const feature = featureOfChoice(request.toolChoice);
  if (feature !== undefined) note(found, feature, 'tool_choice');
  if (request.parallelToolCalls === false) note(found, 'parallel_tool_calls', 'parallel_tool_calls');
}

/** The feature that a tool choice needs; none for `auto`. */
export function featureOfChoice(choice: ToolChoice): Feature | undefined {
  switch (choice.kind) {
    case 'auto':
      return undefined;
    case 'tool':
    case 'hosted':
      return 'tool_choice.named';
    case 'none':
    case 'required':
    case 'allowed':
      return `tool_choice.${choice.kind}`;
  }
}

function findInItem(item: Item, index: number, found: Found): void {
  switch (item.kind) {
    case 'message':
      findInMessage(item, index, found);
      if (item.phase !== undefined) note(found, 'item.phase', `${placeOf(item, index)}.phase`);
      return;
    case 'call_output':
      findInOutput(item, index, found);
      return;
    case 'call':
      findInCall(item, placeOf(item, index), found);
      return;
    case 'reasoning':
      if (item.encrypted !== undefined || item.signature !== undefined) {
        note(found, 'item.reasoning.sealed', placeOf(item, index));
      } else if (item.content.length > 0 || item.summary.length > 0) {
        note(found, 'item.reasoning.readable', placeOf(item, index));
      }
      return;
    case 'hosted':
      note(found, featureOfHostedItem(item.type), placeOf(item, index));
      return;
    case 'additional_tools':
      note(found, 'item.additional_tools', placeOf(item, index));
      for (const [place, tool] of item.tools.entries())
        findInTool(tool, `${placeOf(item, index)}.tools[${place}]`, found);
      return;
    case 'agent_message':
      note(found, 'item.agent_message', placeOf(item, index));
      findInParts(item, item.content, index, 'content', found);
      return;
    case 'configuration_update':
      note(found, 'reasoning.effort', `${placeOf(item, index)}.reasoning.effort`);
      note(found, 'item.configuration_update', placeOf(item, index));
      return;
    case 'service':
    case 'compaction':
      note(found, `item.${item.kind}`, placeOf(item, index));
  }
}

function findInCall(item: Extract<Item, { kind: 'call' }>, path: string, found: Found): void {
  if (item.form === 'custom') note(found, 'tool.custom', path);
  else if (item.input.trim() !== '' && !isObjectText(item.input)) note(found, 'item.call_arguments', path);
  if (item.namespace !== undefined) note(found, 'tool.namespace', `${path}.namespace`);
  if (item.cacheControl !== undefined) note(found, 'cache_control', `${path}.cache_control`);
}

function findInMessage(item: Extract<Item, { kind: 'message' }>, index: number, found: Found): void {
  if (item.role !== 'user') {
    const at = item.content.findIndex((part) => part.kind !== 'block' && featureOfPart(part) !== undefined);
    const place = item.content[at]?.place ?? at;
    if (at !== -1) {
      const path = item.content[at]?.path ?? `${placeOf(item, index)}.content[${place}]`;
      note(found, 'input.message.media', path);
    }
  }
  findInParts(item, item.content, index, 'content', found);
}

function findInOutput(item: Extract<Item, { kind: 'call_output' }>, index: number, found: Found): void {
  if (item.form === 'custom') note(found, 'tool.custom', placeOf(item, index));
  if (item.isError === true) note(found, 'tool_output.error', `${placeOf(item, index)}.is_error`);
  if (item.output.some((part) => part.kind !== 'text' && part.kind !== 'refusal' && part.kind !== 'block')) {
    note(found, 'input.tool_output.media', `${placeOf(item, index)}.output`);
  }
  findInParts(item, item.output, index, 'output', found);
}

function findInParts(
  item: Item,
  parts: readonly (ContentPart | EncryptedPart)[],
  index: number,
  member: string,
  found: Found,
): void {
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at];
    // Nearly all parts are plain text.
    if (part === undefined || (part.kind === 'text' && part.cacheControl === undefined)) continue;
    const place = part.place ?? at;
    const feature = featureOfPart(part);
    const path = () => part.path ?? `${placeOf(item, index)}.${member}[${place}]`;
    if (feature !== undefined) note(found, feature, path());
    if (part.kind === 'file' && (part.context !== undefined || part.cites !== undefined)) {
      note(found, 'input.file.context', path());
    }
    if ('cacheControl' in part && part.cacheControl !== undefined) note(found, 'cache_control', path());
  }
}

/** The feature that a part of a message needs; none for text. */
export function featureOfPart(part: ContentPart | EncryptedPart): Feature | undefined {
  switch (part.kind) {
    case 'image':
      if (part.ofFile === true) return undefined;
      if (part.fileId !== undefined) return 'input.image.file';
      return isDataUrl(part.url) ? 'input.image.data' : 'input.image.url';
    case 'file':
      if (part.fileId !== undefined) return 'input.file.id';
      return part.data === undefined && !isDataUrl(part.url) ? 'input.file.url' : 'input.file.data';
    case 'audio':
      return 'input.audio';
    case 'video':
      return isDataUrl(part.url) ? 'input.video.data' : 'input.video.url';
    case 'block':
      return part.text === undefined ? 'input.block.unknown' : 'input.block';
    case 'text':
    case 'refusal':
    case 'encrypted':
      return undefined;
  }
}

function isDataUrl(url: string | undefined): boolean {
  return url !== undefined && /^data:/i.test(url);
}
