import type { Delta, FinishReason } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { countOf, parseEvent, textOf } from '../lenient.ts';
import { AnswerBlocks } from './answer-blocks.ts';
import { isFailure, streamFailure } from './read-failure.ts';
import { readTier, readUsage } from './read-usage.ts';
import type { ConverseEvent, WholeBlock } from './wire-events.ts';

const finishReasons = wordTable<FinishReason>({
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  guardrail_intervened: 'content_filter',
  content_filtered: 'content_filter',
});

/** Finish reasons of output that could not be parsed. */
const malformed: ReadonlySet<string | undefined> = new Set(['malformed_model_output', 'malformed_tool_use']);

/** Reads one answer in the Converse dialect. */
export class ConverseDecoder implements Decoder {
  readonly #blocks: AnswerBlocks;
  #pending: Delta[] = [];
  #started = false;
  #stopReason: string | undefined;
  #finished = false;

  /** @param claude Whether the model is Claude, whose sealed thoughts other hosts can read too. */
  constructor(claude: boolean) {
    this.#blocks = new AnswerBlocks(claude, (delta) => this.#pending.push(delta));
  }

  get finished(): boolean {
    return this.#finished;
  }

  get resting(): boolean {
    return this.#stopReason !== undefined;
  }

  decode({ event, data }: ServerSentEvent, into: Delta[]): void {
    if (this.#finished) return;
    if (isFailure(event)) throw streamFailure(event, data);
    const value = parseEvent<JsonObject>(data) as ConverseEvent;
    this.#pending = into;
    this.#read(event, value);
  }

  close(into: Delta[]): void {
    if (this.#finished) return;
    this.#pending = into;
    if (this.#stopReason === undefined) {
      const text = 'The provider closed the stream before the answer was whole.';
      throw new HeadgateError('provider_failed', text);
    }
    this.#finish({});
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    const message = isObject(answer.output) ? answer.output.message : undefined;
    if (!isObject(message) || !Array.isArray(message.content)) {
      throw new HeadgateError('provider_failed', 'The provider sent an answer without content.');
    }
    this.#pending = into;
    this.#start();
    for (const [index, block] of message.content.entries()) this.#readBlock(index, block);
    this.#stop(textOf(answer.stopReason));
    this.#finish(answer);
  }

  #read(type: string | undefined, event: ConverseEvent): void {
    const block = countOf(event.contentBlockIndex) ?? 0;
    switch (type) {
      case 'messageStart':
        this.#start();
        break;
      case 'contentBlockStart':
        if (event.start) this.#blocks.start(block, event.start);
        break;
      case 'contentBlockDelta':
        if (event.delta) this.#blocks.add(block, event.delta);
        break;
      case 'contentBlockStop':
        this.#blocks.stop(block);
        break;
      case 'messageStop':
        this.#stop(textOf(event.stopReason));
        break;
      case 'metadata':
        if (this.#stopReason !== undefined) this.#finish(event);
        break;
    }
  }

  #start(): void {
    if (!this.#started) this.#pending.push({ kind: 'start' });
    this.#started = true;
  }

  #stop(reason: string | undefined): void {
    if (malformed.has(reason)) {
      throw new HeadgateError('provider_failed', 'The model wrote an answer that cannot be read.', {
        metadata: { provider_code: reason },
      });
    }
    this.#stopReason = reason ?? 'end_turn';
  }

  #readBlock(index: number, block: WholeBlock): void {
    const { text, toolUse, reasoningContent, citationsContent, image } = block;
    if (toolUse) {
      this.#blocks.start(index, { toolUse });
      const isComplete = isObject(toolUse.input) && Object.keys(toolUse.input).length > 0;
      if (isComplete) this.#blocks.add(index, { toolUse: { input: JSON.stringify(toolUse.input) } });
    }
    if (text) this.#blocks.add(index, { text });
    for (const part of citationsContent?.content ?? []) this.#blocks.add(index, { text: part.text });
    for (const citation of citationsContent?.citations ?? []) this.#blocks.add(index, { citation });
    if (reasoningContent) {
      const { reasoningText, redactedContent } = reasoningContent;
      this.#blocks.add(index, { reasoningContent: { ...reasoningText, redactedContent } });
    }
    if (image) this.#blocks.add(index, { image });
    this.#blocks.stop(index);
  }

  #finish({ usage, serviceTier }: Pick<ConverseEvent, 'usage' | 'serviceTier'>): void {
    this.#blocks.end();
    const tier = readTier(serviceTier?.type);
    if (tier !== undefined) this.#pending.push({ kind: 'tier', tier });
    const counts = readUsage(usage);
    if (counts !== undefined) this.#pending.push({ kind: 'usage', usage: counts });
    const native = this.#stopReason;
    this.#pending.push({ kind: 'finish', reason: finishReasons[native ?? ''] ?? 'stop', native });
    this.#finished = true;
  }
}
