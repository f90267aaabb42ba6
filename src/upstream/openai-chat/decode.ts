import type { Delta, FinishReason, OutputLogprob, ServedTier } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { JsonObject } from '../../core/request.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { isObject, parseEvent, textOf } from '../lenient.ts';
import type { Chunk, ChunkChoice, ChunkDelta, ChunkUsage } from './chunk.ts';
import { CallDecoder } from './decode-calls.ts';
import { decodeAnnotations, decodeLogprobs, decodeReasoningDetails, decodeSpoken } from './decode-details.ts';
import { decodeUsage } from './decode-usage.ts';
import { streamFailure } from './errors.ts';
import { chatQuirks } from './quirks.ts';
import { RepeatedChunk } from './repeated-chunk.ts';

const thinkingBlock = 0;
const textBlock = 1;
const firstCallBlock = 2;

const finishReasons: Readonly<Record<string, FinishReason>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  function_call: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  content_filter: 'content_filter',
};

const served: Readonly<Record<string, ServedTier>> = {
  default: 'default',
  standard: 'default',
  flex: 'flex',
  priority: 'priority',
};

/**
 * Reads a chat completion, streamed or whole. Usage, tier and finish are told last, in this order, because some
 * providers count on after they gave the reason.
 */
export class ChatDecoder implements Decoder {
  readonly #calls: CallDecoder;
  readonly #repeated = new RepeatedChunk();
  #begun = false;
  #finished = false;
  #said = false;
  #native: string | undefined;
  #usage: ChunkUsage | undefined;
  #tier: ServedTier | undefined;
  /** Log probabilities that came without text. */
  #logprobs: OutputLogprob[] = [];

  constructor(call: UpstreamCall) {
    const { customTools } = chatQuirks(call.endpoint.provider);
    const emulated = customTools ? [] : call.request.tools.filter((tool) => tool.kind === 'custom');
    this.#calls = new CallDecoder(firstCallBlock, new Set(emulated.map((tool) => tool.name)));
  }

  get finished(): boolean {
    return this.#finished;
  }

  decode(event: ServerSentEvent, into: Delta[]): void {
    const data = event.data.trim();
    if (data === '') return;
    if (data === '[DONE]') {
      this.#conclude(into);
      return;
    }
    if (event.event !== 'error' && this.#repeat(data, into)) return;
    const chunk: Chunk = parseEvent(data);
    if (chunk.error) throw streamFailure(chunk.error);
    if (event.event === 'error') throw streamFailure(chunk);
    const before = into.length;
    this.#readChunk(chunk, into);
    const said = into.length === before + 1 ? into[before] : undefined;
    if (said?.kind === 'text' && said.logprobs === undefined) this.#repeated.remember(data);
  }

  /** Reads a chunk that differs from an earlier one only in its text; false when it is another one. */
  #repeat(data: string, into: Delta[]): boolean {
    const text = this.#logprobs.length === 0 ? this.#repeated.textOf(data) : undefined;
    if (text === undefined) return false;
    if (text !== '') into.push({ kind: 'text', block: textBlock, text });
    return true;
  }

  close(into: Delta[]): void {
    if (this.#finished) return;
    if (this.#native === undefined) {
      throw new HeadgateError(
        'provider_failed',
        'The provider closed the stream before the answer was complete.',
      );
    }
    this.#conclude(into);
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    const chunk = answer as Chunk;
    if (chunk.error) throw streamFailure(chunk.error);
    if (!isObject(chunk.choices?.[0]?.message)) {
      // Some report failures flat, with a status that says nothing.
      throw streamFailure({ message: 'The provider sent an answer without a message.', ...answer });
    }
    this.#readChunk(chunk, into);
    this.#conclude(into);
  }

  #readChunk(chunk: Chunk, into: Delta[]): void {
    if (!this.#begun) into.push({ kind: 'start', upstreamId: textOf(chunk.id) });
    this.#begun = true;
    const choice = chunk.choices?.[0];
    this.#usage = chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage ?? this.#usage;
    this.#tier = served[chunk.service_tier ?? ''] ?? this.#tier;
    if (!choice) return;
    if (choice.delta) this.#readDelta(choice.delta, choice, into);
    else if (choice.message && !this.#said) this.#readDelta(withNumberedCalls(choice.message), choice, into);
    this.#native = textOf(choice.finish_reason) ?? this.#native;
  }

  #readDelta(delta: ChunkDelta, choice: ChunkChoice, into: Delta[]): void {
    const before = into.length;
    const { thinking, text } = decodeSpoken(delta);
    if (thinking !== '') into.push({ kind: 'thinking', block: thinkingBlock, text: thinking });
    decodeReasoningDetails(delta, thinkingBlock, thinking !== '', into);
    this.#readText(text, choice, into);
    const refusal = textOf(delta.refusal);
    if (refusal !== undefined) into.push({ kind: 'refusal', block: textBlock, text: refusal });
    if (delta.annotations) {
      for (const annotation of decodeAnnotations(delta.annotations)) {
        into.push({ kind: 'annotation', block: textBlock, annotation });
      }
    }
    for (const fragment of delta.tool_calls ?? []) this.#calls.decode(fragment, into);
    if (delta.function_call) this.#calls.decode({ index: 0, function: delta.function_call }, into);
    this.#said ||= into.length > before;
  }

  #readText(text: string, choice: ChunkChoice, into: Delta[]): void {
    const logprobs = decodeLogprobs(choice);
    if (logprobs) this.#logprobs = this.#logprobs.concat(logprobs);
    if (text === '') return;
    if (this.#logprobs.length === 0) {
      into.push({ kind: 'text', block: textBlock, text });
      return;
    }
    into.push({ kind: 'text', block: textBlock, text, logprobs: this.#logprobs });
    this.#logprobs = [];
  }

  #conclude(into: Delta[]): void {
    if (!this.#begun) throw new HeadgateError('provider_failed', 'The provider sent an empty answer.');
    this.#calls.close();
    const reason = this.#reason();
    if (this.#usage) into.push({ kind: 'usage', usage: decodeUsage(this.#usage) });
    if (this.#tier) into.push({ kind: 'tier', tier: this.#tier });
    into.push({ kind: 'finish', reason, native: this.#native });
    this.#finished = true;
  }

  #reason(): FinishReason {
    if (this.#native === 'error') throw new HeadgateError('provider_failed');
    if (this.#native === 'insufficient_system_resource') throw new HeadgateError('provider_overloaded');
    const reason = finishReasons[this.#native ?? ''] ?? 'stop';
    // Some say `stop` although the answer is a call; only then may the client run the tool.
    return reason === 'stop' && this.#calls.any ? 'tool_calls' : reason;
  }
}

/** A whole message lists its calls instead of numbering them. */
function withNumberedCalls(message: ChunkDelta): ChunkDelta {
  if (!message.tool_calls) return message;
  return { ...message, tool_calls: message.tool_calls.map((call, index) => ({ ...call, index })) };
}
