import type * as Wire from '@anthropic-ai/sdk/resources/messages';
import type { Delta, FinishReason } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject, Tool } from '../../core/request.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { countOf, isObject, type Lenient, parseEvent, textOf, unreadable } from '../lenient.ts';
import { type BlockStart, CallBlock, type ContentBlock, ThinkingBlock } from './content-block.ts';
import { streamFailure } from './read-failure.ts';
import { mergeUsage, readTier, readUsage, type WireUsage } from './read-usage.ts';
import { TextRun } from './text-run.ts';

type ErrorEvent = { readonly type: 'error'; readonly error?: unknown };
type StreamEvent = Lenient<Wire.RawMessageStreamEvent> | ErrorEvent;

const finishReasons: Readonly<Record<string, FinishReason>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content_filter',
};

/** Reads one answer in the Messages dialect. A block is a content block, or a run of text blocks. */
export class MessagesDecoder implements Decoder {
  readonly #customTools: ReadonlySet<string>;
  readonly #blocks = new Map<number, ContentBlock>();
  readonly #push = (delta: Delta) => this.#pending.push(delta);
  #pending: Delta[] = [];
  #run: TextRun | undefined;
  #usage: WireUsage = {};
  #stopReason: string | undefined;
  #finished = false;

  /** @param tools The tools the call offered, to know whose input is free text. */
  constructor(tools: readonly Tool[]) {
    this.#customTools = new Set(tools.filter((tool) => tool.kind === 'custom').map((tool) => tool.name));
  }

  get finished(): boolean {
    return this.#finished;
  }

  decode({ data }: ServerSentEvent, into: Delta[]): void {
    if (this.#finished) return;
    const event = parseEvent<Wire.RawMessageStreamEvent | ErrorEvent>(data);
    // Some providers report failures without saying that they are one.
    if ('error' in event && isObject(event.error)) throw streamFailure(event.error);
    this.#pending = into;
    try {
      this.#read(event);
    } catch (thrown) {
      throw unreadable(thrown);
    }
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
    this.#stopReason = textOf(message.stop_reason);
    this.#finish();
  }

  #read(event: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#pending.push({ kind: 'start', upstreamId: textOf(event.message?.id) });
        this.#usage = mergeUsage(this.#usage, event.message?.usage);
        break;
      case 'content_block_start':
        if (event.content_block) this.#begin(countOf(event.index) ?? 0, event.content_block);
        break;
      case 'content_block_delta':
        if (event.delta) this.#blocks.get(event.index ?? 0)?.add(event.delta);
        break;
      case 'content_block_stop':
        this.#blocks.get(event.index ?? 0)?.stop();
        this.#blocks.delete(event.index ?? 0);
        break;
      case 'message_delta':
        this.#stopReason = textOf(event.delta?.stop_reason) ?? this.#stopReason;
        this.#usage = mergeUsage(this.#usage, event.usage);
        break;
      case 'message_stop':
        this.#finish();
        break;
      case 'error':
        throw streamFailure(event.error);
    }
  }

  #begin(index: number, start: BlockStart): void {
    if (start.type !== 'text') this.#endRun();
    switch (start.type) {
      case 'text':
        this.#run ??= new TextRun(index, this.#push);
        this.#blocks.set(index, this.#run.begin(start));
        break;
      case 'thinking':
      case 'redacted_thinking':
        this.#blocks.set(index, new ThinkingBlock(index, start, this.#push));
        break;
      case 'tool_use': {
        const custom = this.#customTools.has(start.name ?? '');
        this.#blocks.set(index, new CallBlock(index, start, custom, this.#push));
        break;
      }
    }
  }

  #endRun(): void {
    this.#run?.end();
    this.#run = undefined;
  }

  #finish(): void {
    for (const block of this.#blocks.values()) block.stop();
    this.#endRun();
    const tier = readTier(this.#usage);
    if (tier !== undefined) this.#pending.push({ kind: 'tier', tier });
    const usage = readUsage(this.#usage);
    if (usage !== undefined) this.#pending.push({ kind: 'usage', usage });
    const native = this.#stopReason;
    this.#pending.push({ kind: 'finish', reason: finishReasons[native ?? ''] ?? 'stop', native });
    this.#finished = true;
  }
}
