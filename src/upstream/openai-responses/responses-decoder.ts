import type * as Wire from 'openai/resources/responses/responses';
import type { Delta, FinishReason, ReasoningFormat, ServedTier } from '../../core/delta.ts';
import { HeadgateError } from '../../core/errors.ts';
import type { Usage } from '../../core/usage.ts';
import { isObject, type JsonObject } from '../../util/json.ts';
import { wordTable } from '../../util/word-table.ts';
import type { Decoder, ServerSentEvent } from '../adapter.ts';
import { argumentsText, countOf, type Lenient, parseEvent, textOf, usedCount } from '../lenient.ts';
import { streamFailure } from '../openai-failures.ts';
import { uncachedInput } from '../uncached-input.ts';
import { OutputProgress, type TextKind, type WireItem, type WirePart } from './output-progress.ts';
import { readAnnotation, readLogprobs } from './read-annotation.ts';
import { stageEvents } from './read-hosted.ts';

/** Every member of the stream's events that is read; which of them an event has depends on its type. */
type StreamEvent = Lenient<{
  type: Wire.ResponseStreamEvent['type'];
  response: Wire.Response;
  item: Wire.ResponseOutputItem;
  part: Wire.ResponseContentPartDoneEvent['part'];
  item_id: string;
  output_index: number;
  content_index: number;
  summary_index: number;
  delta: string;
  text: string;
  refusal: string;
  arguments: string;
  input: string;
  code: string;
  diff: string;
  partial_image_b64: string;
  partial_image_index: number;
  logprobs: Wire.ResponseTextDeltaEvent['logprobs'];
  annotation: Wire.ResponseOutputText['annotations'][number];
  error: unknown;
}>;

type EventType =
  | Wire.ResponseStreamEvent['type']
  | `response.apply_patch_call_operation_diff.${'delta' | 'done'}`;

interface TextEvent {
  readonly kind: TextKind;
  /** The member that contains the text. */
  readonly member: 'delta' | 'text' | 'refusal' | 'arguments' | 'input' | 'code' | 'diff';
  /** Whether it repeats the complete text instead of adding a piece. */
  readonly whole: boolean;
}

/** The events with text, by type. */
const textEvents = wordTable<TextEvent>({
  'response.output_text.delta': { kind: 'text', member: 'delta', whole: false },
  'response.output_text.done': { kind: 'text', member: 'text', whole: true },
  'response.refusal.delta': { kind: 'refusal', member: 'delta', whole: false },
  'response.refusal.done': { kind: 'refusal', member: 'refusal', whole: true },
  'response.reasoning_text.delta': { kind: 'thinking', member: 'delta', whole: false },
  'response.reasoning_text.done': { kind: 'thinking', member: 'text', whole: true },
  'response.reasoning_summary_text.delta': { kind: 'summary', member: 'delta', whole: false },
  'response.reasoning_summary_text.done': { kind: 'summary', member: 'text', whole: true },
  'response.function_call_arguments.delta': { kind: 'arguments', member: 'delta', whole: false },
  'response.function_call_arguments.done': { kind: 'arguments', member: 'arguments', whole: true },
  'response.custom_tool_call_input.delta': { kind: 'arguments', member: 'delta', whole: false },
  'response.custom_tool_call_input.done': { kind: 'arguments', member: 'input', whole: true },
  'response.code_interpreter_call_code.delta': { kind: 'fragment', member: 'delta', whole: false },
  'response.code_interpreter_call_code.done': { kind: 'fragment', member: 'code', whole: true },
  'response.mcp_call_arguments.delta': { kind: 'fragment', member: 'delta', whole: false },
  'response.mcp_call_arguments.done': { kind: 'fragment', member: 'arguments', whole: true },
  // The vendor's types lack these two.
  'response.apply_patch_call_operation_diff.delta': { kind: 'fragment', member: 'delta', whole: false },
  'response.apply_patch_call_operation_diff.done': { kind: 'fragment', member: 'diff', whole: true },
} satisfies { readonly [Type in EventType]?: TextEvent });

type WireResponse = Lenient<Wire.Response>;

/**
 * Reads one answer in the Responses dialect. A block is an output item, a part is one of its content parts.
 */
export class ResponsesDecoder implements Decoder {
  readonly #format: ReasoningFormat;
  /** The last item of each provider index. */
  readonly #outputs = new Map<number, OutputProgress>();
  readonly #indexes = new Map<string, number>();
  /** How many items there are so far. */
  #begun = 0;
  #pending: Delta[] = [];
  readonly #calls = new CallCount();
  #finished = false;
  /** Whether the response failed without a reason, which one host sends only in the next event. */
  #failed = false;

  /** @param format of the reasoning blobs that this provider makes. */
  constructor(format: ReasoningFormat) {
    this.#format = format;
  }

  get finished(): boolean {
    return this.#finished;
  }

