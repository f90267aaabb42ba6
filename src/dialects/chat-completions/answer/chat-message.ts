import type { OutputLogprob } from '../../../core/delta.ts';
import { GrowingText } from '../../../util/growing-text.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { ChatAudio, ReasoningDetail, WrittenDelta } from './chat-completion.ts';

interface GrowingCall {
  readonly head: JsonObject;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly text: GrowingText;
}

interface GrowingDetail {
  detail: ReasoningDetail;
  readonly text: GrowingText;
}

/** The message of an unstreamed answer: every delta of it added up, as clients add up those of a stream. */
export class ChatMessage {
  readonly #content = new GrowingText();
  readonly #refusal = new GrowingText();
  readonly #reasoning = new GrowingText();
  readonly #details = new Map<number, GrowingDetail>();
  readonly #calls: GrowingCall[] = [];
  readonly #annotations: JsonObject[] = [];
  readonly #images: JsonObject[] = [];
  #audio: ChatAudio | undefined;
  readonly #sound: string[] = [];
  readonly #transcript = new GrowingText();
  readonly logprobs: OutputLogprob[] = [];

  /** Adds what one delta says. */
  add({ delta, logprobs }: WrittenDelta): void {
    if (delta.content !== undefined) this.#content.append(delta.content);
    if (delta.refusal !== undefined) this.#refusal.append(delta.refusal);
    if (delta.reasoning !== undefined) this.#reasoning.append(delta.reasoning);
    for (const detail of delta.reasoning_details ?? []) this.#detail(detail);
    for (const { index, id, function: called, ...head } of delta.tool_calls ?? []) {
      const call = this.#calls[index] ?? { head, id, name: called.name, text: new GrowingText() };
      this.#calls[index] = call;
      if (called.arguments !== '') call.text.append(called.arguments);
    }
    if (delta.annotations !== undefined) this.#annotations.push(...delta.annotations);
    if (delta.images !== undefined) this.#images.push(...delta.images);
    if (delta.audio !== undefined) this.#hear(delta.audio);
    if (logprobs !== undefined) for (const one of logprobs) this.logprobs.push(one);
  }

  /** The message as it stands. */
  value(): JsonObject {
    const content = this.#content.value;
    const refusal = this.#refusal.value;
    const hasMedia = this.#images.length > 0 || this.#audio !== undefined;
    const isBeside = this.#calls.length > 0 || refusal !== '' || hasMedia;
    return {
      role: 'assistant',
      content: content === '' && isBeside ? null : content,
      refusal: refusal === '' ? null : refusal,
      ...(this.#details.size > 0 && this.#reasoningMembers()),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls.map(toCall) }),
      ...(this.#images.length > 0 && { images: this.#images }),
      ...(this.#audio !== undefined && {
        audio: { ...this.#audio, data: joinBase64(this.#sound), transcript: this.#transcript.value },
      }),
      ...(this.#annotations.length > 0 && { annotations: this.#annotations }),
    };
  }

  #hear({ data = '', transcript = '', ...members }: ChatAudio): void {
    this.#audio = { ...this.#audio, ...members };
    if (data !== '') this.#sound.push(data);
    if (transcript !== '') this.#transcript.append(transcript);
  }

  #reasoningMembers(): JsonObject {
    const reasoning = this.#reasoning.value;
    return {
      ...(reasoning !== '' && { reasoning }),
      reasoning_details: [...this.#details.values()].map(toDetail),
    };
  }

  #detail(detail: ReasoningDetail): void {
    const known = this.#details.get(detail.index);
    const growing = known ?? { detail, text: new GrowingText() };
    if (known === undefined) this.#details.set(detail.index, growing);
    else growing.detail = { ...growing.detail, ...detail };
    const text = detail.text ?? detail.summary;
    if (text !== undefined && text !== '') growing.text.append(text);
  }
}

/** Pieces of base64 as one: each may end with padding, which nothing may follow. */
function joinBase64(pieces: readonly string[]): string {
  const [only = '', ...others] = pieces;
  if (others.length === 0) return only;
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))).toString('base64');
}

function toCall({ head, id, name, text }: GrowingCall, index: number): JsonObject {
  return { index, id, ...head, function: { name, arguments: text.value } };
}

function toDetail({ detail, text }: GrowingDetail): JsonObject {
  if (detail.type === 'reasoning.text') return { ...detail, text: text.value };
  return detail.type === 'reasoning.summary' ? { ...detail, summary: text.value } : detail;
}
