import type { CallItem, CallOutputItem, Item, MessageItem, ReasoningItem } from '../../core/request.ts';
import { isObject, parseJson } from '../lenient.ts';
import { encodeParts, type PartContext } from './encode-content.ts';
import { encodeFunctionResponse } from './encode-function-response.ts';
import { encodeHostedItem } from './encode-hosted-item.ts';
import type { ModelTraits } from './model-traits.ts';
import { geminiFormat } from './reasoning-format.ts';
import type { Content, Part } from './wire.ts';

/** Stands in for the signature of a call this dialect's models did not make; documented to be let through. */
const foreignSignature = 'skip_thought_signature_validator';

/**
 * Turns made from items. The dialect wants the responses of all calls of a turn directly after it, in the order of
 * the calls, so they are brought there from wherever they stand. A signature goes back on the very part it came
 * with: `signature` of a reasoning item on the call after it, `encrypted` on the thought itself or, where the item
 * has none, on the text before it.
 */
export class TurnBuilder {
  readonly #contents: Content[] = [];
  readonly #traits: ModelTraits;
  readonly #context: PartContext;
  readonly #outputs = new Map<string, CallOutputItem[]>();
  #calls: CallItem[] = [];
  #signature: string | undefined;

  constructor(items: readonly Item[], traits: ModelTraits, context: PartContext) {
    this.#traits = traits;
    this.#context = context;
    for (const item of items) {
      if (item.kind !== 'call_output') continue;
      const known = this.#outputs.get(item.callId);
      if (known === undefined) this.#outputs.set(item.callId, [item]);
      else known.push(item);
    }
  }

  /** Takes the next item. */
  add(item: Item): void {
    switch (item.kind) {
      case 'message':
        this.#addMessage(item);
        break;
      case 'reasoning':
        this.#addReasoning(item);
        break;
      case 'call':
        this.#addCall(item);
        break;
      case 'call_output':
        this.#answerCalls();
        break;
      case 'hosted': {
        const { model, user } = encodeHostedItem(item, this.#context);
        if (model.length > 0) this.#append('model', model);
        if (user.length > 0) this.#append('user', user);
      }
    }
  }

  /** The turns so far; thoughts that led to nothing are left out. */
  finish(): Content[] {
    return this.#contents.filter(({ parts }) => !parts.every((part) => part.thought === true));
  }

  #addMessage({ role, content }: MessageItem): void {
    const parts = encodeParts(content, this.#context);
    if (role !== 'assistant') this.#answerCalls();
    this.#append(role === 'assistant' ? 'model' : 'user', parts);
  }

  #addReasoning(item: ReasoningItem): void {
    const own = item.format === geminiFormat;
    const text = (item.content.length > 0 ? item.content : item.summary).join('\n\n');
    const seal = own ? item.encrypted : undefined;
    if (text !== '' && this.#traits.thinking !== undefined) {
      this.#append('model', [{ text, thought: true, thoughtSignature: seal }]);
    } else if (text === '' && seal !== undefined) this.#sealLast(seal);
    if (own) this.#signature = item.signature ?? this.#signature;
  }

  #sealLast(thoughtSignature: string): void {
    const turn = this.#contents.at(-1);
    const last = turn?.role === 'model' ? turn.parts.at(-1) : undefined;
    const fits = last?.text !== undefined && last.thought !== true && last.thoughtSignature === undefined;
    if (fits) last.thoughtSignature = thoughtSignature;
    else this.#append('model', [{ text: '', thoughtSignature }]);
  }

  #addCall(item: CallItem): void {
    const turn = this.#contents.at(-1);
    const first = turn?.role !== 'model' || !turn.parts.some((part) => part.functionCall !== undefined);
    const replacement = first && this.#traits.signedCalls ? foreignSignature : undefined;
    this.#append('model', [
      {
        functionCall: {
          id: this.#traits.pairsById ? item.callId : undefined,
          name: item.name,
          args: encodeArguments(item),
        },
        thoughtSignature: this.#signature ?? replacement,
      },
    ]);
    this.#signature = undefined;
    this.#calls.push(item);
  }

  #answerCalls(): void {
    const calls = this.#calls;
    this.#calls = [];
    for (const call of calls) {
      const output = this.#outputs.get(call.callId)?.shift();
      this.#append('user', encodeFunctionResponse(call, output, this.#traits, this.#context));
    }
  }

  #append(role: Content['role'], parts: readonly Part[]): void {
    if (parts.length === 0) return;
    const last = this.#contents.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else this.#contents.push({ role, parts: [...parts] });
  }
}

/** The dialect takes objects only. Other models' broken arguments stay readable inside one. */
function encodeArguments({ form, input }: CallItem): Record<string, unknown> {
  if (form === 'custom') return { input };
  if (input.trim() === '') return {};
  const value = parseJson(input);
  return isObject(value) ? value : { input: value ?? input };
}