  get resting(): boolean {
    const outputs = this.#outputs;
    return outputs.size > 0 && [...outputs.values()].every(({ ended }) => ended);
  }

  decode({ data }: ServerSentEvent, into: Delta[]): void {
    if (data === '[DONE]' || this.#finished) return;
    const event = parseEvent<StreamEvent>(data);
    throwReported(event);
    this.#pending = into;
    if (textEvents[event.type] === undefined) this.#readStep(event);
    else this.#readText(event);
  }

  close(): void {
    if (this.#finished) return;
    if (this.#failed) throw streamFailure(undefined);
    throw new HeadgateError('provider_failed', 'The provider closed the stream before the answer was whole.');
  }

  decodeWhole(answer: JsonObject, into: Delta[]): void {
    const response = answer as WireResponse;
    throwReported(answer as StreamEvent);
    if (!isWhole(response)) {
      throw new HeadgateError('provider_failed', 'The provider sent an answer that is not whole.');
    }
    this.#pending = into;
    this.#begin(response);
    this.#finish(response);
  }

  #readText(event: StreamEvent): void {
    const text = textEvents[event.type];
    if (text === undefined) return;
    const part = countOf(event.content_index) ?? countOf(event.summary_index) ?? 0;
    const value = event[text.member];
    const content = text.kind === 'arguments' ? argumentsText(value) : textOf(value);
    const output = this.#output(event.output_index, event.item_id);
    if (text.whole) output.complete(text.kind, part, content);
    else output.grow(text.kind, part, content ?? '', readLogprobs(event.logprobs));
  }

  #readStep(event: StreamEvent): void {
    const stage = stageEvents[event.type];
    if (stage !== undefined) this.#output(event.output_index, event.item_id).reach(stage);
    switch (event.type) {
      case 'response.created':
        this.#begin(event.response ?? {});
        break;
      case 'response.output_item.added':
        if (event.item) this.#outputOf(event.item, event.output_index).open(event.item);
        break;
      case 'response.output_text.annotation.added':
        if (event.annotation) this.#cite(event, event.annotation);
        break;
      case 'response.content_part.done':
        if (event.part) this.#completePart(event, event.part);
        break;
      case 'response.image_generation_call.partial_image':
        this.#showPartial(event);
        break;
      case 'response.output_item.done':
        if (event.item) this.#close(event.item, event.output_index);
        break;
      case 'response.completed':
      case 'response.incomplete':
        // Some compatible providers end every stream with the same event.
        if (event.response?.status === 'failed') this.#fail(event.response);
        this.#finish(event.response ?? {});
        break;
      case 'response.failed':
        if (event.response?.error) this.#fail(event.response);
        this.#emitUsage(event.response ?? {});
        this.#failed = true;
    }
  }

  #begin(response: WireResponse): void {
    this.#pending.push({ kind: 'start', upstreamId: textOf(response.id) });
  }

  #cite(event: StreamEvent, annotation: NonNullable<StreamEvent['annotation']>): void {
    const output = this.#output(event.output_index, event.item_id);
    output.cite(countOf(event.content_index) ?? 0, readAnnotation(annotation));
  }

  #completePart(event: StreamEvent, part: WirePart): void {
    this.#output(event.output_index, event.item_id).completePart(countOf(event.content_index) ?? 0, part);
  }

  #showPartial(event: StreamEvent): void {
    const image = textOf(event.partial_image_b64);
    const index = countOf(event.partial_image_index) ?? 0;
    if (image !== undefined) this.#output(event.output_index, event.item_id).showPartial(index, image);
  }

  #close(item: WireItem, index: number | null | undefined): void {
    const output = this.#outputOf(item, index);
    if (!output.ended) this.#calls.note(item);
    output.close(item, this.#format);
  }

  #finish(response: WireResponse): void {
    this.#completeOutput(response.output ?? []);
    this.#emitUsage(response);
    const cut = response.status === 'incomplete' ? response.incomplete_details?.reason : undefined;
    this.#pending.push({
      kind: 'finish',
      reason: this.#reason(response),
      native: cut ?? textOf(response.status),
    });
    this.#finished = true;
  }

  /** Emits the usage of a failed response: nobody pays for it, but the answer and its record show it. */
  #fail(response: WireResponse): never {
    this.#emitUsage(response);
    throw streamFailure(response.error);
  }

  #emitUsage({ service_tier, usage }: WireResponse): void {
    const tier = readTier(service_tier);
    if (tier !== undefined) this.#pending.push({ kind: 'tier', tier });
    // A prompt never has zero tokens, so a zero input was not counted.
    const counted = Boolean(usage?.input_tokens || usage?.output_tokens);
    const counts = usage && counted ? readUsage(usage) : {};
    const webSearches = counts.webSearches ?? this.#calls.webSearches;
    if (counted || webSearches !== undefined) {
      this.#pending.push({ kind: 'usage', usage: { ...counts, webSearches } });
    }
  }

  /**
   * Emits what is still missing: unstreamed answers contain everything at their end, and so do some providers' last
   * events.
   */
  #completeOutput(output: readonly WireItem[]): void {
    const begun = this.#begun;
    for (const [index, item] of output.entries()) {
      const known = this.#outputs.get(index);
      if (known === undefined ? index >= begun : !known.ended) this.#close(item, index);
    }
  }

  #reason(response: WireResponse): FinishReason {
    if (response.status !== 'incomplete') return this.#calls.waiting ? 'tool_calls' : 'stop';
    return response.incomplete_details?.reason === 'content_filter' ? 'content_filter' : 'length';
  }

  #outputOf(item: WireItem, index: number | null | undefined): OutputProgress {
    return this.#output(index, textOf(item.id));
  }

  /**
   * The item at an index. Where a provider sends no index, or the same one for several items, the id decides.
   */
  #output(index: number | null | undefined, id: string | null | undefined): OutputProgress {
    const place = countOf(index) ?? this.#indexById(id ?? '');
    const known = this.#outputs.get(place);
    if (known !== undefined && !known.isBefore(id)) return known;
    const output = new OutputProgress(this.#begun++, (delta) => this.#pending.push(delta));
    this.#outputs.set(place, output);
    return output;
  }

  #indexById(id: string): number {
    const known = this.#indexes.get(id);
    if (known !== undefined) return known;
    this.#indexes.set(id, this.#indexes.size);
    return this.#indexes.size - 1;
  }
}

