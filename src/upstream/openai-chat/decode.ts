import type { Delta, FinishReason, ServedTier } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import { earlyInput, type Usage, withoutOutput } from '../../core/usage.ts';
import type { UpstreamCall } from '../../ports/upstream.ts';
import { isObject, type JsonObject, parseJson } from '../../util/json.ts';
import { pushAll } from '../../util/push-all.ts';
import { wordTable } from '../../util/word-table.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { parseEvent, parseEventExactly, textOf } from '../lenient.ts';
import { streamFailure } from '../openai-failures.ts';
import type { Chunk, ChunkChoice, ChunkDelta, ChunkUsage } from './chunk.ts';
import {
  CallDecoder,
  Citations,
  decodeContent,
  decodeLogprobs,
  decodePicture,
  decodeSpeech,
  ReasoningDetails,
} from './decode-parts.ts';
import { decodeUsage, mergeUsage } from './decode-usage.ts';
import { type ChatProfile, chatProfile } from './quirks.ts';
import { blocks, TextWriter } from './text-writer.ts';

const opening = '"content":"';
const probe = 'probe';

/** Characters that a JSON string may not contain, or contains escaped. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these
const notPlain = /[\u0000-\u001f"\\]/;

/**
 * Recognizes chunks that equal an earlier one except for their text. Nearly all chunks of a stream do. Parsing each
 * one in full is the most expensive work of a stream and costs ten times as much as comparing it.
 *
 * The result is exact: if a chunk and an understood chunk have the same characters before and after one JSON string,
 * they can differ only in that string.
 */
export class RepeatedChunk {
  #before: string | undefined;
  #after = '';

  /** Stores a chunk that brought nothing but text. */
  remember(chunk: string): void {
    // A slice would keep its whole network read in memory while the stream is open.
    const data = Buffer.from(chunk).toString();
    const start = data.indexOf(opening) + opening.length;
    const end = endOfString(data, start);
    if (start < opening.length || end === undefined) return;
    const before = data.slice(0, start);
    const after = data.slice(end);
    if (!bringsText(`${before}${probe}${after}`)) return;
    this.#before = before;
    this.#after = after;
  }

  /** The text of a chunk; undefined when the chunk must be read in full. */
  textOf(data: string): string | undefined {
    const before = this.#before;
    if (before === undefined) return undefined;
    const end = data.length - this.#after.length;
    // Comparing slices is several times faster here than startsWith and endsWith.
    if (end < before.length || data.slice(0, before.length) !== before) return undefined;
    if (data.slice(end) !== this.#after) return undefined;
    const text = data.slice(before.length, end);
    return notPlain.test(text) ? readString(`"${text}"`) : text;
  }
}

/** Whether the removed string is the text of the first choice, and nothing else. */
function bringsText(data: string): boolean {
  const chunk = parseJson(data);
  const choices = isObject(chunk) && Array.isArray(chunk.choices) ? chunk.choices : [];
  const [choice] = choices;
  return isObject(choice) && isObject(choice.delta) && choice.delta.content === probe;
}

/** The index of the closing quote of the JSON string that begins at `start`. */
function endOfString(data: string, start: number): number | undefined {
  for (let index = start; index < data.length; index++) {
    if (data[index] === '\\') index++;
    else if (data[index] === '"') return index;
  }
  return undefined;
}

/** The value of a JSON string; undefined when it is not one. */
function readString(literal: string): string | undefined {
  const value = parseJson(literal);
  return typeof value === 'string' ? value : undefined;
}

/**
 * Reads a chat completion, streamed or unstreamed. Usage, tier and finish are emitted last, in this order, because
 * some providers count on after the finish reason. Input tokens and tier are also emitted as soon as known, for
 * clients that leave early.
 */
export class ChatDecoder implements Decoder {
  readonly #calls: CallDecoder;
  readonly #text: TextWriter;
  readonly #citations = new Citations();
  readonly #details = new ReasoningDetails(blocks.thinking);
  readonly #repeated = new RepeatedChunk();
  readonly #profile: ChatProfile;
  readonly #maxOutput: number | undefined;
  #begun = false;
  #finished = false;
  #hasOutput = false;
  /** The index of the choice that is emitted. */
  #choice: number | undefined;
  /** Whether something followed the text, so that it is finished. */
  #leftText = false;
  #freeBlock: number = blocks.firstFree;
  #native: string | undefined;
  /** Whether more output came after a finish reason: some providers send one with every chunk. */
  #wentOn = false;
  #usage: ChunkUsage | undefined;
  /** Whether output was written after the last count. */
  #outgrown = false;
  #tier: ServedTier | undefined;
  #isTierReported = false;

