import type * as Wire from 'openai/resources/responses/responses';
import type { Annotation, Delta, OutputLogprob, Phase, ReasoningFormat } from '../../core/delta.ts';
import type { JsonObject } from '../../util/json.ts';
import { argumentsText, calledName, type Lenient, textOf } from '../lenient.ts';
import { readAnnotation, readLogprobs } from './read-annotation.ts';
import {
  endingOf,
  identityOf,
  isHosted,
  knownIdentityOf,
  membersOf,
  textOfHosted,
  type WireHosted,
} from './read-hosted.ts';

/** The kinds of text an output item is made of. */
export type TextKind = 'text' | 'refusal' | 'thinking' | 'summary' | 'arguments' | 'fragment';

/** An output item as the provider sends it. */
export type WireItem = Lenient<Wire.ResponseOutputItem>;

/** A part of a message as the provider sends it, or one of its thoughts, which is not read here. */
export type WirePart = Lenient<Wire.ResponseContentPartDoneEvent['part']>;

type WireReasoning = Lenient<Wire.ResponseReasoningItem & { signature: string }>;

/**
 * What has been said so far of one output item. The dialect says everything twice, in pieces and then
 * whole, and some providers say it only once: this keeps count, so that each character is passed on once.
 */
export class OutputProgress {
  readonly #block: number;
  readonly #into: (delta: Delta) => void;
  readonly #lengths = new Map<string, number>();
  readonly #citations = new Map<number, number>();
  /** The part of a message that is being written. */
  #part = 0;
  #phase: Phase | undefined;
  #announced = false;
  #opened = false;
  #ended = false;
  #id: string | undefined;

  /** @param push Passes one delta on. */
  constructor(block: number, push: (delta: Delta) => void) {
    this.#block = block;
    this.#into = push;
  }

  /** Whether the whole item was read. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it is over, so that what comes with this id is another item. */
  isBefore(id: string | null | undefined): boolean {
    return this.#ended && this.#id !== undefined && !!id && id !== this.#id;
  }

  /** Reads the item as it is announced. */
  open(item: WireItem): void {
    if (item.type === 'message') this.#phase = item.phase ?? undefined;
    if (item.type === 'function_call' || item.type === 'custom_tool_call') this.#announce(item);
    if (isHosted(item)) this.#announceHosted(item, identityOf(item));
  }

