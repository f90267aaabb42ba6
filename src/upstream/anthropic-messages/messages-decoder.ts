import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { Annotation, Delta, FinishReason, ServedTier } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { earlyInput, type Usage, withoutOutput } from '../../core/usage.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { countOf, type Lenient, parseEvent, parseEventExactly, textOf, usedCount } from '../lenient.ts';
import { TextRun } from '../text-run.ts';
import {
  type BlockPiece,
  type BlockStart,
  CallBlock,
  type ContentBlock,
  type MessageText,
  type Push,
  TextBlock,
  ThinkingBlock,
} from './content-block.ts';
import { beginHostedCall, type HostedCall, type HostedCallStart } from './hosted-call.ts';
import { streamFailure } from './read-failure.ts';

/** The hosted calls of one answer. Matches results with their calls, whichever block reports them. */
class HostedCalls {
  readonly #calls = new Map<string, HostedCall>();
  readonly #push: Push;
  #container: string | undefined;

  constructor(push: Push) {
    this.#push = push;
  }

  /** The container in which code runs, once the provider reports it. */
  set container(container: string | undefined) {
    this.#container ??= container;
  }

  /** Begins a call; returns undefined for a tool without a public item or a call without an id. */
  begin(block: number, start: HostedCallStart): HostedCall | undefined {
    const id = textOf(start.id);
    if (id === undefined || this.#calls.has(id)) return undefined;
    const call = beginHostedCall(block, start, this.#push);
    if (call !== undefined) this.#calls.set(id, call);
    return call;
  }

  /** Hands a result to its call; results of unknown calls are ignored. */
  finish(result: JsonObject): void {
    const call = this.#calls.get(textOf(result.tool_use_id) ?? '');
    call?.take(result);
    if (call !== undefined && (!call.needsContainer || this.#container !== undefined)) {
      call.settle(this.#container);
    }
  }

  /** Settles every open call, because the answer is over. */
  end(): void {
    for (const call of this.#calls.values()) call.settle(this.#container);
  }
}

const originalOf = (citation: object): JsonObject => ({ ...citation });

type ErrorEvent = { readonly type: 'error'; readonly error?: unknown };
type StreamEvent = Lenient<Wire.RawMessageStreamEvent> | ErrorEvent;

const finishReasons = wordTable<FinishReason>({
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
});

/**
 * The implied start of a block that began with a piece. A call would have no name, and a signature alone is not a
 * thought.
 */
function beginningOf(piece: BlockPiece): BlockStart | undefined {
  if (piece.type === 'text_delta') return { type: 'text' };
  if (piece.type === 'thinking_delta') return { type: 'thinking' };
  return piece.type === 'input_json_delta' && piece.partial_json ? { type: 'tool_use' } : undefined;
}

/** Reads one answer in the Messages dialect. A block is a content block or a run of text blocks. */
export class MessagesDecoder implements Decoder {
  /** Blocks that have begun and not stopped, by the provider's number. A repeated start is ignored. */
  readonly #blocks = new Map<number, ContentBlock | undefined>();
  /**
   * Our numbers of all blocks that have begun. Some compatible providers repeat their numbers or omit them.
   */
  readonly #begun = new Set<number>();
  #nextBlock = 0;
  readonly #push = (delta: Delta) => this.#pending.push(delta);
  readonly #hosted = new HostedCalls(this.#push);
  #pending: Delta[] = [];
  #started = false;
  #run: MessageText | undefined;
  #usage: WireUsage = {};
  /** Whether the output was counted at the end; the count at the start is incomplete. */
  #outputCounted = false;
  #stopReason: string | undefined;
  #stopSequence: string | undefined;
  #refusal: string | undefined;
  #finished = false;

  get finished(): boolean {
    return this.#finished;
  }

  get ending(): boolean {
    return this.#stopReason !== undefined;
  }

  get resting(): boolean {
    return this.#begun.size > 0 && this.#blocks.size === 0;
  }

  decode({ data }: ServerSentEvent, into: Delta[]): void {
    if (this.#finished || data === '[DONE]') return;
    let event = parseEvent<Wire.RawMessageStreamEvent | ErrorEvent>(data);
    // Some providers send the input of a call complete, as a value.
    if (event.type === 'content_block_start' && event.content_block && 'input' in event.content_block) {
      event = parseEventExactly(data);
    }
    // Some providers report failures without an event type.
    if ('error' in event && isObject(event.error)) throw streamFailure(event.error);
    this.#pending = into;
    this.#read(event);
  }

  close(into: Delta[]): void {
    if (this.#finished) return;
    this.#pending = into;
    if (this.#stopReason === undefined) {
      const text = 'The provider closed the stream before the answer was whole.';
      throw new HeadgateError('provider_failed', text);
    }
    this.#finish();
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    if (isObject(answer.error)) throw streamFailure(answer.error);
    const message = answer as Lenient<Wire.Message>;
    if (!Array.isArray(message.content)) {
      throw new HeadgateError('provider_failed', 'The provider sent an answer without content.');
    }
    this.#pending = into;
    this.#read({ type: 'message_start', message });
    for (const [index, content_block] of message.content.entries()) {
      this.#read({ type: 'content_block_start', index, content_block });
      this.#read({ type: 'content_block_stop', index });
    }
    this.#stop(message);
    this.#outputCounted = true;
    this.#finish();
  }

  #read(event: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        if (!this.#started) this.#pending.push({ kind: 'start', upstreamId: textOf(event.message?.id) });
        this.#started = true;
        this.#hosted.container = textOf(event.message?.container?.id);
        this.#usage = mergeUsage(this.#usage, event.message?.usage);
        this.#emitUsage(earlyInput(readUsage(this.#usage)));
        break;
      case 'content_block_start':
        if (event.content_block) this.#begin(countOf(event.index) ?? 0, event.content_block);
        break;
      case 'content_block_delta':
        if (event.delta) this.#add(countOf(event.index) ?? 0, event.delta);
        break;
      case 'content_block_stop':
        this.#blocks.get(countOf(event.index) ?? 0)?.stop();
        this.#blocks.delete(countOf(event.index) ?? 0);
        break;
      case 'message_delta':
        if (event.delta) this.#stop(event.delta);
        this.#usage = mergeUsage(this.#usage, event.usage);
        this.#outputCounted ||= countOf(event.usage?.output_tokens) !== undefined;
        break;
      case 'message_stop':
        this.#finish();
        break;
      case 'error':
        throw streamFailure(event.error);
    }
  }

  #stop(delta: Lenient<Wire.RawMessageDeltaEvent['delta']>): void {
    const { stop_reason, stop_sequence, stop_details, container } = delta;
    this.#stopReason = textOf(stop_reason) ?? this.#stopReason;
    this.#stopSequence = textOf(stop_sequence) ?? this.#stopSequence;
    this.#refusal = textOf(stop_details?.explanation) ?? this.#refusal;
    this.#hosted.container = textOf(container?.id);
  }

  #begin(index: number, start: BlockStart): void {
    if (this.#blocks.has(index)) return;
    const block = this.#begun.has(index) ? this.#nextBlock : index;
    this.#begun.add(block);
    this.#nextBlock = Math.max(this.#nextBlock, block + 1);
    if (start.type !== 'text') this.#endRun();
    this.#blocks.set(index, this.#open(block, start));
  }

  /** Adds a piece to its block, or begins a new block if none was announced, so that no text is lost. */
  #add(index: number, piece: BlockPiece): void {
    const start = this.#blocks.has(index) ? undefined : beginningOf(piece);
    if (start !== undefined) this.#begin(index, start);
    this.#blocks.get(index)?.add(piece);
  }

  #open(index: number, start: BlockStart): ContentBlock | undefined {
    switch (start.type) {
      case 'text':
        this.#run ??= new TextRun(index, this.#push, readCitation, originalOf);
        return new TextBlock(start, this.#run);
      case 'thinking':
      case 'redacted_thinking':
        return new ThinkingBlock(index, start, this.#push);
      case 'tool_use':
        return new CallBlock(index, start, this.#push);
      case 'server_tool_use':
      case 'mcp_tool_use':
        return this.#hosted.begin(index, start);
      default:
        // Every other block that names a call is the result of a hosted call.
        if ('tool_use_id' in start) this.#hosted.finish(start);
        return undefined;
    }
  }

  #endRun(): void {
    this.#run?.end();
    this.#run = undefined;
  }

  /** Appends the reason of a refusal as a separate part after the text. */
  #refuse(): void {
    if (this.#refusal === undefined) return;
    const block = this.#nextBlock;
    this.#push({ kind: 'refusal', block, text: this.#refusal });
    this.#push({ kind: 'end', block });
  }

  #finish(): void {
    if (this.#stopReason === undefined && this.#begun.size === 0) {
      throw new HeadgateError('provider_failed', 'The provider sent an empty answer.');
    }
    for (const block of this.#blocks.values()) block?.stop();
    this.#endRun();
    this.#hosted.end();
    if (this.#stopReason === 'refusal') this.#refuse();
    const usage = readUsage(this.#usage);
    this.#emitUsage(usage && !this.#outputCounted ? withoutOutput(usage) : usage);
    const native = this.#stopReason;
    const sequence = this.#stopSequence;
    this.#pending.push({
      kind: 'finish',
      reason: finishReasons[native ?? ''] ?? 'stop',
      native,
      ...(sequence === undefined ? {} : { sequence }),
    });
    this.#finished = true;
  }

  #emitUsage(usage: Usage | undefined): void {
    const tier = readTier(this.#usage);
    if (tier !== undefined) this.#pending.push({ kind: 'tier', tier });
    if (usage !== undefined) this.#pending.push({ kind: 'usage', usage });
  }
}

/**
 * Reads a citation of a web page, or of a document of the conversation, which is identified by its position.
 */
function readCitation(
  citation: Lenient<Wire.TextCitation>,
  start_index: number,
  end_index: number,
): Annotation | undefined {
  const content = textOf(citation.cited_text);
  switch (citation.type) {
    case 'web_search_result_location':
    case 'search_result_location': {
      const url = textOf(citation.type === 'search_result_location' ? citation.source : citation.url);
      const title = citation.title ?? '';
      return url === undefined
        ? undefined
        : { type: 'url_citation', url, title, start_index, end_index, content };
    }
    case 'char_location':
    case 'page_location':
    case 'content_block_location': {
      const file_id = citation.file_id ?? '';
      return { type: 'file_citation', file_id, filename: citation.document_title ?? '', index: end_index };
    }
    default:
      return undefined;
  }
}

/** Token counts of a whole answer, or of the start and the end of a stream. */
type WireUsage = Lenient<Wire.Usage> | Lenient<Wire.MessageDeltaUsage>;

/**
 * Merges two reports of token counts. Those at the end are totals and replace the earlier ones, where present. Some
 * compatible providers report the input at the start and zero at the end, so a zero input replaces nothing.
 */
export function mergeUsage(known: WireUsage, later: WireUsage | null | undefined): WireUsage {
  const input = later && [
    later.input_tokens,
    later.cache_read_input_tokens,
    later.cache_creation_input_tokens,
  ];
  const isNothing = (value: unknown) => value === 0 && input?.every((count) => !count) === true;
  const reported = Object.entries(later ?? {}).filter(([name, value]) => {
    if (value === null || value === undefined) return false;
    return !(name in known && name.includes('input_tokens') && isNothing(value));
  });
  return { ...known, ...Object.fromEntries(reported) };
}

/**
 * The token counts in disjoint classes, which is how this dialect reports them; undefined when it reported none.
 */
export function readUsage(counts: WireUsage): Usage | undefined {
  const usage: Usage = {
    uncachedInput: usedCount(counts.input_tokens),
    cacheRead: usedCount(counts.cache_read_input_tokens),
    ...cacheWrites(counts),
    output: usedCount(counts.output_tokens),
    reasoning: usedCount(counts.output_tokens_details?.thinking_tokens),
    webSearches: usedCount(counts.server_tool_use?.web_search_requests),
  };
  return Object.values(usage).some((count) => count !== undefined) ? usage : undefined;
}

/** The tier that served, in the gateway's terms; undefined where unreported. */
function readTier(counts: WireUsage): ServedTier | undefined {
  const tier = 'service_tier' in counts ? counts.service_tier : undefined;
  if (tier === 'standard') return 'default';
  return tier === 'priority' ? 'priority' : undefined;
}

function cacheWrites(counts: WireUsage): Pick<Usage, 'cacheWrite' | 'cacheWriteLong'> {
  const lifetimes = 'cache_creation' in counts ? counts.cache_creation : undefined;
  const cacheWriteLong = usedCount(lifetimes?.ephemeral_1h_input_tokens);
  const all = usedCount(counts.cache_creation_input_tokens);
  // The total may be newer than its parts, because only the total is repeated at the end.
  const cacheWrite =
    all === undefined
      ? usedCount(lifetimes?.ephemeral_5m_input_tokens)
      : Math.max(0, all - (cacheWriteLong ?? 0));
  return { cacheWrite, cacheWriteLong };
}