  constructor({ endpoint, model }: UpstreamCall) {
    this.#profile = chatProfile(endpoint.provider, endpoint.upstreamModel);
    this.#maxOutput = endpoint.maxCompletionTokens ?? endpoint.contextLength ?? model.contextLength;
    this.#calls = new CallDecoder(() => this.#freeBlock++);
    this.#text = new TextWriter(this.#profile.thinkTags === true);
  }

  get finished(): boolean {
    return this.#finished;
  }

  get ending(): boolean {
    return this.#native !== undefined && !this.#wentOn;
  }

  decode(event: ServerSentEvent, into: Delta[]): void {
    const data = event.data.trim();
    if (data === '' || this.#finished) return;
    if (data === '[DONE]') {
      this.#conclude(into);
      return;
    }
    if (event.event !== 'error' && this.#repeat(data, into)) return;
    const chunk: Chunk = containsValues(data) ? parseEventExactly(data) : parseEvent(data);
    this.#throwFailure(chunk);
    if (event.event === 'error') throw streamFailure(chunk, this.#profile.errorCodes);
    const before = into.length;
    this.#readChunk(chunk, into);
    const onlyDelta = into.length === before + 1 ? into[before] : undefined;
    if (onlyDelta?.kind === 'text' && onlyDelta.logprobs === undefined) this.#repeated.remember(data);
  }

  /** Reads a chunk that differs from an earlier one only in its text; returns false for any other chunk. */
  #repeat(data: string, into: Delta[]): boolean {
    const text = this.#text.isPlain ? this.#repeated.textOf(data) : undefined;
    if (text === undefined) return false;
    this.#text.write(text, undefined, into);
    this.#outgrown ||= this.#native === undefined;
    this.#wentOn ||= this.#native !== undefined;
    return true;
  }

  close(into: Delta[]): void {
    if (this.#finished) return;
    if (this.#native === undefined) throw cutOff();
    this.#conclude(into);
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    const chunk = answer as Chunk;
    this.#throwFailure(chunk);
    if (!isObject(chunk.choices?.[0]?.message)) {
      // Some providers report failures flat, with a status that says nothing.
      const message = 'The provider sent an answer without a message.';
      throw streamFailure({ message, ...answer }, this.#profile.errorCodes);
    }
    this.#readChunk(chunk, into);
    this.#conclude(into);
  }

  #throwFailure(chunk: Chunk): void {
    const failure = reportedFailure(chunk);
    if (failure !== undefined) throw streamFailure(failure, this.#profile.errorCodes);
  }

  #readChunk(chunk: Chunk, into: Delta[]): void {
    if (!this.#begun) into.push({ kind: 'start', upstreamId: textOf(chunk.id) });
    this.#begun = true;
    const choice = this.#pick(chunk.choices);
    const known = this.#usage;
    this.#noteUsage(chunk.usage ?? choice?.usage ?? chunk.x_groq?.usage, choice, into);
    const isCounted = this.#usage !== known;
    if (isCounted) this.#outgrown = false;
    this.#noteTier(chunk, choice, into);
    this.#citations.note(chunk);
    if (!choice) return;
    const before = into.length;
    if (choice.delta) this.#readDelta(choice.delta, choice, into);
    else if (choice.message && !this.#hasOutput)
      this.#readDelta(withNumberedCalls(choice.message), choice, into);
    if (!isCounted && into.length > before) this.#outgrown ||= this.#native === undefined;
    this.#wentOn ||= this.#native !== undefined && into.length > before;
    this.#native = readReason(choice.finish_reason) ?? this.#native;
  }

  /** Some providers report counts from the first chunk on. */
  #noteUsage(
    current: ChunkUsage | null | undefined,
    choice: ChunkChoice | null | undefined,
    into: Delta[],
  ): void {
    const isFirst = this.#usage === undefined;
    this.#usage = mergeUsage(this.#usage, current);
    const goesOn = this.#native === undefined && choice?.delta && !choice.finish_reason;
    if (!isFirst || !goesOn || this.#usage === undefined) return;
    const usage = earlyInput(this.#count(this.#usage));
    if (usage !== undefined) into.push({ kind: 'usage', usage });
  }

  #noteTier({ service_tier }: Chunk, choice: ChunkChoice | null | undefined, into: Delta[]): void {
    const tier = decodeTier(service_tier);
    if (tier === undefined || tier === this.#tier) return;
    this.#tier = tier;
    this.#isTierReported = Boolean(choice?.delta) && !choice?.finish_reason;
    if (this.#isTierReported) into.push({ kind: 'tier', tier });
  }

  #count(usage: ChunkUsage): Usage {
    const { citationTokens } = this.#profile;
    return decodeUsage(usage, { citationTokens, maxOutput: this.#maxOutput });
  }

  /** Of several choices, which no request asks for, picks the one that began first. */
  #pick(choices: Chunk['choices']): ChunkChoice | null | undefined {
    const current = this.#choice;
    const choice = choices?.find((one) => current === undefined || (one?.index ?? current) === current);
    this.#choice ??= choice?.index ?? undefined;
    return choice;
  }

  #readDelta(delta: ChunkDelta, choice: ChunkChoice, into: Delta[]): void {
    const before = into.length;
    const { thinking, text } = decodeContent(delta);
    if (thinking !== '') into.push({ kind: 'thinking', block: blocks.thinking, text: thinking });
    this.#details.decode(delta, thinking !== '', into);
    // Log probabilities of thoughts and calls belong to no text.
    const ofText = text !== '' || (thinking === '' && !delta.tool_calls?.length);
    this.#text.write(text, ofText ? decodeLogprobs(choice) : undefined, into);
    const refusal = textOf(delta.refusal);
    if (refusal !== undefined) into.push({ kind: 'refusal', block: blocks.text, text: refusal });
    for (const annotation of this.#citations.read(delta.annotations ?? [])) {
      into.push({ kind: 'annotation', block: blocks.text, annotation });
    }
    for (const entry of delta.images ?? []) this.#show(decodePicture(entry), into);
    if (delta.audio) pushAll(into, decodeSpeech(delta.audio));
    const calls = delta.tool_calls ?? [];
    if (calls.length > 0 || delta.function_call) this.#leaveText(into);
    for (const fragment of calls) this.#calls.decode(fragment, into);
    if (delta.function_call) this.#calls.decode({ index: 0, function: delta.function_call }, into);
    this.#hasOutput ||= into.length > before;
  }

  #show(picture: string | undefined, into: Delta[]): void {
    if (picture === undefined) return;
    this.#leaveText(into);
    const block = this.#freeBlock++;
    into.push({ kind: 'hosted', block, type: 'image_generation_call' });
    into.push({ kind: 'result', block, fields: { result: picture } });
    into.push({ kind: 'end', block });
  }

  /** Emits everything that belongs to the text, before something follows it or the answer ends. */
  #leaveText(into: Delta[]): void {
    if (this.#leftText) return;
    this.#leftText = true;
    this.#text.end(into);
    if (this.#text.text === '') return;
    for (const annotation of this.#citations.ofText(this.#text.text)) {
      into.push({ kind: 'annotation', block: blocks.text, annotation });
    }
  }

  #conclude(into: Delta[]): void {
    const before = into.length;
    this.#calls.close();
    // Without a reason nothing says that the arguments were meant to end here.
    if (this.#native === undefined && this.#calls.isCut) throw cutOff();
    const reason = decodeFinish(this.#native, this.#calls.any);
    this.#leaveText(into);
    if (this.#native === undefined && !this.#hasOutput && into.length === before) {
      throw new HeadgateError('provider_failed', 'The provider sent an empty answer.');
    }
    if (this.#usage) {
      const usage = this.#count(this.#usage);
      into.push({ kind: 'usage', usage: this.#outgrown ? withoutOutput(usage) : usage });
    }
    if (this.#tier && !this.#isTierReported) into.push({ kind: 'tier', tier: this.#tier });
    into.push({ kind: 'finish', reason, native: this.#native });
    this.#finished = true;
  }
}

function cutOff(): HeadgateError {
  return new HeadgateError(
    'provider_failed',
    'The provider closed the stream before the answer was complete.',
  );
}

/** Whether arguments of a call are JSON values, as from some providers, instead of text. */
function containsValues(data: string): boolean {
  return data.includes('"arguments":{') || data.includes('"arguments": {');
}

/** An unstreamed message lists its calls instead of numbering them. */
function withNumberedCalls(message: ChunkDelta): ChunkDelta {
  if (!message.tool_calls) return message;
  return { ...message, tool_calls: message.tool_calls.map((call, index) => ({ ...call, index })) };
}

/**
 * The failure that a chunk reports; undefined when it is an answer. A failure is in `error` on either level, or flat
 * in place of choices where a provider fails with a successful status.
 */
function reportedFailure(chunk: Chunk): unknown {
  const named = chunk.error || chunk.x_groq?.error || chunk.choices?.[0]?.error;
  if (named) return named;
  if (chunk.choices?.length) return undefined;
  const flat: JsonObject = { ...chunk };
  if (isObject(flat.base_resp) && flat.base_resp.status_code) {
    return { message: flat.base_resp.status_msg, code: flat.base_resp.status_code };
  }
  if (flat.error_code) return { message: flat.error_msg, code: flat.error_code };
  const isFailure = flat.object === 'error' || flat.type === 'error' || (flat.message && flat.code);
  return isFailure ? flat : undefined;
}

const reasons = wordTable<FinishReason>({
  stop: 'stop',
  tool_calls: 'tool_calls',
  tool_call: 'tool_calls',
  function_call: 'tool_calls',
  tool_use: 'tool_calls',
  length: 'length',
  max_tokens: 'length',
  max_output_tokens: 'length',
  model_length: 'length',
  model_context_window_exceeded: 'length',
  content_filter: 'content_filter',
  sensitive: 'content_filter',
  safety: 'content_filter',
  image_safety: 'content_filter',
  recitation: 'content_filter',
  blocklist: 'content_filter',
  prohibited_content: 'content_filter',
  spii: 'content_filter',
});

/** Finish reasons that are failures. */
const failures = wordTable<'provider_failed' | 'provider_overloaded'>({
  error: 'provider_failed',
  network_error: 'provider_failed',
  abort: 'provider_failed',
  insufficient_system_resource: 'provider_overloaded',
});

const tiers = wordTable<ServedTier>({
  default: 'default',
  standard: 'default',
  on_demand: 'default',
  flex: 'flex',
  priority: 'priority',
  performance: 'priority',
});

/** The finish reason of a chunk; some providers write null as text. */
function readReason(native: unknown): string | undefined {
  return native === 'null' ? undefined : textOf(native);
}

/**
 * Why the model stopped. Undocumented reasons count as a regular end.
 * @param called Whether the answer calls a tool. Some providers still report `stop`, but the client may run the tool
 * only after `tool_calls`.
 * @throws HeadgateError when the reason is a failure.
 */
function decodeFinish(native: string | undefined, called: boolean): FinishReason {
  // Some providers append a detail to the kind: `content_filter: PROHIBITED_CONTENT`.
  const [word = ''] = (native ?? '').toLowerCase().split(':', 1);
  const failure = failures[word];
  if (failure !== undefined) throw new HeadgateError(failure);
  const reason = reasons[word] ?? 'stop';
  return reason === 'stop' && called ? 'tool_calls' : reason;
}

/** The tier that served a call, where its name has a public equivalent. */
function decodeTier(native: string | null | undefined): ServedTier | undefined {
  return tiers[native ?? ''];
}