  /** Passes a piece of text on. */
  grow(kind: TextKind, part: number, text: string, logprobs?: readonly OutputLogprob[]): void {
    const ofCall = kind === 'arguments' || kind === 'fragment';
    // Text of a call that has no name yet waits for the whole call.
    if (text === '' || this.#ended || (ofCall && !this.#announced)) return;
    const key = `${kind}${part}`;
    this.#lengths.set(key, (this.#lengths.get(key) ?? 0) + text.length);
    const block = this.#block;
    if (kind === 'text' || kind === 'refusal') this.#part = part;
    if (kind === 'arguments' || kind === 'fragment') this.#push({ kind, block, text });
    else if (kind === 'text') this.#push({ kind, block, text, part, logprobs, phase: this.#phase });
    else this.#push({ kind, block, text, part });
  }

  /** Passes on what the pieces have left out of a whole text; its log probabilities if there were no pieces. */
  complete(kind: TextKind, part: number, whole = '', logprobs?: readonly OutputLogprob[]): void {
    const said = this.#lengths.get(`${kind}${part}`) ?? 0;
    this.grow(kind, part, whole.slice(said), said === 0 ? logprobs : undefined);
  }

  /** Passes a citation of a text part on; undefined stands for one of a kind the gateway has no word for. */
  cite(part: number, annotation: Annotation | undefined): void {
    this.#citations.set(part, (this.#citations.get(part) ?? 0) + 1);
    // What is told of a part only after the next one has begun would stand in that one.
    if (annotation === undefined || part < this.#part) return;
    this.#push({ kind: 'annotation', block: this.#block, annotation });
  }

  /** Reads a whole part of a message: its text and citations as far as they were not told. */
  completePart(part: number, content: WirePart): void {
    if (content.type === 'refusal') this.complete('refusal', part, textOf(content.refusal));
    if (content.type !== 'output_text') return;
    this.complete('text', part, textOf(content.text), readLogprobs(content.logprobs));
    const unsaid = (content.annotations ?? []).slice(this.#citations.get(part) ?? 0);
    for (const annotation of unsaid) this.cite(part, readAnnotation(annotation));
  }

  /** Reads the finished item and ends it. Items of kinds that are not read leave no trace. */
  close(item: WireItem, format: ReasoningFormat): void {
    if (this.#ended) return;
    this.open(item);
    if (item.type === 'function_call' || item.type === 'custom_tool_call') calledName(item.name);
    if (item.type === 'message') this.#completeMessage(item);
    if (item.type === 'reasoning') this.#completeReasoning(item, format);
    if (item.type === 'function_call') this.complete('arguments', 0, argumentsText(item.arguments));
    if (item.type === 'custom_tool_call') this.complete('arguments', 0, textOf(item.input));
    if (isHosted(item)) this.#completeHosted(item);
    const cut = isHosted(item) && endingOf(item) === 'cut';
    if (this.#opened && !cut) this.#push({ kind: 'end', block: this.#block });
    this.#ended = true;
    this.#id = textOf(item.id);
  }

  /** Says how far a hosted tool has got. */
  reach(stage: Extract<Delta, { kind: 'stage' }>['stage']): void {
    if (this.#announced && !this.#ended) this.#push({ kind: 'stage', block: this.#block, stage });
  }

  /** Passes an unfinished picture on. */
  showPartial(index: number, image: string): void {
    if (this.#announced && !this.#ended)
      this.#push({ kind: 'partial_image', block: this.#block, index, image });
  }

  #announce(item: Lenient<Wire.ResponseFunctionToolCall | Wire.ResponseCustomToolCall>): void {
    const name = textOf(item.name);
    if (this.#announced || name === undefined) return;
    this.#announced = true;
    this.#push({
      kind: 'call',
      block: this.#block,
      form: item.type === 'custom_tool_call' ? 'custom' : 'function',
      name,
      callId: textOf(item.call_id),
      namespace: textOf(item.namespace),
    });
  }

  #announceHosted(item: WireHosted, fields: JsonObject | undefined): void {
    if (this.#announced || fields === undefined) return;
    this.#announced = true;
    this.#push({ kind: 'hosted', block: this.#block, type: item.type, id: textOf(item.id), fields });
  }

  #completeHosted(item: WireHosted): void {
    this.#announceHosted(item, knownIdentityOf(item));
    this.complete('fragment', 0, textOfHosted(item));
    const block = this.#block;
    const ending = endingOf(item);
    const fields = membersOf(item);
    // What a limit cut off has no result: its members are told, and the end of the answer closes it.
    if (ending === 'cut') this.#push({ kind: 'hosted', block, type: item.type, id: textOf(item.id), fields });
    else this.#push({ kind: 'result', block, fields, ...(ending === 'failed' && { failed: true }) });
  }

  #completeMessage(item: Lenient<Wire.ResponseOutputMessage>): void {
    for (const [part, content] of (item.content ?? []).entries()) this.completePart(part, content);
  }

  #completeReasoning(item: WireReasoning, format: ReasoningFormat): void {
    for (const [part, { text }] of (item.content ?? []).entries())
      this.complete('thinking', part, textOf(text));
    for (const [part, { text }] of (item.summary ?? []).entries())
      this.complete('summary', part, textOf(text));
    const encrypted = textOf(item.encrypted_content);
    const signature = textOf(item.signature);
    if (encrypted === undefined && signature === undefined) return;
    this.#push({ kind: 'seal', block: this.#block, format, encrypted, signature });
  }

  #push(delta: Delta): void {
    this.#opened = true;
    this.#into(delta);
  }
}
