import type * as Beta from '@anthropic-ai/sdk/resources/beta/messages';
import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type {
  BlockPart,
  CacheControl,
  CallItem,
  CallOutputItem,
  ContentPart,
  FilePart,
  HostedItem,
  ImagePart,
  Item,
  ReasoningItem,
  TextPart,
} from '../../core/request.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { pictureType } from '../../util/picture-type.ts';
import { parseArguments } from '../call-arguments.ts';
import type { ClaudeTraits } from '../claude-model.ts';
import { divideTurns, splitSystem, type TurnOf, type TurnRules } from '../divide-turns.ts';
import { keptPieces, readHostedUse } from '../hosted-use.ts';
import { inlineFile, parseDataUrl } from '../inline-file.ts';
import { textOf } from '../lenient.ts';
import { refusal } from '../refusal.ts';

/** How many breakpoints the dialect accepts. */
export const maxBreakpoints = 4;

/** A tool, which may end a cacheable prefix. */
export interface MarkedTool {
  cache_control?: Wire.CacheControlEphemeral | null | undefined;
}

/**
 * Puts the request's own breakpoint at the end and keeps only the last four breakpoints, which cover the longest
 * prefixes. Earlier breakpoints take the longer lifetime of a later one, because the dialect refuses a long lifetime
 * after a short one.
 * @param tools They come before everything else in a prefix.
 * @param control The request's own breakpoint.
 * @param marksEnd Whether the dialect finds the last block itself, given a member at the top of the body.
 * @returns the value of that member.
 */
export function settleBreakpoints(
  tools: readonly MarkedTool[],
  { system, messages }: Conversation,
  control: CacheControl | undefined,
  marksEnd: boolean,
): Wire.CacheControlEphemeral | undefined {
  const blocks = [...system, ...messages.flatMap((turn) => turn.content)].filter(canCarry);
  const last = blocks.at(-1);
  // The end is not marked twice: the dialect refuses two different lifetimes.
  const own = last?.cache_control ? undefined : encodeCacheControl(control);
  if (!marksEnd && last !== undefined && own !== undefined) last.cache_control = own;
  const atTop = marksEnd ? own : undefined;
  const marked = [...tools, ...blocks].filter((block) => block.cache_control);
  const surplus = marked.length + (atTop === undefined ? 0 : 1) - maxBreakpoints;
  for (const block of marked.splice(0, Math.max(0, surplus))) block.cache_control = undefined;
  const marks = [...marked.map((block) => block.cache_control), atTop];
  const lastLong = marks.findLastIndex((mark) => mark?.ttl === '1h');
  for (const mark of marks.slice(0, Math.max(0, lastLong))) if (mark) mark.ttl = '1h';
  return atTop;
}

function canCarry<Block extends { readonly type: string }>(
  block: Block,
): block is Exclude<Block, Wire.ThinkingBlockParam | Wire.RedactedThinkingBlockParam> {
  return block.type !== 'thinking' && block.type !== 'redacted_thinking';
}

/** The conversation in the dialect's division. */
export interface Conversation {
  readonly system: Wire.TextBlockParam[];
  readonly messages: Turn[];
}

/**
 * Divides the items into a system prompt and alternating turns. Reasoning goes back only where this dialect's issuer
 * signed it; other thoughts cannot be verified and are left out.
 * @param cites Whether the answer should cite the documents of the conversation.
 * @param traits Whether the model continues a turn of its own, and accepts system messages after the first item.
 */
export function encodeConversation(
  items: readonly Item[],
  cites: boolean,
  { prefill, systemTurns }: Pick<ClaudeTraits, 'prefill' | 'systemTurns'>,
): Conversation {
  const [leading, conversation] = splitSystem(items);
  const system = leading.flatMap(({ content }) => encodeTexts(content));
  const rules: TurnRules<TurnBlock> = { blank: { type: 'text', text: '(empty)' }, systemTurns };
  const messages = divideTurns(conversation.flatMap(toClientItems), rules, (item) => encodeItem(item, cites));
  for (const turn of messages) if (turn.role === 'user') turn.content = resultsFirst(turn.content);
  if (prefill) trimPrefill(messages.at(-1));
  else if (endsInWords(messages.at(-1))) {
    messages.push({ role: 'user', content: [{ type: 'text', text: '(go on)' }] });
  }
  return { system, messages };
}

function encodeItem(item: Item, cites: boolean): readonly TurnBlock[] {
  switch (item.kind) {
    case 'message':
      return encodeParts(item.content, cites);
    case 'reasoning':
      return encodeReasoning(item);
    case 'call':
      return [encodeCall(item)];
    case 'call_output':
      return [encodeCallOutput(item, cites)];
    case 'hosted':
      return encodeHostedItem(item);
    default:
      // Translation has rewritten or removed all other items before.
      return [];
  }
}

