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

/** The kinds of text in an output item. */
export type TextKind = 'text' | 'refusal' | 'thinking' | 'summary' | 'arguments' | 'fragment';

/** An output item in the provider's form. */
export type WireItem = Lenient<Wire.ResponseOutputItem>;

/** A part of a message in the provider's form, or one of its thoughts, which is not read here. */
export type WirePart = Lenient<Wire.ResponseContentPartDoneEvent['part']>;

type WireReasoning = Lenient<Wire.ResponseReasoningItem & { signature: string }>;

/**
 * Tracks which text of one output item has been emitted. The dialect sends everything twice, in pieces and then
 * complete, and some providers send it only once. Each character is emitted once.
 */
export class OutputProgress {
  readonly #block: number;
  readonly #into: (delta: Delta) => void;
  readonly #lengths = new Map<string, number>();
  readonly #citations = new Map<number, number>();
  /** The part of a message that is still being written. */
  #part = 0;
  #phase: Phase | undefined;
  #announced = false;
  /** The kind of a hosted item that was announced. */
  #hosted: WireHosted['type'] | undefined;
  #opened = false;
  #ended = false;
  #id: string | undefined;

  /** @param push passes one delta on. */
  constructor(block: number, push: (delta: Delta) => void) {
    this.#block = block;
    this.#into = push;
  }

  /** Whether the complete item was read. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Whether it has ended, so that further events with this id belong to another item. */
  isBefore(id: string | null | undefined): boolean {
    return this.#ended && this.#id !== undefined && !!id && id !== this.#id;
  }

  /** Reads the announcement of an item. */
  open(item: WireItem): void {
    if (item.type === 'message') this.#phase = item.phase ?? undefined;
    if (item.type === 'function_call' || item.type === 'custom_tool_call') this.#announce(item);
    if (isHosted(item)) this.#announceHosted(item, identityOf(item));
  }

  /** Passes on a piece of text. */
  grow(kind: TextKind, part: number, text: string, logprobs?: readonly OutputLogprob[]): void {
    const ofCall = kind === 'arguments' || kind === 'fragment';
    // The text of a call without a name waits for the complete call.
    if (text === '' || this.#ended || (ofCall && !this.#announced)) return;
    const key = `${kind}${part}`;
    this.#lengths.set(key, (this.#lengths.get(key) ?? 0) + text.length);
    const block = this.#block;
    if (kind === 'text' || kind === 'refusal') this.#part = part;
    if (kind === 'arguments' || kind === 'fragment') this.#push({ kind, block, text });
    else if (kind === 'text') this.#push({ kind, block, text, part, logprobs, phase: this.#phase });
    else this.#push({ kind, block, text, part });
  }

  /** Emits what the pieces left out of a complete text, and its log probabilities if there were no pieces. */
  complete(kind: TextKind, part: number, whole = '', logprobs?: readonly OutputLogprob[]): void {
    const emittedLength = this.#lengths.get(`${kind}${part}`) ?? 0;
    this.grow(kind, part, whole.slice(emittedLength), emittedLength === 0 ? logprobs : undefined);
  }

  /** Passes on a citation of a text part; undefined means one of an unknown kind. */
  cite(part: number, annotation: Annotation | undefined): void {
    this.#citations.set(part, (this.#citations.get(part) ?? 0) + 1);
    // A late event for an earlier part would end up in the current one.
    if (annotation === undefined || part < this.#part) return;
    this.#push({ kind: 'annotation', block: this.#block, annotation });
  }

  /** Reads a complete part of a message and emits the text and citations that are still missing. */
  completePart(part: number, content: WirePart): void {
    if (content.type === 'refusal') this.complete('refusal', part, textOf(content.refusal));
    if (content.type !== 'output_text') return;
    this.complete('text', part, textOf(content.text), readLogprobs(content.logprobs));
    const inexpressible = (content.annotations ?? []).slice(this.#citations.get(part) ?? 0);
    for (const annotation of inexpressible) this.cite(part, readAnnotation(annotation));
  }

  /** Reads the finished item and ends it. Items of unknown kinds are ignored. */
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

  /** Reports the stage of a hosted tool. */
  reach(stage: Extract<Delta, { kind: 'stage' }>['stage']): void {
    if (this.#announced && !this.#ended) this.#push({ kind: 'stage', block: this.#block, stage });
  }

  /** Emits an unfinished picture. */
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
    this.#hosted = item.type;
    this.#push({ kind: 'hosted', block: this.#block, type: item.type, id: textOf(item.id), fields });
  }

  #completeHosted(item: WireHosted): void {
    this.#announceHosted(item, knownIdentityOf(item));
    // What belongs to another kind than the announced one is not taken over.
    const isAnnounced = item.type === this.#hosted;
    if (isAnnounced) this.complete('fragment', 0, textOfHosted(item));
    const block = this.#block;
    const ending = endingOf(item);
    const fields = isAnnounced ? membersOf(item) : {};
    // An item that a limit cut off has no result: its members are emitted, and the end of the answer closes it.
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