function throwReported(event: StreamEvent): void {
  // `error` is not one of the response's own events: it comes flat, nested, or without a type.
  const type: string | undefined = event.type;
  if (type === 'error' || (event.error && type === undefined)) throw streamFailure(event);
}

function isWhole({ status, output }: WireResponse): boolean {
  return Array.isArray(output) && (!status || status === 'completed' || status === 'incomplete');
}

/** One host counts the calls of its own tools. */
type WireUsage = Wire.ResponseUsage & { server_side_tool_usage_details?: { web_search_calls?: number } };

/** The counts of a response in disjoint classes; this dialect counts cached tokens within the input. */
function readUsage(usage: Lenient<WireUsage>): Usage {
  const cacheRead = usedCount(usage.input_tokens_details?.cached_tokens);
  const cacheWrite = usedCount(usage.input_tokens_details?.cache_write_tokens);
  const reasoning = usedCount(usage.output_tokens_details?.reasoning_tokens);
  return {
    uncachedInput: uncachedInput(usedCount(usage.input_tokens), (cacheRead ?? 0) + (cacheWrite ?? 0)),
    cacheRead,
    cacheWrite,
    output: wholeOutput(usage, reasoning),
    reasoning,
    webSearches: usedCount(usage.server_side_tool_usage_details?.web_search_calls),
  };
}

/** Some providers count reasoning beside the output; then only all three add up to the total. */
function wholeOutput(usage: Lenient<Wire.ResponseUsage>, reasoning = 0): number | undefined {
  const output = usedCount(usage.output_tokens);
  if (output === undefined) return undefined;
  const beside = usedCount(usage.total_tokens) === (usedCount(usage.input_tokens) ?? 0) + output + reasoning;
  return beside ? output + reasoning : output;
}

/** The tier that served, in the gateway's terms; undefined for unknown tiers. */
function readTier(tier: string | null | undefined): ServedTier | undefined {
  if (tier === 'auto') return 'default';
  return tier === 'default' || tier === 'flex' || tier === 'priority' ? tier : undefined;
}

/** Kinds of output items that wait for the client. */
const clientCalls: ReadonlySet<unknown> = new Set([
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'apply_patch_call',
  'mcp_approval_request',
]);

/** Counts what an answer leaves to do and to pay: calls that the client has to answer, and searches. */
class CallCount {
  #made = false;
  #searches = 0;
  /** Shell calls without an output so far; the provider answers those of its own containers itself. */
  readonly #shell = new Set<unknown>();

  /** Whether a call waits for the client. */
  get waiting(): boolean {
    return this.#made || this.#shell.size > 0;
  }

  /** Searches that the provider ran; undefined without any. */
  get webSearches(): number | undefined {
    return this.#searches > 0 ? this.#searches : undefined;
  }

  /** Counts a finished output item. */
  note(item: { readonly type: string; readonly [member: string]: unknown }): void {
    if (clientCalls.has(item.type)) this.#made = true;
    if (item.type === 'shell_call') this.#shell.add(item.call_id);
    if (item.type === 'shell_call_output') this.#shell.delete(item.call_id);
    // Opening a page and finding text in it are not billed as searches.
    const searched = item.type === 'web_search_call' && item.status !== 'failed';
    if (searched && isObject(item.action) && item.action.type === 'search') this.#searches += 1;
  }
}