function encodeReasoning(item: ReasoningItem): TurnBlock[] {
  const { format, signature, encrypted } = item;
  if (signature !== undefined && (format === undefined || format === 'anthropic-claude-v1')) {
    return [{ type: 'thinking', thinking: item.content.join(''), signature }];
  }
  if (encrypted === undefined || format !== 'anthropic-claude-v1') return [];
  return [{ type: 'redacted_thinking', data: encrypted }];
}

function encodeCall(item: CallItem): Wire.ToolUseBlockParam {
  return {
    type: 'tool_use',
    id: item.callId,
    name: item.name,
    input: parseArguments(item.input),
    cache_control: encodeCacheControl(item.cacheControl),
  };
}

/** A cache breakpoint inside a result moves to its end, because parts of results cannot be marked. */
function encodeCallOutput(
  { callId, output, isError }: CallOutputItem,
  cites: boolean,
): Wire.ToolResultBlockParam {
  const parts = encodeParts(output, cites);
  const marked = parts.findLast((part) => part.cache_control)?.cache_control;
  for (const part of parts) delete part.cache_control;
  const result = { type: 'tool_result', tool_use_id: callId, content: parts, cache_control: marked } as const;
  return isError === undefined ? result : { ...result, is_error: isError };
}

/** The dialect wants the results of calls first in a turn. */
function resultsFirst(blocks: readonly TurnBlock[]): TurnBlock[] {
  const isResult = (block: TurnBlock) => block.type === 'tool_result';
  return [...blocks.filter(isResult), ...blocks.filter((block) => !isResult(block))];
}

/** Whether an assistant turn is over. A turn whose hosted tool still runs is continued by the provider. */
function endsInWords(turn: Turn | undefined): boolean {
  return turn?.role === 'assistant' && !isHostedBlock(turn.content.at(-1));
}

/** A final assistant turn is a prefill, which the dialect refuses when it ends in white space. */
function trimPrefill(turn: Turn | undefined): void {
  const block = turn?.role === 'assistant' ? turn.content.at(-1) : undefined;
  if (block?.type === 'text') block.text = block.text.trimEnd();
}

/** A hosted call or its result. */
export type HostedBlock =
  | Wire.ServerToolUseBlockParam
  | Wire.WebSearchToolResultBlockParam
  | Wire.WebFetchToolResultBlockParam
  | Wire.CodeExecutionToolResultBlockParam
  | Wire.BashCodeExecutionToolResultBlockParam
  | Wire.TextEditorCodeExecutionToolResultBlockParam
  | Beta.BetaMCPToolUseBlockParam
  | Beta.BetaRequestMCPToolResultBlockParam;

/** A block of a turn. */
type TurnBlock =
  | ContentBlock
  | HostedBlock
  | Wire.ContainerUploadBlockParam
  | Wire.ThinkingBlockParam
  | Wire.RedactedThinkingBlockParam
  | Wire.ToolUseBlockParam
  | Wire.ToolResultBlockParam;

/** One side's turn; the sides alternate. */
type Turn = TurnOf<TurnBlock>;

/** A block that a user or a tool can contribute. */
type ContentBlock = Wire.TextBlockParam | Wire.ImageBlockParam | Wire.DocumentBlockParam;

const imageTypes = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
const plainTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|javascript)$)/;

/**
 * Encodes content parts as blocks. Omits blank text because the dialect refuses it.
 * @param cites Whether the answer should cite the documents among them.
 * @throws HeadgateError `upstream_invalid_request` for a part for which the dialect has no block.
 */
function encodeParts(parts: readonly ContentPart[], cites = false): ContentBlock[] {
  return parts.flatMap((part) => encodePart(part, cites));
}

/** Encodes the text parts as blocks, because a system prompt can contain nothing else. */
export function encodeTexts(parts: readonly ContentPart[]): Wire.TextBlockParam[] {
  return parts.flatMap((part) => (part.kind === 'text' ? encodeText(part) : []));
}

/** A cache breakpoint in this dialect. */
export function encodeCacheControl(
  control: CacheControl | undefined,
): Wire.CacheControlEphemeral | undefined {
  return control && { type: 'ephemeral', ttl: control.ttl };
}

function encodePart(part: ContentPart, cites: boolean): ContentBlock | [] {
  switch (part.kind) {
    case 'text':
      return encodeText(part);
    case 'refusal':
      return encodeText({ kind: 'text', text: part.text });
    case 'image':
      return {
        type: 'image',
        source: imageSource(part),
        cache_control: encodeCacheControl(part.cacheControl),
      };
    case 'file':
      return encodeFile(part, cites);
    case 'block':
      return encodeBlock(part);
    default:
      throw refusal(`no ${part.kind} input`);
  }
}

function encodeText({ text, citations, cacheControl }: TextPart): Wire.TextBlockParam | [] {
  if (text.trim() === '') return [];
  const block: Wire.TextBlockParam = { type: 'text', text, cache_control: encodeCacheControl(cacheControl) };
  // As the provider gave them.
  if (citations !== undefined) block.citations = citations as unknown as Wire.TextCitationParam[];
  return block;
}

/** A block of this dialect that the caller wrote goes out as it is. */
function encodeBlock({ block, cacheControl }: BlockPart): ContentBlock {
  const cache_control = encodeCacheControl(cacheControl);
  return { ...block, ...(cache_control && { cache_control }) } as unknown as ContentBlock;
}

function imageSource({ url = '', fileId }: ImagePart): Wire.ImageBlockParam['source'] {
  if (fileId !== undefined) return { type: 'file', file_id: fileId };
  const file = parseDataUrl(url);
  if (file === undefined) return { type: 'url', url };
  const media_type = imageTypes.find((type) => type === file.mediaType);
  if (media_type === undefined) throw refusal(`no images of type ${file.mediaType}`);
  return { type: 'base64', media_type, data: file.base64 };
}

function encodeFile(part: FilePart, cites: boolean): Wire.DocumentBlockParam {
  return {
    type: 'document',
    source: documentSource(part),
    title: part.filename,
    context: part.context,
    citations: (part.cites ?? cites) ? { enabled: true } : undefined,
    cache_control: encodeCacheControl(part.cacheControl),
  };
}

function documentSource(part: FilePart): Wire.DocumentBlockParam['source'] {
  if (part.fileId !== undefined) return { type: 'file', file_id: part.fileId };
  const file = inlineFile(part);
  if (file === undefined) return { type: 'url', url: part.url ?? '' };
  if (file.mediaType === 'application/pdf') {
    return { type: 'base64', media_type: file.mediaType, data: file.base64 };
  }
  if (!plainTypes.test(file.mediaType)) throw refusal(`no files of type ${file.mediaType}`);
  return { type: 'text', media_type: 'text/plain', data: Buffer.from(file.base64, 'base64').toString() };
}

const hostedBlocks: ReadonlySet<unknown> = new Set([
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
]);

/**
 * Encodes a hosted call that this dialect's issuer ran, from its original blocks in the item's `signature`.
 */
function encodeHostedItem(item: HostedItem): readonly HostedBlock[] {
  return ownBlocks(item) ?? [];
}

/** Turns hosted calls that other providers ran into an ordinary call and its output. */
function toClientItems(item: Item): readonly Item[] {
  if (item.kind !== 'hosted' || isOwnItem(item)) return [item];
  return toPair(item);
}

/** Whether the item itself carries what this dialect's issuer ran. */
export function isOwnItem(item: HostedItem): boolean {
  return ownBlocks(item) !== undefined;
}

/** Blocks as the decoder stored them, see `hosted-call.ts`. */
function ownBlocks(item: HostedItem): readonly HostedBlock[] | undefined {
  return keptPieces(item, 'anthropic-claude-v1', isHostedBlock);
}

/** Whether a block is a hosted call or its result. */
function isHostedBlock(value: unknown): value is HostedBlock {
  return isObject(value) && hostedBlocks.has(value.type);
}

function toPair(item: HostedItem): readonly Item[] {
  const { name, callId = item.type, input, outcome } = readHostedUse(item);
  const call: Item = { kind: 'call', form: 'function', callId, name, input: JSON.stringify(input) };
  // An action's call comes without its result, which is a separate item.
  if (item.type === 'computer_call') return [call];
  const result: Item = {
    kind: 'call_output',
    form: 'function',
    callId,
    output: describeOutcome(item.type, outcome),
  };
  return item.type.endsWith('_output') ? [result] : [call, result];
}

function describeOutcome(type: HostedItem['type'], outcome: JsonObject): readonly ContentPart[] {
  const picture = type === 'image_generation_call' ? textOf(outcome.result) : screenshotOf(outcome.output);
  if (picture === undefined) return [{ kind: 'text', text: JSON.stringify(outcome) }];
  const url = /^(data|https?):/.test(picture) ? picture : `data:${pictureType(picture)};base64,${picture}`;
  return [{ kind: 'image', url, detail: 'auto' }];
}

function screenshotOf(output: unknown): string | undefined {
  return isObject(output) ? textOf(output.image_url) : undefined;
}
